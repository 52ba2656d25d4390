"""What a kernel does to the elements of a tensor, done where a tile of a convolution holds them.

Integers that say which element it is are computed from the tile's coordinates: most for a line of the tile at once.
"""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kernelwright.ir.kernel.analysis.digits import Digit, Index, counts_up, cut, size_of
from kernelwright.midend.analysis.digits import index_of, text_of
from kernelwright.midend.analysis.launches import HostLaunch
from kernelwright.midend.analysis.pointwise import conjunction, joined, mask_of, mentions
from kernelwright.midend.analysis.trees import bound_by, called, names_in, pointer_sum, written_by
from kernelwright.midend.fusion.tiles import Tile

#: Names of blocks that say nothing of a tile, and masks of blocks, for which there is the tile's.
MASKS = frozenset(("xmask", "ymask", "r0_mask"))
OF_BLOCKS = MASKS | frozenset("xoffset XBLOCK yoffset YBLOCK r0_offset r0_base roffset R0_BLOCK".split())

Terms = Sequence[tuple[int, Digit]]


@dataclass(frozen=True)
class TileElements:
    """The elements that a kernel loads by `pointer`, as a tile has them. `terms`: for each coordinate, the digits that
    it is made of, of what the kernel counts by (`xindex` and its like); `known`: what the kernel's integers are, as
    coordinates, of which the batch is called `batch`.
    """

    tile: Tile
    pointer: str
    terms: Mapping[str, Terms]
    known: Mapping[str, Index]
    batch: str

    @classmethod
    def of(
        cls, statements: Sequence[ast.stmt], tile: Tile, pointer: str, counts: Mapping[str, int], batch: str
    ) -> "TileElements | None":
        """For statements that load each element of the tile's tensor once; None for any others."""
        known = _integers(statements, {name: Index.whole(name, count) for name, count in counts.items()})
        loads = [n for s in statements for n in ast.walk(s) if isinstance(n, ast.Call) and reads(n, pointer)]
        places = {index_of(o, known) for n in loads if (o := pointer_sum(n.args[0], pointer)) is not None}
        at = places.pop() if len(places) == 1 else None
        if at is None or sum(mentions(s, pointer) for s in statements) != len(loads):
            return None
        terms = _by_coordinate(at, tile, counts)
        if terms is None:
            return None
        found: dict[str, list[tuple[int, Digit]]] = {name: [] for name in counts}
        for name, digits in terms.items():
            for factor, digit in digits:
                place = Digit(batch if name == "batch" else name, factor, digit.size)
                found[digit.variable].append((digit.step, place))
        values = _integers(statements, {name: Index.sum(digits) for name, digits in found.items()})
        return cls(tile, pointer, terms, values, batch)

    @property
    def sizes(self) -> dict[str, int]:
        """How many values each coordinate has."""
        given = self.tile.coordinates
        return {self.batch if name == "batch" else name: count for name, (_, count) in given.items()}


def reads(call: ast.Call, pointer: str) -> bool:
    """Whether a call loads by this pointer."""
    return called(call, "tl.load") and pointer_sum(call.args[0], pointer) is not None


def _integers(statements: Iterable[ast.stmt], known: Mapping[str, Index]) -> dict[str, Index]:
    """What names hold, as far as it is a sum of digits of what is known."""
    found = dict(known)
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(name)], value=value) if name not in known:
                index = index_of(value, found)
                if index is not None:
                    found[name] = index
    return found


