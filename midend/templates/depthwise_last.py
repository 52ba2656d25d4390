"""The text of a depthwise convolution of tensors whose channels lie last: neighbouring lanes have neighbouring ones.

A lane computes a tile of `rows` by `columns` neighbouring outputs of its channel, so that a pixel is loaded once for
all taps that meet it there, and the weights once for all outputs. Weights lie, as a rule, channel after channel, which
lanes along channels read from far apart: so a program loads a line of taps as a tile of channels by taps, as it lies,
and splits this in halves until a tap of each channel is left. Triton exchanges the tile's numbers between lanes once.
"""

from collections.abc import Iterator
from itertools import product
from math import prod

from kernelwright.ir.values import Scalar
from kernelwright.midend.templates.convolution import Convolution, Template
from kernelwright.midend.templates.depthwise import MOST_LANES, MOST_TAPS, WARP, Writer, tap_name, taps_of
from kernelwright.midend.templates.writing import masked, together, total

#: Outputs of a lane and its products, at most. How long Triton takes to compile a kernel grows as the square of its
#: products.
MOST_OUTPUTS, MOST_PRODUCTS = 8, 400
#: What it costs to load a pixel and to have a weight, in multiplications.
PIXEL, WEIGHT = 4, 4
#: Taps up to which a lane has two channels, so that it loads four bytes of 16-bit numbers at once.
FEW_TAPS = 16
#: Where there would be fewer programs, a program has fewer lanes.
ENOUGH_PROGRAMS = 1024


def lies_last(convolution: Convolution) -> bool:
    """Whether lanes can lie along channels: every input channel is a group of its own, and several channels of x and of
    the result lie next to each other."""
    c = convolution
    few = not c.transposed and c.group_inputs == 1 and taps_of(c) <= MOST_TAPS
    return few and c.x.strides[1] == c.out.strides[1] == 1 and c.x.shape[1] > 1


def channels_each(convolution: Convolution) -> int:
    """How many channels a lane has."""
    return 2 if taps_of(convolution) <= FEW_TAPS and convolution.out.shape[1] >= 2 * WARP else 1


def depthwise_last_template(convolution: Convolution, rows: int, columns: int) -> Template | None:
    """The kernel; None where lanes cannot lie along channels. `rows`, `columns`: outputs of a lane along y and x (0:
    chosen by the kernel's size)."""
    c = convolution
    if not lies_last(c):
        return None
    writer = min((_Tiles(c, *sizes) for sizes in _sizes(c, rows, columns)), key=lambda writer: writer.work)
    grid = f"triton.cdiv({writer.lanes}, META['PBLOCK']) * triton.cdiv({c.out.shape[1]}, META['CBLOCK']),"
    return Template(f"depthwise_conv{len(c.kernel_size)}d", writer.write(), writer.meta(), grid)


