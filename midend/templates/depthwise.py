"""The text of a depthwise convolution: one program computes pixels of one output channel."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import prod

from kernelwright.ir.values import Scalar
from kernelwright.midend.templates.convolution import Convolution, Template
from kernelwright.midend.templates.writing import masked, together, total

#: Taps, and taps times rows of a lane, that are written out.
MOST_TAPS, MOST_PRODUCTS = 64, 512
#: Rows that one lane computes where neighbouring rows read the same pixels.
ROWS = 4
#: Lanes of a program, at least and at most, and of a warp.
LEAST_LANES, MOST_LANES, WARP = 32, 256, 32


def depthwise_template(convolution: Convolution, rows: int) -> Template | None:
    """The kernel for a convolution in which every input channel is a group of its own; None for any other.

    `rows`: output rows that a lane computes (0: chosen by the kernel's size).
    """
    taps = taps_of(convolution)
    fits = not convolution.transposed and convolution.group_inputs == 1 and taps <= MOST_TAPS
    if not fits:
        return None
    writer = _Planes(convolution, min(rows or _good_rows(convolution), max(MOST_PRODUCTS // taps, 1)))
    block = min(max(1 << (writer.lanes - 1).bit_length(), LEAST_LANES), MOST_LANES)
    meta: tuple[tuple[str, Scalar], ...] = (("XBLOCK", block), ("num_warps", max(block // (2 * WARP), 1)))
    stem = f"depthwise_conv{len(convolution.kernel_size)}d"
    return Template(stem, writer.write(), meta, f"{writer.planes} * triton.cdiv({writer.lanes}, META['XBLOCK']),")


def _good_rows(convolution: Convolution) -> int:
    """More than one where rows share what they read, which needs a second axis."""
    if len(convolution.kernel_size) == 1:
        return 1
    reach = (convolution.kernel_size[-2] - 1) * convolution.dilation[-2]
    return min(ROWS, convolution.out.shape[-2]) if reach >= convolution.stride[-2] else 1


def taps_of(convolution: Convolution) -> int:
    """How many taps a channel has."""
    return prod(convolution.kernel_size)


class Writer:
    """What kernels of depthwise convolutions have in common. Spatial axes are z, y and x as far as there are such; a
    lane has `each` neighbouring outputs along an axis, one along those that are not named."""

    def __init__(self, convolution: Convolution, each: Mapping[str, int]) -> None:
        self.c = convolution
        self.axes = "zyx"[-len(convolution.kernel_size) :]
        self.cast = "" if convolution.x.dtype == "f32" else ".to(tl.float32)"
        self.each = {axis: each.get(axis, 1) for axis in self.axes}
        self.outputs = dict(zip(self.axes, convolution.out.shape[2:], strict=True))
        #: Lanes along each axis, and for a channel of an image.
        self.counts = {axis: -(-size // self.each[axis]) for axis, size in self.outputs.items()}
        self.lanes = prod(self.counts.values())
        self.inputs = dict(zip(self.axes, convolution.x.shape[2:], strict=True))
        self.x_step = dict(zip(self.axes, convolution.x.strides[2:], strict=True))
        self.out_step = dict(zip(self.axes, convolution.out.strides[2:], strict=True))
        self.stride = dict(zip(self.axes, convolution.stride, strict=True))
        self.padding = dict(zip(self.axes, convolution.padding, strict=True))
        self.dilation = dict(zip(self.axes, convolution.dilation, strict=True))
        self.taps = dict(zip(self.axes, map(range, convolution.kernel_size), strict=True))

    def text(self, blocks: str, *parts: Iterable[str]) -> str:
        """A kernel's text, its name KERNEL, with these blocks as its last parameters."""
        bias = "bias_ptr, " if self.c.bias else ""
        head = ["@triton.jit", f"def KERNEL(x_ptr, weight_ptr, {bias}out_ptr, {blocks}):"]
        return "\n".join([*head, *(f"    {line}" for part in parts for line in part)])

    def place(self, axis: str, lane: str) -> str:
        """The first output along an axis of the lane that is so far along it."""
        each = self.each[axis]
        return f"o{axis} = {lane}" + (f" * {each}" if each > 1 else "")

    def first_pixels(self, source: str) -> Iterator[str]:
        """Where the first pixel lies that a lane's first output meets; `source`: its channel of x."""
        for axis in self.axes:
            yield f"i{axis} = {total((self.stride[axis], f'o{axis}'), (-self.padding[axis], ''))}"
        spatial = [(self.x_step[axis], f"i{axis}") for axis in self.axes]
        yield f"x_at = x_ptr + ({total((self.c.x.strides[0], 'batch'), (self.c.x.strides[1], source), *spatial)})"

    def out_at(self) -> str:
        """Where a lane's first output lies."""
        spatial = [(self.out_step[axis], f"o{axis}") for axis in self.axes]
        return total((self.c.out.strides[0], "batch"), (self.c.out.strides[1], "channel"), *spatial)

    def reads(self, axis: str) -> dict[int, list[tuple[int, int]]]:
        """Pixels along an axis, counted from a lane's first, with the (output, tap) pairs that read them."""
        if axis not in self.axes:
            return {0: [(0, 0)]}
        reads: dict[int, list[tuple[int, int]]] = {}
        for output, tap in product(range(self.each[axis]), self.taps[axis]):
            reads.setdefault(output * self.stride[axis] + tap * self.dilation[axis], []).append((output, tap))
        return dict(sorted(reads.items()))

    def check(self, axis: str, offset: int) -> str:
        """The condition under which a pixel at an offset from a lane's first exists; "" where it always does."""
        if axis not in self.axes:
            return ""
        least = offset - self.padding[axis]
        most = least + (self.counts[axis] - 1) * self.each[axis] * self.stride[axis]
        at = total((1, f"i{axis}"), (offset, ""))
        below = f"({at} >= 0)" if least < 0 else ""
        beyond = f"({at} < {self.inputs[axis]})" if most >= self.inputs[axis] else ""
        return together(below, beyond)


class _Planes(Writer):
    """Writes the kernel: a program has lanes of one plane, which are `rows` outputs along y each."""

    def __init__(self, convolution: Convolution, rows: int) -> None:
        super().__init__(convolution, {"y": rows})
        self.rows = self.each.get("y", 1)
        self.planes = convolution.out.shape[0] * convolution.out.shape[1]

    def write(self) -> str:
        """The kernel's text, its name KERNEL."""
        return self.text("XBLOCK: tl.constexpr", self._position(), self._weights(), self._sums(), self._stores())

    def _position(self) -> Iterator[str]:
        """Which plane and pixels a program has, and where they begin in memory."""
        channels = self.c.out.shape[1]
        yield f"tiles: tl.constexpr = ({self.lanes} + XBLOCK - 1) // XBLOCK"
        yield "plane = tl.program_id(0) // tiles"
        yield "lane = tl.program_id(0) % tiles * XBLOCK + tl.arange(0, XBLOCK)"
        yield f"inside = lane < {self.lanes}"
        yield f"channel = plane % {channels}"
        yield f"batch = plane // {channels}"
        rest = "lane"
        for axis in reversed(self.axes):
            count = self.counts[axis]
            outer = axis == self.axes[0]
            yield self.place(axis, rest if outer else f"{rest} % {count}")
            rest = f"{rest} // {count}"
        group = self.c.group_outputs
        source = "channel" if group == 1 else "group"
        if group > 1:
            yield f"group = channel // {group}"
        yield from self.first_pixels(source)

    def _weights(self) -> Iterator[str]:
        strides = self.c.weight.strides
        yield f"weight_at = weight_ptr + {total((strides[0], 'channel'))}"
        for tap in product(*self.taps.values()):
            offset = sum(at * stride for at, stride in zip(tap, strides[2:], strict=True))
            yield f"{tap_name(tap)} = tl.load(weight_at + {offset}){self.cast}"

    def _sums(self) -> Iterator[str]:
        """One load for every pixel that a lane reads, used by each output of the lane that wants it."""
        first = f"tl.load(bias_ptr + {total((self.c.bias.strides[0], 'channel'))}){self.cast}" if self.c.bias else ""
        if first:
            yield f"bias = {first}"
        for row in range(self.rows):
            yield f"acc_{row} = tl.zeros([XBLOCK], tl.float32)" + (" + bias" if first else "")
        for at in self.taps["x"]:
            check = self.check("x", at * self.dilation["x"])
            if check:
                yield f"x_{at} = {check}"
        for depth, (offset, users) in product(self.taps.get("z", range(1)), self.reads("y").items()):
            yield from self._row(depth, offset, users)

    def _row(self, depth: int, offset: int, users: list[tuple[int, int]]) -> Iterator[str]:
        deep = depth * self.dilation.get("z", 0)
        mask = together("inside", self.check("z", deep), self.check("y", offset))
        if mask != "inside":
            yield f"row = {mask}"
        at_row = deep * self.x_step.get("z", 0) + offset * self.x_step.get("y", 0)
        for tap in self.taps["x"]:
            step = tap * self.dilation["x"]
            here = together("inside" if mask == "inside" else "row", f"x_{tap}" if self.check("x", step) else "")
            pointer = f"x_at + {at_row + step * self.x_step['x']}"
            yield f"value = {masked(pointer, here)}{self.cast}"
            for row, vertical_tap in users:
                at = [depth] * ("z" in self.axes) + [vertical_tap] * ("y" in self.axes) + [tap]
                yield f"acc_{row} += value * {tap_name(tuple(at))}"

    def _stores(self) -> Iterator[str]:
        yield f"out_at = {self.out_at()}"
        for row in range(self.rows):
            ragged = "y" in self.axes and self.outputs["y"] % self.rows and row
            mask = together("inside", f"(oy + {row} < {self.outputs['y']})" if ragged else "")
            at = total((1, "out_at"), (row * self.out_step.get("y", 0), ""))
            at_text = f"({at})" if row else at
            yield f"tl.store(out_ptr + {at_text}, acc_{row}, {mask})"


def tap_name(tap: tuple[int, ...]) -> str:
    """What holds a weight."""
    return "w_" + "_".join(map(str, tap))