def _by_coordinate(at: Index, tile: Tile, counts: Mapping[str, int]) -> dict[str, Terms] | None:
    """The digits of which an element's place is made, in units of each coordinate's; None where they do not tell
    elements apart."""
    cells = [(name, step, count) for name, (step, count) in tile.coordinates.items()]
    terms = cut(at.terms, [step for _, step, _ in cells])
    numel = size_of([(step, Digit(name, 1, count)) for name, step, count in cells])
    if terms is None or at.offset or not counts_up([(f, d.size) for f, d in terms], numel):
        return None
    for variable, count in counts.items():
        if not counts_up([(d.step, d.size) for _, d in terms if d.variable == variable], count):
            return None
    return {name: [(f // step, d) for f, d in terms if step <= f < step * count] for name, step, count in cells}


class AtElement(ast.NodeTransformer):
    """Rewrites statements for a tile: `value` is the text of what they load of it; names are `renamed`."""

    def __init__(self, elements: TileElements, value: str, renamed: Mapping[str, str]) -> None:
        self.elements, self.value, self.renamed = elements, value, renamed

    def lines(self, statements: Iterable[ast.stmt]) -> list[str]:
        """The statements as text, without those that only make integers."""
        found = list[str]()
        for statement in statements:
            copy = ast.parse(ast.unparse(statement)).body[0]
            found += ast.unparse(ast.fix_missing_locations(self.visit(copy))).splitlines()
        return found

    def visit(self, node: ast.AST) -> ast.AST:
        """Numbers that are known as coordinates are computed from these."""
        if isinstance(node, ast.expr) and names_in(node) & self.elements.known.keys():
            index = index_of(node, self.elements.known)
            if index is not None:
                if not index.terms:
                    return _parsed(f"tl.full([1, 1], {index.offset}, tl.int32)")
                text = text_of(index.terms, self.elements.sizes)
                return _parsed(f"({text} + {index.offset})" if index.offset else f"({text})")
        found: ast.AST = super().visit(node)
        return found

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.renamed.get(node.id, node.id), node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if reads(node, self.elements.pointer):
            return _parsed(self.value)
        if called(node, "tl.load") or called(node, "tl.store"):
            return self._access(node)
        whole = called(node, "tl.broadcast_to") and len(node.args) == 2
        if whole and {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)} <= OF_BLOCKS:
            return self.visit(node.args[0])
        return self.generic_visit(node)

    def _access(self, node: ast.Call) -> ast.AST:
        """A load or store, masked by what its address depends on and by what else masked it."""
        mask, pointer, loads = mask_of(node), node.args[0], called(node, "tl.load")
        given = [] if mask is None else [part for part in conjunction(mask) if ast.unparse(part) not in MASKS]
        parts = [part for part in map(self.visit, given) if isinstance(part, ast.expr)]
        offset = pointer.right if isinstance(pointer, ast.BinOp) else None
        index = index_of(offset, self.elements.known) if offset is not None else None
        parts += [_parsed(text) for text in (self._exists(index) if loads else self._stored(index))]
        values = [self.visit(argument) for argument in node.args[: 1 if loads else 2]]
        keywords = [k for k in node.keywords if k.arg not in ("mask", "other")]
        if parts and loads:
            other = [k for k in node.keywords if k.arg == "other"]
            keywords += other or [ast.keyword("other", ast.Constant(0.0))]
        arguments = [value for value in values if isinstance(value, ast.expr)]
        return ast.Call(node.func, [*arguments, *([joined(parts)] if parts else [])], keywords)

    def _exists(self, index: Index | None) -> list[str]:
        """The conditions under which a tile may load what lies at an index, as far as that depends on the element."""
        if index is None:
            return [self.elements.tile.valid]
        names = {digit.variable for _, digit in index.terms}
        found = [f"channel < {self.elements.tile.channels}"] if "channel" in names else []
        always = {"channel", "image"}  # programs have one image each where it has this name
        return found + ([self.elements.tile.exists] if names - always else [])

    def _stored(self, index: Index | None) -> list[str]:  # noqa: ARG002
        """The conditions under which a tile may store what it has there."""
        return [self.elements.tile.valid]


@dataclass(frozen=True)
class TiledPointwise:
    """A kernel that works element by element, over one axis or two, on what a tile holds."""

    elements: TileElements
    statements: tuple[ast.stmt, ...]

    @classmethod
    def of(cls, launch: HostLaunch, pointer: str, tile: Tile) -> "TiledPointwise | None":
        """Read a kernel that loads each element of the tile's tensor once, by this pointer; None for any other."""
        found = _counted(launch)
        if found is None or pointer in written_by(launch.function, launch.parameters):
            return None
        counts, statements = found
        # What belongs to an image is the same for a tile within it.
        elements = TileElements.of(statements, tile, pointer, counts, "image" if tile.within else "batch")
        if elements is None:
            return None
        rest = [s for s in statements if not (isinstance(s, ast.Assign) and set(bound_by(s)) & elements.known.keys())]
        names = names_in(ast.parse("\n".join(AtElement(elements, "0.0", {}).lines(rest))))
        return None if names & (OF_BLOCKS | counts.keys()) else cls(elements, tuple(rest))

    def lines(self, value: str, renamed: Mapping[str, str]) -> list[str]:
        """The statements on a tile of which this is the text."""
        return AtElement(self.elements, value, renamed).lines(self.statements)


def counts_of(launch: HostLaunch) -> dict[str, int] | None:
    """What a kernel of one axis or two, `xindex` and `yindex`, counts by its grid; None for any other grid."""
    meta = re.escape(launch.kernel.meta_name)
    grid = re.fullmatch(
        rf"triton\.cdiv\((\d+), {meta}\['XBLOCK'\]\),(?: triton\.cdiv\((\d+), {meta}\['YBLOCK'\]\))?",
        launch.grid.text,
    )
    found = zip("xy", grid.groups(), strict=True) if grid else ()
    return {f"{axis}index": int(count) for axis, count in found if count} or None


def _counted(launch: HostLaunch) -> tuple[dict[str, int], list[ast.stmt]] | None:
    """What a kernel without loops counts by, and its statements after those that say so; None where it does more than
    load, compute and store."""
    counts = counts_of(launch)
    body = [ast.unparse(statement) for statement in launch.function.body]
    plain = all(
        isinstance(s, ast.Assign) or (isinstance(s, ast.Expr) and called(s.value, "tl.store"))
        for s in launch.function.body
    )
    odd = any(word in s for s in body for word in ("tl.atomic", "tl.num_programs", "tl.debug_barrier"))
    if counts is None or not plain or odd:
        return None
    lanes = {"xindex": "[None, :]" if "yindex" in counts else "[:]", "yindex": "[:, None]"}
    for number, (name, count) in enumerate(counts.items()):
        axis = name[0]
        head = [
            f"{axis}offset = tl.program_id({number}) * {axis.upper()}BLOCK",
            f"{name} = {axis}offset + tl.arange(0, {axis.upper()}BLOCK){lanes[name]}",
        ]
        if any(body.count(line) != 1 for line in head):
            return None
        body = [line for line in body if line not in (*head, f"{axis}mask = {name} < {count}")]
    statements = ast.parse("\n".join(body)).body
    bound = [name for statement in statements for name in bound_by(statement)]
    alone = len(bound) == len(set(bound)) and not set(bound) & (counts.keys() | OF_BLOCKS)
    return (counts, statements) if alone and "tl.program_id" not in "\n".join(body) else None


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
