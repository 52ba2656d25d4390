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

#: Rows and columns of a lane's tile that are chosen, at most.
MOST_CHOSEN = 8
#: Outputs of a lane and its products, at most, where the sizes of a tile are chosen and where one is given. How long
#: Triton takes to compile a kernel grows as the square of its products.
CHOSEN, GIVEN = (8, 400), (16, 800)
#: What it costs to load a pixel and to have a weight, in multiplications.
PIXEL, WEIGHT = 4, 4
#: Taps up to which a lane has two channels, so that it loads four bytes of 16-bit numbers at once.
FEW_TAPS = 16
#: Where there would be fewer programs, a program has fewer lanes.
ENOUGH_PROGRAMS = 1024


def depthwise_last_template(convolution: Convolution, rows: int, columns: int) -> Template | None:
    """The kernel; None where not every input channel is a group of its own, and where channels of x or of the result do
    not lie last. `rows`, `columns`: outputs of a lane along y and x (0: chosen by the kernel's size)."""
    c, taps = convolution, taps_of(convolution)
    lies_last = c.x.strides[1] == c.out.strides[1] == 1 and c.x.shape[1] > 1
    if c.transposed or c.group_inputs != 1 or taps > MOST_TAPS or not lies_last:
        return None
    writer = min((_Writer(c, *sizes) for sizes in _sizes(c, rows, columns)), key=lambda writer: writer.work)
    grid = f"triton.cdiv({writer.lanes}, META['PBLOCK']) * triton.cdiv({c.out.shape[1]}, META['CBLOCK']),"
    return Template(f"depthwise_conv{len(c.kernel_size)}d", writer.write(), writer.meta(), grid)


def _sizes(convolution: Convolution, rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Rows and columns that a lane's tile may have: those that are given, or fewer where these are too many."""
    outputs, products = GIVEN if rows or columns else CHOSEN
    most = max(min(outputs, products // taps_of(convolution)), 1)
    *_, height, width = (1, *convolution.out.shape[2:])
    columns = min(columns, width, most)
    rows = min(rows, height, most // max(columns, 1))
    high, wide = ([given] if given else range(1, MOST_CHOSEN + 1) for given in (rows, columns))
    yield from ((row, column) for row, column in product(high, wide) if row <= height and row * column <= most)


class _Writer(Writer):
    """Writes the kernel: a program has PBLOCK tiles of outputs by CBLOCK channels."""

    def __init__(self, convolution: Convolution, rows: int, columns: int) -> None:
        super().__init__(convolution, {"y": rows, "x": columns})
        self.lanes *= convolution.out.shape[0]

    @property
    def work(self) -> int:
        """What all lanes have to do, by which sizes of a tile are compared."""
        pixels = len(self.taps.get("z", "z")) * len(self.reads("y")) * len(self.reads("x"))
        taps = taps_of(self.c)
        return self.lanes * (prod(self.each.values()) * taps + PIXEL * pixels + WEIGHT * taps)

    def meta(self) -> tuple[tuple[str, Scalar], ...]:
        """Launch options to begin with: a warp has neighbouring channels as far as there are such."""
        channels = self.c.out.shape[1]
        each = 2 if taps_of(self.c) <= FEW_TAPS and channels >= 2 * WARP else 1
        block = min(1 << (channels - 1).bit_length(), each * WARP)
        lanes, all_lanes = MOST_LANES, self.lanes * -(-channels // block) * block // each
        while lanes > WARP and all_lanes < ENOUGH_PROGRAMS * lanes:
            lanes //= 2
        return (("PBLOCK", lanes * each // block), ("CBLOCK", block), ("num_warps", lanes // WARP))

    def write(self) -> str:
        """The kernel's text, its name KERNEL."""
        parts = (self._position(), self._weights(), self._sums(), self._stores())
        return self.text("PBLOCK: tl.constexpr, CBLOCK: tl.constexpr", *parts)

    def _position(self) -> Iterator[str]:
        """Which channels and tiles a program has, and where the first pixels lie that they read. Tiles that follow one
        another lie below one another, and share rows."""
        channels = self.c.out.shape[1]
        yield f"blocks: tl.constexpr = ({channels} + CBLOCK - 1) // CBLOCK"
        yield "lane = tl.program_id(0) // blocks * PBLOCK + tl.arange(0, PBLOCK)[:, None]"
        yield "channels = tl.program_id(0) % blocks * CBLOCK + tl.arange(0, CBLOCK)"
        yield f"known = channels < {channels}"
        yield "channel = channels[None, :]"
        yield f"inside = (lane < {self.lanes}) & known[None, :]"
        rest = "lane"
        for axis in [axis for axis in "yxz" if axis in self.axes]:
            yield self.place(axis, f"{rest} % {self.counts[axis]}")
            rest = f"{rest} // {self.counts[axis]}"
        yield f"batch = {rest}"
        source = "channel" if self.c.group_outputs == 1 else f"channel // {self.c.group_outputs}"
        yield from self.first_pixels(source)

    def _weights(self) -> Iterator[str]:
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

    def _sums(self) -> Iterator[str]:
        """One load for every pixel that a lane reads, used by each output of the lane that wants it."""
        if self.c.bias:
            at = f"bias_ptr + {total((self.c.bias.strides[0], 'channels'))}"
            yield f"bias = {masked(at, 'known')}{self.cast}[None, :]"
        for place in self._places():
            yield f"{_sum(*place)} = tl.zeros([PBLOCK, CBLOCK], tl.float32)" + (" + bias" if self.c.bias else "")
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
                    yield f"{_sum(row, column)} += value * {tap_name(tuple(met))}"

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
            yield f"tl.store(out_at + {at}, {_sum(*place)}, {together('inside', *ends)})"


def _sum(row: int, column: int) -> str:
    return f"acc_{row}_{column}"
