"""A loop over rows in two parts: what a tile of a convolution comes to, and how that is joined to whole rows."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kernelwright.ir.values import Kernel, Scalar
from kernelwright.midend.digits import Digit, Index, counts_up, cut, size_of, text_of
from kernelwright.midend.launches import HostLaunch, called, local_names, names_in, pointer_sum
from kernelwright.midend.pointwise import conjunction, joined, mask_of, mentions
from kernelwright.midend.row_loops import Accumulator, RowLoop, bound_by, live
from kernelwright.midend.tiles import PROGRAM, Tile

#: Names of a loop over rows that mean nothing in a tile.
_OF_ROWS = frozenset("xindex xmask xoffset XBLOCK r0_index r0_mask r0_offset r0_base roffset R0_BLOCK".split())
#: Names that are added to the first kernel, and to the second.
ADDED, SLABS = ("tile_count", "tile_mean", "tile_apart"), "slabs"
#: Elements that a program joins in a round, rows that lie side by side in it at most, and programs wanted before those.
ROUND, SIDE, PROGRAMS = 1024, 16, 256

Terms = Sequence[tuple[int, Digit]]


@dataclass(frozen=True)
class PartialRows:
    """The loop with the rows that elements of a tile belong to. `terms`: what the loop's `xindex` and `r0_index` say of
    an element's place, by coordinate of the tile; `known`: what the loop's integers are, as coordinates.
    """

    loop: RowLoop
    tile: Tile
    pointer: str
    terms: Mapping[str, Terms]
    known: Mapping[str, Index]
    parameters: tuple[str, ...]

    @classmethod
    def of(cls, loop: RowLoop, tile: Tile, pointer: str, launch: HostLaunch) -> "PartialRows | None":
        """For a kernel's loop that reads a tile's result by this pointer; None where rows leave out pixels of an image
        or the loop does more than reduce."""
        body = (*loop.before, *loop.values)
        own = {"xindex": Index.whole("xindex", loop.rows), "r0_index": Index.whole("r0_index", loop.row)}
        known = _integers(body, own)
        loads = [n for s in body for n in ast.walk(s) if isinstance(n, ast.Call) and _reads(n, pointer)]
        places = {Index.of(o, known) for n in loads if (o := pointer_sum(n.args[0], pointer)) is not None}
        at = places.pop() if len(places) == 1 else None
        named = sum(mentions(s, pointer) for s in body)
        if at is None or named != len(loads) or pointer in launch.written or SLABS in local_names(launch.function):
            return None
        terms = _by_coordinate(at, tile, loop)
        if terms is None or _left_over(loop):
            return None
        rows = cls(loop, tile, pointer, terms, _integers(body, _at_element(terms)), launch.parameters)
        lines = rows.epilogue("0.0", [f"{name}_ptr" for name in rows.sums], {})
        return None if names_in(ast.parse("\n".join(lines))) & (_OF_ROWS | {pointer}) else rows

    @property
    def sums(self) -> tuple[str, ...]:
        """The accumulators, of each of which tiles have a part."""
        return tuple(name for accumulator in self.loop.accumulators for name in accumulator.names)

    @property
    def needed(self) -> list[ast.stmt]:
        """The statements that make what is reduced, but for integers."""
        wanted = [accumulator.value for accumulator in self.loop.accumulators]
        found = live((*self.loop.before, *self.loop.values), wanted)
        return [s for s in found if not (set(bound_by(s)) & self.known.keys()) and not set(bound_by(s)) & _OF_ROWS]

    @property
    def operands(self) -> tuple[str, ...]:
        """The parameters that the epilogue has to have."""
        used = set().union(*map(names_in, self.needed)) - {self.pointer}
        return tuple(name for name in self.parameters if name in used)

    @property
    def images(self) -> int:
        """Images that a row runs over."""
        return self.tile.images if any(d.variable == "r0_index" for _, d in self.terms.get("batch", ())) else 1

    @property
    def reads_again(self) -> bool:
        """Whether the kernel reads the result after the loop, too."""
        return any(self.pointer in names_in(statement) for statement in self.loop.after)

    def epilogue(self, value: str, pointers: Sequence[str], renamed: Mapping[str, str]) -> list[str]:
        """What the first kernel does with a tile, of which `value` is the text, to store what that comes to."""
        substitute, lines = _AtElement(self, value, renamed), list[str]()
        for statement in self.needed:
            copy = ast.parse(ast.unparse(statement)).body[0]
            lines += ast.unparse(ast.fix_missing_locations(substitute.visit(copy))).splitlines()
        given = iter(pointers)
        for accumulator in self.loop.accumulators:
            lines += self._parts(accumulator, substitute, [next(given) for _ in accumulator.names], renamed)
        return lines

    def _parts(
        self, accumulator: Accumulator, substitute: "_AtElement", pointers: Sequence[str], renamed: Mapping[str, str]
    ) -> list[str]:
        tile = self.tile
        value = ast.unparse(substitute.visit(ast.Name(accumulator.value, ast.Load())))
        at, mask = f"({PROGRAM} * {tile.channels} + channel)", f"channel < {tile.channels}"

        def reduced(by: str, text: str) -> str:
            return f"{by}({text}, {tile.axis}){tile.shape}"

        if accumulator.by != "welford":
            part = reduced(accumulator.by, f"tl.where({tile.valid}, {value}, {accumulator.start})")
            return [f"tl.store({pointers[0]} + {at}, {part}, {mask})"]
        count, mean, apart = (renamed.get(name, name) for name in ADDED)
        return [
            f"{count} = {reduced('tl.sum', 'inside.to(tl.float32)')}",
            f"{mean} = {reduced('tl.sum', f'tl.where({tile.valid}, {value}, 0.0)')} / tl.maximum({count}, 1.0)",
            f"{apart} = tl.where({tile.valid}, {value} - {mean}, 0.0)",
            f"tl.store({pointers[0]} + {at}, {mean}, {mask})",
            f"tl.store({pointers[1]} + {at}, {reduced('tl.sum', f'{apart} * {apart}')}, {mask})",
            f"tl.store({pointers[2]} + {at}, {count}, {mask})",
        ]

    def joining(self, pointers: Sequence[str]) -> list[str]:
        """The second kernel's body: `slabs` parts for each channel of a row are joined, and the rest is as it was."""
        inner = [(f, d) for f, d in self.terms.get("channel", ()) if d.variable == "r0_index"]
        count = size_of(inner)
        total = SLABS if count == 1 else f"{count} * {SLABS}"
        body = ["r0_index = r0_offset + r0_base", f"r0_mask = r0_index < {total}"]
        place = self._place(inner)
        given = iter(pointers)
        for accumulator in self.loop.accumulators:
            parts = [
                f"tl.load({next(given)} + ({place}), r0_mask & xmask, other={accumulator.start})"
                for _ in accumulator.names
            ]
            if accumulator.by == "welford":
                new = ast.unparse(accumulator.joins[0]).partition(" = ")[0]
                body.append(f"{new} = welford_combine({', '.join([*accumulator.names, *parts])})")
            else:
                body += [f"{accumulator.value} = {parts[0]}", ast.unparse(accumulator.joins[0])]
            body += map(ast.unparse, accumulator.joins[1:])
        lines = [f"for r0_offset in tl.range(0, {total}, R0_BLOCK):", *(f"    {line}" for line in body)]
        after = [line for statement in self.loop.after for line in ast.unparse(statement).splitlines()]
        wanted = names_in(ast.parse("\n".join([*lines, *after])))
        return [*map(ast.unparse, live(self.loop.before, wanted)), *lines, *after]

    def _place(self, inner: Terms) -> str:
        """Where a part lies: by image, tile and channel."""
        sizes = {"xindex": self.loop.rows}
        step, terms = 1, list[tuple[int, Digit]]()
        for factor, digit in inner:
            terms.append((factor, Digit("r0_index", step, digit.size)))
            step *= digit.size
        terms += [(f, d) for f, d in self.terms.get("channel", ()) if d.variable == "xindex"]
        slab = "r0_index" if step == 1 else f"r0_index // {step}"
        rows = [(f, d) for f, d in self.terms.get("batch", ()) if d.variable == "xindex"]
        if rows:
            slab = f"{SLABS} * ({text_of(rows, sizes)}) + {slab}"
        channel = f" + {text_of(Index.sum(terms).terms, sizes)}" if terms else ""
        return ast.unparse(ast.parse(f"{self.tile.channels} * ({slab}){channel}"))


