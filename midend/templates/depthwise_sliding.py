"""The text of a depthwise convolution whose programs slide down the rows, for tensors whose channels lie last.

A lane has a channel, and some neighbouring outputs along x of each row in a chunk of rows. It loads all weights of its
channel before a loop over the rows of x. The loop loads the pixels of a row, adds them to the sums of every output row
that the row meets, stores the output row that is complete, and moves the others up. So the text has a row's products
alone, however many rows there are, and takes Triton little time to compile.
"""

from collections.abc import Iterator
from itertools import product

from kernelwright.ir.values import Scalar
from kernelwright.midend.templates.convolution import Convolution, Template
from kernelwright.midend.templates.depthwise import WARP, tap_name, taps_of
from kernelwright.midend.templates.depthwise_last import (
    PIXEL,
    WEIGHT,
    LastWriter,
    channels_each,
    lies_last,
    sum_name,
)
from kernelwright.midend.templates.writing import masked, together, total

#: Outputs along x that are chosen, at most.
MOST_COLUMNS = 8
#: Sums and weights of a lane, at most, which stay in registers.
MOST_KEPT = 100
#: What schedules warps on a large GPU, and how many warps of so many registers each of these has room for, at least.
#: So many warps hide how long loads take.
SCHEDULERS, ROOM, ENOUGH = 528, 4, 3


def sliding_template(convolution: Convolution, rows: int, columns: int) -> Template | None:
    """The kernel of a convolution along two axes; None where its rows are strided, dilated or padded by more rows than
    meet an output, and where lanes cannot lie along channels. `rows`, `columns`: outputs of a lane along y and x (0:
    chosen)."""
    c = convolution
    plain = len(c.kernel_size) == 2 and c.stride[0] == c.dilation[0] == 1 and c.padding[0] < c.kernel_size[0]
    if not plain or not lies_last(c):
        return None
    writer = min((_Sliding(c, *sizes) for sizes in _sizes(c, rows, columns)), key=lambda writer: writer.time)
    strips, blocks = f"triton.cdiv({writer.lanes}, META['PBLOCK'])", f"triton.cdiv({c.out.shape[1]}, META['CBLOCK'])"
    return Template("depthwise_conv2d", writer.write(), writer.meta(), f"{strips} * {writer.chunks} * {blocks},")