def _sizes(convolution: Convolution, rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Rows and columns that a lane's tile may have: those that are given, or fewer where these are too many."""
    most = max(min(MOST_OUTPUTS, MOST_PRODUCTS // taps_of(convolution)), 1)
    *_, height, width = (1, *convolution.out.shape[2:])
    columns = min(columns, width, most)
    rows = min(rows, height, most // max(columns, 1))
    high, wide = ([given] if given else range(1, most + 1) for given in (rows, columns))
    yield from ((row, column) for row, column in product(high, wide) if row <= height and row * column <= most)


class LastWriter(Writer):
    """What kernels have in common whose programs have CBLOCK channels, and PBLOCK lanes of each."""

    def __init__(self, convolution: Convolution, rows: int, columns: int) -> None:
        super().__init__(convolution, {"y": rows, "x": columns})
        self.lanes *= convolution.out.shape[0]
        group = convolution.group_outputs
        #: The channel of x.
        self.source = "channel" if group == 1 else f"channel // {group}"

    @property
    def block(self) -> tuple[int, int]:
        """Neighbouring channels of a warp, as far as there are such, and those of a lane."""
        each = channels_each(self.c)
        return min(1 << (self.c.out.shape[1] - 1).bit_length(), each * WARP), each

    def channels(self) -> Iterator[str]:
        """Which channels a program has."""
        channels = self.c.out.shape[1]
        yield f"blocks: tl.constexpr = ({channels} + CBLOCK - 1) // CBLOCK"
        yield "channels = tl.program_id(0) % blocks * CBLOCK + tl.arange(0, CBLOCK)"
        yield f"known = channels < {channels}"
        yield "channel = channels[None, :]"

    def lane(self, program: str) -> Iterator[str]:
        """Which lanes a program has; `program`: its number among those of the same channels."""
        yield f"lane = {program} * PBLOCK + tl.arange(0, PBLOCK)[:, None]"
        yield f"inside = (lane < {self.lanes}) & known[None, :]"

    def weights(self) -> Iterator[str]:
        """A line of taps at a time; where channels lie last, a tap at a time."""
        strides, taps = self.c.weight.strides, self.c.kernel_size[-1]
        width = 1 << (taps - 1).bit_length()
        in_tiles = width > 1 and strides[0] != 1
        first = total((strides[0], "channels"))
        yield f"weight_at = weight_ptr + {f'({first})[:, None]' if in_tiles else first}"
        if in_tiles:
            yield f"tap = tl.arange(0, {width})[None, :]"
            yield "stored = known[:, None]" + (f" & (tap < {taps})" if taps < width else "")
        for index, line in enumerate(product(*(self.taps[axis] for axis in self.axes[:-1]))):
            offset = sum(at * stride for at, stride in zip(line, strides[2:], strict=False))
            if in_tiles:
                at = total((offset, ""), (strides[-1], "tap"))
                yield f"line_{index} = {masked(f'weight_at + {at}', 'stored')}"
                yield from self._split(f"line_{index}", line, width, 0, 1)
            else:
                for tap in range(taps):
                    load = masked(f"weight_at + {offset + tap * strides[-1]}", "known")
                    yield f"{tap_name((*line, tap))} = {load}{self.cast}[None, :]"

    def _split(self, name: str, line: tuple[int, ...], width: int, first: int, step: int) -> Iterator[str]:
        """The taps `first`, `first + step`, … from the tile that has so many of them."""
        taps = self.c.kernel_size[-1]
        if first >= taps:
            return
        if width == 1:
            yield f"{tap_name((*line, first))} = {name}{self.cast}[None, :]"
            return
        halves = [f"{name}_{part}" for part in (0, 1)]
        tile = f"tl.reshape({name}, [CBLOCK, {width // 2}, 2])" if width > 2 else name
        yield f"{halves[0]}, {halves[1]} = tl.split({tile})"
        for half, start in zip(halves, (first, first + step), strict=True):
            yield from self._split(half, line, width // 2, start, 2 * step)

    def first_sums(self, places: Iterator[tuple[int, int]]) -> Iterator[str]:
        """The sums at such rows and columns before anything is added: the bias as far as there is one."""
        if self.c.bias:
            at = f"bias_ptr + {total((self.c.bias.strides[0], 'channels'))}"
            yield f"bias = {masked(at, 'known')}{self.cast}[None, :]"
        yield "nothing = tl.zeros([PBLOCK, CBLOCK], tl.float32)" + (" + bias" if self.c.bias else "")
        for place in places:
            yield f"{sum_name(*place)} = nothing"


def sum_name(row: int, column: int) -> str:
    """What holds the sum of an output of a lane."""
    return f"acc_{row}_{column}"


class _Tiles(LastWriter):
    """Writes the kernel: a lane has a tile of `rows` by `columns` outputs."""

    @property
    def work(self) -> int:
        """What all lanes have to do, by which sizes of a tile are compared."""
        pixels = len(self.taps.get("z", "z")) * len(self.reads("y")) * len(self.reads("x"))
        taps = taps_of(self.c)
        return self.lanes * (prod(self.each.values()) * taps + PIXEL * pixels + WEIGHT * taps)

    def meta(self) -> tuple[tuple[str, Scalar], ...]:
        """Launch options to begin with: programs have fewer warps where there are few."""
        block, each = self.block
        lanes, all_lanes = MOST_LANES, self.lanes * -(-self.c.out.shape[1] // block) * block // each
        while lanes > WARP and all_lanes < ENOUGH_PROGRAMS * lanes:
            lanes //= 2
        return (("PBLOCK", lanes * each // block), ("CBLOCK", block), ("num_warps", lanes // WARP))

    def write(self) -> str:
        """The kernel's text, its name KERNEL."""
        parts = (self._position(), self.weights(), self._sums(), self._stores())
        return self.text("PBLOCK: tl.constexpr, CBLOCK: tl.constexpr", *parts)

    def _position(self) -> Iterator[str]:
        """Which channels and tiles a program has, and where the first pixels lie that they read. Tiles that follow one
        another lie below one another, and share rows."""
        yield from self.channels()
        yield from self.lane("tl.program_id(0) // blocks")
        rest = "lane"
        for axis in [axis for axis in "yxz" if axis in self.axes]:
            yield self.place(axis, f"{rest} % {self.counts[axis]}")
            rest = f"{rest} // {self.counts[axis]}"
        yield f"batch = {rest}"
        yield from self.first_pixels(self.source)

    def _sums(self) -> Iterator[str]:
        """One load for every pixel that a lane reads, used by each output of the lane that wants it."""
        yield from self.first_sums(self._places())
        columns = self.reads("x")
        checks = {offset: check for offset in columns if (check := self.check("x", offset))}
        for offset, check in checks.items():
            yield f"x_{offset} = {check}"
        for depth, (offset, rows) in product(self.taps.get("z", range(1)), self.reads("y").items()):
            deep = depth * self.dilation.get("z", 0)
            mask = together("inside", self.check("z", deep), self.check("y", offset))
            if mask != "inside":
                yield f"row = {mask}"
            line = deep * self.x_step.get("z", 0) + offset * self.x_step.get("y", 0)
            for along, users in columns.items():
                here = together("inside" if mask == "inside" else "row", f"x_{along}" if along in checks else "")
                at = f"x_at + {line + along * self.x_step['x']}"
                yield f"value = {masked(at, here)}{self.cast}"
                for (row, down), (column, tap) in product(rows, users):
                    met = [depth] * ("z" in self.axes) + [down] * ("y" in self.axes) + [tap]
                    yield f"{sum_name(row, column)} += value * {tap_name(tuple(met))}"

    def _places(self) -> Iterator[tuple[int, int]]:
        """The outputs of a lane, by row and column."""
        yield from product(range(self.each.get("y", 1)), range(self.each["x"]))

    def _stores(self) -> Iterator[str]:
        yield f"out_at = out_ptr + ({self.out_at()})"
        ragged = {axis: self.outputs[axis] % self.each[axis] for axis in self.axes}
        for place in self._places():
            moved = dict(zip("yx", place, strict=True))
            ends = [
                f"(o{axis} + {moved[axis]} < {self.outputs[axis]})"
                for axis in self.axes[-2:]
                if ragged[axis] and moved[axis]
            ]
            at = sum(moved[axis] * self.out_step[axis] for axis in self.axes[-2:])
            yield f"tl.store(out_at + {at}, {sum_name(*place)}, {together('inside', *ends)})"
