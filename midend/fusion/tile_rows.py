"""What a kernel does to rows of channels, done where a tile of a convolution holds all channels of its pixels.

The kernel's blocks are of rows, counted along one axis or two, by channels; a tile is of pixels by channels or the
reverse.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.dialect.tables import LANGUAGE_MATH
from kernelwright.ir.kernel.analysis.digits import Index
from kernelwright.ir.values import KernelModule
from kernelwright.midend.analysis.digits import index_of
from kernelwright.midend.analysis.host_code import with_statements
from kernelwright.midend.analysis.launches import HostLaunch
from kernelwright.midend.analysis.pointwise import conjunction, joined
from kernelwright.midend.analysis.trees import bound_by, called, function_of, names_in, written_by
from kernelwright.midend.fusion.tile_elements import OF_BLOCKS, AtElement, TileElements, counts_of
from kernelwright.midend.fusion.tiles import Tile
from kernelwright.midend.rows.row_text import row_length, straight

#: Channels that a tile can hold, and the least side of one that `tl.dot` takes.
MOST_CHANNELS, LEAST_SIDE = 128, 16
#: What reduces the first of its operands along the axis that its last argument names, and the neutral value of that.
REDUCERS = {
    "tl.sum": "0",
    "reduce_max": "float('-inf')",
    "reduce_min": "float('inf')",
    "max_with_index": "float('-inf')",
    "min_with_index": "float('inf')",
}
#: Functions of `tl` that work element by element, and those that are rewritten for the tile.
ELEMENTWISE = LANGUAGE_MATH | {"where", "maximum", "minimum", "clamp", "sigmoid", "zeros_like", "full_like"}
REWRITTEN = frozenset(("tl.load", "tl.store", "tl.broadcast_to", "tl.full"))
_OUTER = frozenset(("xmask", "ymask"))


@dataclass(frozen=True)
class TiledRows:
    """A kernel that holds rows of channels, reduces them, and stores a number or a row for each pixel. `block`: NBLOCK,
    for a tile to hold all channels."""

    elements: TileElements
    statements: tuple[ast.stmt, ...]
    block: int

    @classmethod
    def of(
        cls, module: KernelModule, first: HostLaunch, second: HostLaunch, pointer: str, tile: Tile
    ) -> "TiledRows | None":
        """Read a kernel whose rows are the channels of each pixel of the first one's tile, loaded by this pointer, in
        one block or in loops; None for any other."""
        outer = counts_of(second)
        statements = _row_by_row(second, outer, tile.channels) if outer is not None else None
        if outer is None or statements is None or tile.channels > MOST_CHANNELS or tile.whole_grid(first) is None:
            return None
        counts = {**outer, "r0_index": tile.channels}
        elements = TileElements.of(statements, tile, pointer, counts, "batch")
        if elements is None or not _is_by_pixel(elements) or not _bound_once(statements, elements.known):
            return None
        rest = tuple(
            s for s in statements if not (isinstance(s, ast.Assign) and set(bound_by(s)) & elements.known.keys())
        )
        if not all(_works_by_row(module, s, len(outer)) and _is_placed(elements, s) for s in rest):
            return None
        least = LEAST_SIDE if "tl.dot" in first.kernel.source else 1
        found = cls(elements, rest, max(1 << (tile.channels - 1).bit_length(), least))
        names = names_in(ast.parse("\n".join(found.lines("0.0", {}))))
        return None if names & (OF_BLOCKS | counts.keys()) else found

    def lines(self, value: str, renamed: Mapping[str, str]) -> list[str]:
        """The statements on a tile of which this is the text."""
        return _AtRow(self, value, renamed).lines(self.statements)

    def with_whole_tiles(self, module: KernelModule, trace: HostTrace, launch: HostLaunch) -> KernelModule:
        """The module in which the tiles of this launch have all channels, and fewer pixels where they had fewer
        channels."""
        grid, meta = self.elements.tile.whole_grid(launch), dict(launch.kernel.meta)
        given, pixels = meta.pop("NBLOCK"), meta["MBLOCK"]
        assert grid is not None and isinstance(given, int) and isinstance(pixels, int)
        meta["MBLOCK"] = max(pixels * given // self.block, min(pixels, LEAST_SIDE)) if given < self.block else pixels
        parameters = [ast.unparse(a) for a in launch.function.args.args if a.arg != "NBLOCK"]
        lines = [f"NBLOCK: tl.constexpr = {self.block}"]
        lines += [line for statement in launch.function.body for line in ast.unparse(statement).splitlines()]
        head = f"@triton.jit\ndef {launch.kernel.symbol}({', '.join(parameters)}):"
        source = "\n".join([head, *(f"    {line}" for line in lines)])
        kernel = replace(launch.kernel, source=source, meta=tuple(meta.items()))
        module = replace(module, kernels=tuple(kernel if one == launch.kernel else one for one in module.kernels))
        text = replace(launch, grid=grid).text(kernel, list(launch.given.values()))
        return with_statements(module, trace, {launch.index: [text]})


class _AtRow(AtElement):
    """Rewrites statements on rows for a tile of all channels, and where there are fewer than its block, of none."""

    def __init__(self, rows: TiledRows, value: str, renamed: Mapping[str, str]) -> None:
        super().__init__(rows.elements, value, renamed)
        self.known = f"channel < {rows.elements.tile.channels}"
        self.full = rows.block == rows.elements.tile.channels
        self.by_pixel = rows.elements.tile.axis == 0
        #: Values that are neutral already where there is no channel.
        last = {name: statement for statement in rows.statements for name in bound_by(statement)}
        self.neutral = {name for name, statement in last.items() if _is_masked(statement)}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        masks = {"xmask": "inside", "ymask": "inside", "r0_mask": f"({self.known})"}
        return _parsed(masks[node.id]) if node.id in masks else super().visit_Name(node)

    def visit_List(self, node: ast.List) -> ast.AST:
        """The shape of a block."""
        pixels = "MBLOCK" if names_in(node) & {"XBLOCK", "YBLOCK"} else "1"
        sides = [pixels, "NBLOCK" if "R0_BLOCK" in names_in(node) else "1"]
        return _parsed(f"[{', '.join(sides if self.by_pixel else sides[::-1])}]")

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """A number for each row, as one for each pixel of the tile."""
        return _parsed(f"{ast.unparse(self.visit(node.value))}[{':, None' if self.by_pixel else 'None, :'}]")

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = ast.unparse(node.func)
        if name in REDUCERS:
            return self._reduction(node, name)
        if name == "tl.where":
            # What pixels that do not exist come to is not stored.
            idle = {*_OUTER, "r0_mask"} if self.full else _OUTER
            parts = [part for part in conjunction(node.args[0]) if ast.unparse(part) not in idle]
            if not parts:
                return self.visit(node.args[1])
            node = ast.Call(node.func, [joined(parts), *node.args[1:]], [])
        return self.generic_visit(node) if name in ("tl.where", "tl.broadcast_to") else super().visit_Call(node)

    def _reduction(self, node: ast.Call, name: str) -> ast.AST:
        shape = "[MBLOCK, NBLOCK]" if self.by_pixel else "[NBLOCK, MBLOCK]"
        texts = [ast.unparse(self.visit(operand)) for operand in node.args[:-1]]
        for at, operand in enumerate(node.args[:-1]):
            if index_of(operand, self.elements.known) is not None:
                texts[at] = f"tl.broadcast_to({texts[at]}, {shape})"
        if not self.full and ast.unparse(node.args[0]) not in self.neutral:
            texts[0] = f"tl.where({self.known}, {texts[0]}, {REDUCERS[name]})"
        return _parsed(f"{name}({', '.join([*texts, str(int(self.by_pixel))])})")

    def _exists(self, index: Index | None) -> list[str]:
        """Where a block is full, all of its channels exist."""
        return [mask for mask in super()._exists(index) if mask != self.known or not self.full]

    def _stored(self, index: Index | None) -> list[str]:
        """What has no channel is stored once for a pixel."""
        names = {digit.variable for _, digit in index.terms} if index is not None else set()
        return super()._stored(index) if "channel" in names else ["inside"]


def _row_by_row(launch: HostLaunch, outer: Mapping[str, int], row: int) -> list[ast.stmt] | None:
    """A kernel's statements where a block holds whole rows, without those that count the elements of rows, and rows;
    None where it counts others, or does more than load, compute and store what it does not load."""
    function = launch.function
    looped = any(isinstance(node, ast.For | ast.While) for node in ast.walk(function))
    if (looped and row_length(function) != row) or looped != ("R0_BLOCK" in launch.constexprs):
        return None
    wanted = _counting(outer, row)
    found, bound, held = list[ast.stmt](), set[str](), row
    for statement in (part for given in function.body for part in straight(given)):
        match statement:
            case ast.Assign(targets=[ast.Name(name)], value=value) if name in wanted:
                if ast.unparse(value) not in wanted[name]:
                    return None
                bound.add(name)
            case ast.AnnAssign(target=ast.Name("R0_BLOCK"), value=ast.Constant(int() as block)):
                held = block
            case ast.Assign():
                found.append(statement)
            case ast.Expr(value=value) if called(value, "tl.store"):
                found.append(statement)
            case _:
                return None
    loaded = {name for s in found for n in ast.walk(s) if called(n, "tl.load") for name in names_in(n)}
    whole = held == row or (held > row and "r0_mask" in bound)
    return (
        found
        if whole and {*outer, "r0_index"} <= bound and not loaded & written_by(launch.function, launch.parameters)
        else None
    )


def _counting(outer: Mapping[str, int], row: int) -> dict[str, tuple[str, ...]]:
    """What names hold by which a kernel counts rows and the `row` elements of each."""
    lanes = {"xindex": "[:, None]", "r0_index": "[None, :]"}
    if "yindex" in outer:
        lanes = {"yindex": "[:, None, None]", "xindex": "[None, :, None]", "r0_index": "[None, None, :]"}
    places = f"tl.arange(0, R0_BLOCK){lanes['r0_index']}"
    found: dict[str, tuple[str, ...]] = {"r0_base": (places,), "roffset": ("0",), "r0_index": (places, "r0_base")}
    found["r0_mask"] = (f"r0_index < {row}",)
    for number, (name, count) in enumerate(outer.items()):
        axis, block = name[0], f"{name[0].upper()}BLOCK"
        start, own = f"tl.program_id({number}) * {block}", f"tl.arange(0, {block}){lanes[name]}"
        found |= {f"{axis}offset": (start,), name: (f"{axis}offset + {own}", f"{start} + {own}")}
        found[f"{axis}mask"] = (f"{name} < {count}",)
    return found


def _is_by_pixel(elements: TileElements) -> bool:
    """Whether rows are the channels of a pixel."""
    kinds = {name: {digit.variable for _, digit in digits} for name, digits in elements.terms.items()}
    inner = kinds.pop("channel", set())
    return inner == {"r0_index"} and bool(kinds) and not any("r0_index" in kind for kind in kinds.values())


def _bound_once(statements: Sequence[ast.stmt], names: Iterable[str]) -> bool:
    """Whether names have one value each, however often they are bound to it."""
    texts = {ast.unparse(s) for s in statements if set(bound_by(s)) & set(names)}
    bound = [name for text in texts for name in bound_by(ast.parse(text))]
    return len(bound) == len(set(bound))


def _works_by_row(module: KernelModule, statement: ast.stmt, axis: int) -> bool:
    """Whether a statement works element by element, or reduces rows, which lie along this axis."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    parts = [ast.unparse(node) for node in ast.walk(statement) if isinstance(node, ast.Subscript)]
    return all(part.endswith(f"[{':, ' * axis}None]") for part in parts) and all(
        ast.unparse(call.func) in REWRITTEN or _reduces(call, axis) or _is_elementwise(module, call) for call in calls
    )