def _sizes(convolution: Convolution, rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Rows and columns that a lane may have: those that are given, or fewer where these are too many."""
    height, width = convolution.out.shape[2:]
    room = MOST_KEPT // channels_each(convolution) - taps_of(convolution)
    most = min(width, max(room // convolution.kernel_size[0], 1))
    high = [min(rows, height)] if rows else {-(-height // chunks): chunks for chunks in range(1, height + 1)}
    wide = [min(columns, most)] if columns else range(1, min(MOST_COLUMNS, most) + 1)
    return product(high, wide)


class _Sliding(LastWriter):
    """Writes the kernel: a program has PBLOCK strips of CBLOCK channels, and a chunk of rows of each."""

    def __init__(self, convolution: Convolution, rows: int, columns: int) -> None:
        super().__init__(convolution, rows, columns)
        self.chunks = self.counts["y"]
        self.lanes //= self.chunks
        self.rows, self.columns = self.each["y"], self.each["x"]
        #: Where the first output row lies that a row of x meets, counted from that row.
        self.up = self.padding["y"] - self.c.kernel_size[0] + 1

    @property
    def time(self) -> int:
        """How long the kernel takes, in multiplications of a warp, where nothing waits for memory."""
        taps, (block, each) = taps_of(self.c), self.block
        firsts = range(0, self.outputs["y"], self.rows)[:2]  # those after the second read no more rows than it does
        rows = max(min(one + self.rows - self.up, self.inputs["y"]) - max(one - self.padding["y"], 0) for one in firsts)
        of_warp = rows * (self.columns * taps + PIXEL * len(self.reads("x"))) + WEIGHT * taps
        warps = -(-self.lanes * block // (WARP * each)) * self.chunks * -(-self.c.out.shape[1] // block)
        full, rest = divmod(warps, ROOM * SCHEDULERS)
        return each * of_warp * (full * ROOM + (max(-(-rest // SCHEDULERS), ENOUGH) if rest else 0))

    def meta(self) -> tuple[tuple[str, Scalar], ...]:
        """Launch options to begin with: programs of one warp, which take turns best."""
        block, each = self.block
        return (("PBLOCK", WARP * each // block), ("CBLOCK", block), ("num_warps", 1))

    def write(self) -> str:
        """The kernel's text, its name KERNEL."""
        parts = (self._position(), self.weights(), self._sums(), self._loop(), self._rest())
        return self.text("PBLOCK: tl.constexpr, CBLOCK: tl.constexpr", *parts)

    def _position(self) -> Iterator[str]:
        """Which channels, rows and strips a program has, and where the first pixels lie in a row."""
        yield from self.channels()
        strips = "tl.program_id(0) // blocks"
        if self.chunks > 1:
            yield f"chunk = {strips} % {self.chunks}"
            strips = f"{strips} // {self.chunks}"
        yield from self.lane(strips)
        yield self.place("x", f"lane % {self.counts['x']}")
        yield f"batch = lane // {self.counts['x']}"
        yield f"ix = {total((self.stride['x'], 'ox'), (-self.padding['x'], ''))}"
        x, out = self.c.x, self.c.out
        yield f"x_at = x_ptr + ({total((x.strides[0], 'batch'), (1, self.source), (x.strides[3], 'ix'))})"
        yield f"out_at = out_ptr + ({total((out.strides[0], 'batch'), (1, 'channel'), (out.strides[3], 'ox'))})"
        yield from self._rows()

    def _rows(self) -> Iterator[str]:
        """The output rows `first` to `last` of a chunk, and the rows `begin` to `end` of x that they read."""
        high, inputs = self.outputs["y"], self.inputs["y"]
        if self.chunks == 1:
            yield f"first, last, begin, end = 0, {high}, 0, {min(inputs, high - self.up)}"
            return
        yield f"first = chunk * {self.rows}"
        yield f"last = tl.minimum(first + {self.rows}, {high})"
        yield f"begin = tl.maximum(first - {self.padding['y']}, 0)"
        yield f"end = tl.minimum({total((1, 'last'), (-self.up, ''))}, {inputs})"

    def _sums(self) -> Iterator[str]:
        yield from self.first_sums(self._places())
        for offset in self.reads("x"):
            yield f"x_{offset} = {together('inside', self.check('x', offset))}"
        for column in range(self.columns):
            ragged = column and self.outputs["x"] % self.columns
            end = f"(ox + {column} < {self.outputs['x']})" if ragged else ""
            yield f"out_{column} = {together('inside', end)}"

    def _places(self) -> Iterator[tuple[int, int]]:
        """The sums of a lane: for each output row that a row of x meets, and each column."""
        yield from product(range(self.c.kernel_size[0]), range(self.columns))

    def _loop(self) -> Iterator[str]:
        """One load for every pixel, used by each sum that wants it."""
        yield "for row in range(begin, end):"
        yield f"    x_row = x_at + {total((self.x_step['y'], 'row'))}"
        for along, users in self.reads("x").items():
            at = total((1, "x_row"), (along * self.x_step["x"], ""))
            yield f"    value = {masked(at, f'x_{along}')}{self.cast}"
            for down, (column, tap) in product(reversed(self.taps["y"]), users):
                name = sum_name(self.c.kernel_size[0] - 1 - down, column)
                yield f"    {name} += value * {tap_name((down, tap))}"
        yield from self._moves()

    def _rest(self) -> Iterator[str]:
        """The rows that are complete because x has no more rows."""
        yield f"for row in range(end, {total((1, 'last'), (-self.up, ''))}):"
        yield from self._moves()

    def _moves(self) -> Iterator[str]:
        """Store the row that is complete, and have the others take the sums of the row before them."""
        yield f"    oy = {total((1, 'row'), (self.up, ''))}"
        for column in range(self.columns):
            at = total((1, "out_at"), (self.out_step["y"], "oy"), (column * self.out_step["x"], ""))
            mask = together(f"out_{column}", "(oy >= first)")
            yield f"    tl.store({at}, {sum_name(0, column)}, {mask})"
        for row, column in self._places():
            following = row + 1 < self.c.kernel_size[0]
            yield f"    {sum_name(row, column)} = {sum_name(row + 1, column) if following else 'nothing'}"