def whole_meta(rows: PartialRows, kernel: Kernel) -> tuple[tuple[str, Scalar], ...]:
    """Launch options for the second kernel to begin with: those that it has, where it goes over rows once more."""
    if any(isinstance(statement, ast.For) for statement in rows.loop.after):
        return kernel.meta
    beside = [d.variable for f, d in rows.terms.get("channel", ()) if f == 1] == ["xindex"]
    count = rows.loop.rows
    side = 1 << (min(SIDE, max(count // PROGRAMS, 1)).bit_length() - 1) if beside else 1
    while count % side:  # rows may go without a mask where blocks fit
        side //= 2
    return (("XBLOCK", side), ("R0_BLOCK", ROUND // side), ("num_warps", 4))


def _reads(call: ast.Call, pointer: str) -> bool:
    return called(call, "tl.load") and pointer_sum(call.args[0], pointer) is not None


def _integers(statements: Iterable[ast.stmt], known: Mapping[str, Index]) -> dict[str, Index]:
    """What names hold, as far as it is a sum of digits of what is known."""
    found = dict(known)
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(name)], value=value) if name not in known:
                index = Index.of(value, found)
                if index is not None:
                    found[name] = index
    return found


def _by_coordinate(at: Index, tile: Tile, loop: RowLoop) -> dict[str, Terms] | None:
    """The digits of rows and of places in them, in units of each coordinate's; None where they do not tell elements
    apart, or where a row has not all pixels of an image."""
    cells = [(name, step, count) for name, (step, count) in tile.coordinates.items()]
    terms = cut(at.terms, [step for _, step, _ in cells])
    numel = size_of([(step, Digit(name, 1, count)) for name, step, count in cells])
    if terms is None or at.offset or not counts_up([(f, d.size) for f, d in terms], numel):
        return None
    for variable, count in (("xindex", loop.rows), ("r0_index", loop.row)):
        if not counts_up([(d.step, d.size) for _, d in terms if d.variable == variable], count):
            return None
    found: dict[str, Terms] = {
        name: [(f // step, d) for f, d in terms if step <= f < step * count] for name, step, count in cells
    }
    kinds = {name: {d.variable for _, d in digits} for name, digits in found.items()}
    pixels = set().union(*(kinds[name] for name in kinds if name not in ("batch", "channel")))
    return found if pixels <= {"r0_index"} and len(kinds.get("batch", ())) < 2 else None


def _at_element(terms: Mapping[str, Terms]) -> dict[str, Index]:
    """`xindex` and `r0_index` of the element at given coordinates; a tile's image is a number."""
    found: dict[str, list[tuple[int, Digit]]] = {"xindex": [], "r0_index": []}
    for name, digits in terms.items():
        variable = "image" if name == "batch" else name
        for factor, digit in digits:
            found[digit.variable].append((digit.step, Digit(variable, factor, digit.size)))
    return {name: Index.sum(digits) for name, digits in found.items()}


def _left_over(loop: RowLoop) -> bool:
    """Whether what comes after the loop reads what only the loop binds, its accumulators apart."""
    bound = {name for statement in loop.values for name in bound_by(statement)} | {"r0_offset"}
    bound |= {name for a in loop.accumulators for join in a.joins for name in bound_by(join) if name not in a.names}
    return bool(_free(loop.after) & (bound - {name for s in loop.before for name in bound_by(s)}))


def _free(statements: Sequence[ast.stmt]) -> set[str]:
    """Names that statements read before they bind them."""
    free, bound = set[str](), set[str]()
    for statement in statements:
        inner = ast.Module(statement.body, []) if isinstance(statement, ast.For) else None
        reads = _free(statement.body) - set(bound_by(statement.target)) if isinstance(statement, ast.For) else set()
        reads |= names_in(statement.iter) if isinstance(statement, ast.For) else set()
        if inner is None:
            reads = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        free |= reads - bound
        bound |= set(bound_by(statement))
    return free


class _AtElement(ast.NodeTransformer):
    """Rewrites what a loop over rows does for what a tile does: integers are computed from the tile's coordinates."""

    def __init__(self, rows: PartialRows, value: str, renamed: Mapping[str, str]) -> None:
        self.rows, self.value, self.renamed = rows, value, renamed
        coordinates = rows.tile.coordinates
        self.sizes = {"image" if name == "batch" else name: count for name, (_, count) in coordinates.items()}

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and names_in(node) & self.rows.known.keys():
            index = Index.of(node, self.rows.known)
            if index is not None:
                return self._number(index)
        found: ast.AST = super().visit(node)
        return found

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.renamed.get(node.id, node.id), node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if called(node, "tl.load"):
            return self._load(node)
        if called(node, "tl.broadcast_to") and ast.unparse(node.args[1]) == "[XBLOCK, R0_BLOCK]":
            return self.visit(node.args[0])
        return self.generic_visit(node)

    def _number(self, index: Index) -> ast.expr:
        text = text_of(index.terms, self.sizes)
        return ast.parse(f"({text} + {index.offset})" if index.offset else f"({text})", mode="eval").body

    def _load(self, node: ast.Call) -> ast.AST:
        if _reads(node, self.rows.pointer):
            return ast.parse(self.value, mode="eval").body
        mask = mask_of(node)
        parts = [] if mask is None else [p for p in conjunction(mask) if ast.unparse(p) not in ("xmask", "r0_mask")]
        parts = [self.visit(part) for part in parts]  # type: ignore[misc]
        pointer = node.args[0]
        offset = pointer.right if isinstance(pointer, ast.BinOp) else None
        index = Index.of(offset, self.rows.known) if offset is not None else None
        texts = self._exists(index)
        parts += [ast.parse(text, mode="eval").body for text in texts]
        keywords = [k for k in node.keywords if k.arg not in ("mask", "other")]
        if parts:
            other = [k for k in node.keywords if k.arg == "other"]
            keywords += other or [ast.keyword("other", ast.Constant(0.0))]
        address = self.visit(pointer)
        assert isinstance(address, ast.expr)
        return ast.Call(node.func, [address, *([joined(parts)] if parts else [])], keywords)

    def _exists(self, index: Index | None) -> list[str]:
        """The conditions under which a tile may load what lies at an index, as far as that depends on the element."""
        if index is None:
            return [self.rows.tile.valid]
        names = {digit.variable for _, digit in index.terms}
        found = [f"channel < {self.rows.tile.channels}"] if "channel" in names else []
        return found + (["inside"] if names - {"channel", "image"} else [])