def _reduces(call: ast.Call, axis: int) -> bool:
    return ast.unparse(call.func) in REDUCERS and not call.keywords and ast.unparse(call.args[-1]) == str(axis)


def _is_elementwise(module: KernelModule, call: ast.Call) -> bool:
    """Whether a call works element by element, as those within it that are other kernels do."""
    name = ast.unparse(call.func)
    if isinstance(call.func, ast.Attribute):
        root = name.partition(".")[0]
        return call.func.attr == "to" or root == "libdevice" or (root == "tl" and call.func.attr in ELEMENTWISE)
    inner = [function_of(kernel) for kernel in module.kernels if kernel.symbol == name]
    calls = [node for function in inner for node in ast.walk(function) if isinstance(node, ast.Call)]
    return name == "float" or (bool(inner) and all(_is_elementwise(module, node) for node in calls))


def _is_placed(elements: TileElements, statement: ast.stmt) -> bool:
    """Whether what a statement loads or stores lies where coordinates say."""
    calls = [n for n in ast.walk(statement) if called(n, "tl.load") or called(n, "tl.store")]
    addresses = [n.args[0] for n in calls if isinstance(n, ast.Call)]
    return all(
        isinstance(a, ast.BinOp)
        and isinstance(a.left, ast.Name)
        and isinstance(a.op, ast.Add)
        and index_of(a.right, elements.known) is not None
        for a in addresses
    )


def _is_masked(statement: ast.stmt) -> bool:
    """Whether a value is another one where there is no channel, which what it is for has to be neutral to."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    masks = conjunction(value.args[0]) if isinstance(value, ast.Call) and called(value, "tl.where") else []
    return "r0_mask" in {ast.unparse(mask) for mask in masks}


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
