"""A loop over rows in two parts: what a tile of a convolution comes to, and how that is joined to whole rows."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kernelwright.ir.kernel.analysis.digits import Digit, Index, size_of
from kernelwright.ir.values import Kernel, Scalar
from kernelwright.midend.analysis.digits import text_of
from kernelwright.midend.analysis.launches import HostLaunch, bound_by, local_names, names_in, read_by
from kernelwright.midend.fusion.tile_elements import OF_BLOCKS, AtElement, Terms, TileElements
from kernelwright.midend.fusion.tiles import PROGRAM, Tile
from kernelwright.midend.rows.row_loops import Accumulator, RowLoop, live

#: Names that are added to the first kernel, and to the second.
ADDED, SLABS = ("tile_count", "tile_mean", "tile_apart"), "slabs"
#: Elements that a program joins in a round, rows that lie side by side in it at most, and programs wanted before those.
ROUND, SIDE, PROGRAMS = 1024, 16, 256


@dataclass(frozen=True)
class PartialRows:
    """A loop with the rows that elements of a tile belong to: its `xindex` and `r0_index` by the tile's coordinates.
    `parameters`: those of its kernel."""

    loop: RowLoop
    elements: TileElements
    parameters: tuple[str, ...]

    @classmethod
    def of(cls, loop: RowLoop, tile: Tile, pointer: str, launch: HostLaunch) -> "PartialRows | None":
        """For a kernel's loop that reads a tile's result by this pointer; None where rows leave out pixels of an image
        or the loop does more than reduce."""
        counts = {"xindex": loop.rows, "r0_index": loop.row}
        elements = TileElements.of((*loop.before, *loop.values), tile, pointer, counts, "image")
        if elements is None or pointer in launch.written or SLABS in local_names(launch.function) or _left_over(loop):
            return None
        kinds = {name: {d.variable for _, d in digits} for name, digits in elements.terms.items()}
        pixels = set().union(*(kinds[name] for name in kinds if name not in ("batch", "channel")))
        if not pixels <= {"r0_index"} or len(kinds.get("batch", ())) > 1:
            return None
        rows = cls(loop, elements, launch.parameters)
        lines = rows.epilogue("0.0", [f"{name}_ptr" for name in rows.sums], {})
        own = OF_BLOCKS | counts.keys() | {pointer}
        return None if names_in(ast.parse("\n".join(lines))) & own else rows

    @property
    def tile(self) -> Tile:
        """The tile."""
        return self.elements.tile

    @property
    def terms(self) -> Mapping[str, Terms]:
        """For each coordinate, the digits of a row and of a place in it that it is made of."""
        return self.elements.terms

    @property
    def sums(self) -> tuple[str, ...]:
        """The accumulators, of each of which tiles have a part."""
        return tuple(name for accumulator in self.loop.accumulators for name in accumulator.names)

    @property
    def helpers(self) -> frozenset[str]:
        """Functions beside those of the kernel that the two kernels call."""
        return frozenset("welford_combine" for accumulator in self.loop.accumulators if accumulator.by == "welford")

    @property
    def needed(self) -> list[ast.stmt]:
        """The statements that make what is reduced, but for integers."""
        wanted = [accumulator.value for accumulator in self.loop.accumulators]
        found = live((*self.loop.before, *self.loop.values), wanted)
        integers = self.elements.known.keys() | OF_BLOCKS
        return [statement for statement in found if not set(bound_by(statement)) & integers]

    @property
    def operands(self) -> tuple[str, ...]:
        """The parameters that the epilogue has to have."""
        used = set().union(*map(names_in, self.needed)) - {self.elements.pointer}
        return tuple(name for name in self.parameters if name in used)

    @property
    def images(self) -> int:
        """Images that a row runs over."""
        return self.tile.images if any(d.variable == "r0_index" for _, d in self.terms.get("batch", ())) else 1

    @property
    def reads_again(self) -> bool:
        """Whether the kernel reads the result after the loop, too."""
        return any(self.elements.pointer in names_in(statement) for statement in self.loop.after)

    def epilogue(self, value: str, pointers: Sequence[str], renamed: Mapping[str, str]) -> list[str]:
        """What the first kernel does with a tile, of which `value` is the text, to store what that comes to."""
        substitute = AtElement(self.elements, value, renamed)
        lines, given = substitute.lines(self.needed), iter(pointers)
        for accumulator in self.loop.accumulators:
            lines += self._parts(accumulator, substitute, [next(given) for _ in accumulator.names], renamed)
        return lines

    def _parts(
        self, accumulator: Accumulator, substitute: AtElement, pointers: Sequence[str], renamed: Mapping[str, str]
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
            reads = read_by(statement)
        free |= reads - bound
        bound |= set(bound_by(statement))
    return free
