"""The text of a convolution that gathers: one program computes a tile of output channels by output pixels.

A convolution and a transposed one differ in the pixels of x that a tap meets. Along one axis, with stride s, padding p
and dilation d, output o and tap k meet pixel `s * o - p + d * k` of a convolution. A transposed convolution has the
pixel `(o + p - d * k) / s`, where that is whole: outputs with the same remainder `r = o % s` share their taps, every
(s / gcd(s, d))th from a first one on. A program computes outputs of one remainder along each axis, its phase, so that
no product is computed in vain.
"""

from collections.abc import Iterator
from math import gcd, prod

from kernelwright.ir.values import Scalar, contiguous_strides
from kernelwright.midend.templates.convolution import Convolution, Template
from kernelwright.midend.templates.writing import masked, together, total

#: Channels of a group, in and out, from which products of tiles pay; below, channels are added one by one.
LEAST_CHANNELS = 16
#: Taps along the last axis, and channels, that are written out where channels are added one by one.
MOST_UNROLLED = 8
#: Pixels that programs should not have fewer of, and channels that they should not have more of, at first.
PIXELS, CHANNELS = 128, 64
#: Sums of a thread where channels are added one by one: with twice as many, registers run out.
SUMS = 32


FORMS = ("auto", "dot", "direct")


def gathered_template(convolution: Convolution, form: str, precision: str, pack: bool = True) -> Template:
    """The kernel for any convolution that is sound. `form`: dot, direct or auto, as `LEAST_CHANNELS` says;
    `precision`: of fp32 products of tiles; `pack`: copy a weight whose channels do not lie side by side."""
    if form == "auto":
        channels = min(convolution.group_inputs, convolution.group_outputs)
        form = "dot" if channels >= LEAST_CHANNELS else "direct"
    writer = _Writer(convolution, form == "dot", precision, pack)
    name = "conv_transpose" if convolution.transposed else "conv"
    packing = _packing(convolution) if writer.packed else ""
    return Template(f"{name}{len(writer.axes)}d", writer.write(), writer.meta(), writer.grid(), packing)


def _packing(convolution: Convolution) -> str:
    """The order of the weight's axes in which taps come first and output channels last: a tile of it is then lines."""
    axes = [*range(2, len(convolution.weight.shape)), *((0, 1) if convolution.transposed else (1, 0))]
    return f".permute({', '.join(map(str, axes))}).contiguous()"


def _packed_strides(convolution: Convolution) -> tuple[int, ...]:
    """Strides of the packed weight along the axes of the weight as it is given."""
    first, second, *taps = convolution.weight.shape
    rows, lines = (first, second) if convolution.transposed else (second, first)
    steps = [stride * rows * lines for stride in contiguous_strides(tuple(taps))]
    return (lines, 1, *steps) if convolution.transposed else (1, lines, *steps)


def _one_line(convolution: Convolution) -> bool:
    """Whether the taps of an output channel lie one after another, those of an input channel before the next one's."""
    sizes = convolution.weight.shape[1:]
    steps = zip(sizes, convolution.weight.strides[1:], contiguous_strides(sizes), strict=True)
    return not convolution.transposed and all(step == dense for size, step, dense in steps if size > 1)


class _Writer:
    """Writes the kernel. Spatial axes are z, y and x as far as there are such."""

    def __init__(self, convolution: Convolution, dot: bool, precision: str, pack: bool) -> None:
        self.c, self.dot, self.precision = convolution, dot, precision
        self.axes = "zyx"[-len(convolution.kernel_size) :]
        self.taps = dict(zip(self.axes, convolution.kernel_size, strict=True))
        self.inputs = dict(zip(self.axes, convolution.x.shape[2:], strict=True))
        self.outputs = dict(zip(self.axes, convolution.out.shape[2:], strict=True))
        self.stride = dict(zip(self.axes, convolution.stride, strict=True))
        self.padding = dict(zip(self.axes, convolution.padding, strict=True))
        self.dilation = dict(zip(self.axes, convolution.dilation, strict=True))
        self.x_step = dict(zip(self.axes, convolution.x.strides[2:], strict=True))
        apart = dot and prod(convolution.kernel_size) > 1 and 1 not in convolution.weight.strides[:2]
        #: Whether all taps of a channel are summed before the next channel's, as the weight has them.
        self.taps_first = apart and not pack and _one_line(convolution)
        self.packed = apart and not self.taps_first
        weight = _packed_strides(convolution) if self.packed else convolution.weight.strides
        self.weight_channels, self.weight_step = weight[:2], dict(zip(self.axes, weight[2:], strict=True))
        self.out_step = dict(zip(self.axes, convolution.out.strides[2:], strict=True))
        #: Phases along each axis, and outputs of the largest.
        self.phases = {axis: self.stride[axis] if convolution.transposed else 1 for axis in self.axes}
        self.counts = {axis: -(-self.outputs[axis] // self.phases[axis]) for axis in self.axes}
        self.pixels = convolution.out.shape[0] * prod(self.counts.values())
        self.all_phases = prod(self.phases.values())

    def meta(self) -> tuple[tuple[str, Scalar], ...]:
        """Launch options to begin with."""
        channels = min(1 << (self.c.group_outputs - 1).bit_length(), CHANNELS)
        if self.dot:
            tile = (("NBLOCK", max(channels, 16)), ("MBLOCK", PIXELS), ("KBLOCK", 16))
            return (*tile, ("num_warps", 4), ("num_stages", 3))
        channels = min(channels, CHANNELS // 2)
        pixels = PIXELS * 2 if channels >= 4 else PIXELS * 4
        inner = (("KBLOCK", MOST_UNROLLED),) if self.c.group_inputs > MOST_UNROLLED else ()
        warps = min(max(channels * pixels // (32 * SUMS), 4), 8)
        return (("NBLOCK", channels), ("MBLOCK", pixels), *inner, ("num_warps", warps))

    def grid(self) -> str:
        """Tiles of channels vary first, then phases, so that what reads and writes the same lines runs together."""
        tiles = [f"triton.cdiv({self.c.group_outputs}, META['NBLOCK'])"]
        tiles += [str(self.all_phases)] if self.all_phases > 1 else []
        tiles += [f"triton.cdiv({self.pixels}, META['MBLOCK'])"]
        return f"{' * '.join(tiles)}, {self.c.groups}" if self.c.groups > 1 else f"{' * '.join(tiles)},"

    def write(self) -> str:
        """The kernel's text, its name KERNEL."""
        blocks = ", ".join(f"{name}: tl.constexpr" for name, _ in self.meta() if name.endswith("BLOCK"))
        bias = "bias_ptr, " if self.c.bias else ""
        body = [*self._position(), *self._start(), *self._sums(), *self._stores()]
        head = ["@triton.jit", f"def KERNEL(x_ptr, weight_ptr, {bias}out_ptr, {blocks}):"]
        return "\n".join([*head, *(f"    {line}" for line in body)])

    def _position(self) -> Iterator[str]:
        """Which channels, phase and pixels a program has."""
        yield f"tiles: tl.constexpr = ({self.c.group_outputs} + NBLOCK - 1) // NBLOCK"
        yield "tile = tl.program_id(0) // tiles"
        if self.c.groups > 1:
            yield "group = tl.program_id(1)"
        yield "channel = tl.program_id(0) % tiles * NBLOCK + tl.arange(0, NBLOCK)[:, None]"
        rest = "tile"
        if self.all_phases > 1:
            yield f"phase = tile % {self.all_phases}"
            rest = f"tile // {self.all_phases}"
        yield f"pixel = {rest} * MBLOCK + tl.arange(0, MBLOCK)[None, :]"
        yield from self._split("phase", "r", self.phases, whole=True)
        yield from self._split("pixel", "q", self.counts, whole=False)
        ragged = []
        for axis in self.axes:
            many = self.phases[axis]
            yield f"o{axis} = " + (f"{many} * q{axis} + r{axis}" if many > 1 else f"q{axis}")
            ragged += [f"(o{axis} < {self.outputs[axis]})"] if self.outputs[axis] % many else []
        yield f"known = channel < {self.c.group_outputs}"
        yield f"inside = {together(f'(pixel < {self.pixels})', *ragged)}"

    def _split(self, what: str, letter: str, sizes: dict[str, int], *, whole: bool) -> Iterator[str]:
        """An index as one for each axis, the last varying first; and the batch, unless it is spent (`whole`)."""
        rest = what
        sized = [axis for axis in self.axes if sizes[axis] > 1 or not whole]
        for axis in reversed(sized):
            outermost = whole and axis == sized[0]
            yield f"{letter}{axis} = {rest}" + ("" if outermost else f" % {sizes[axis]}")
            rest = f"{rest} // {sizes[axis]}"
        if not whole:
            yield f"batch = {rest}"

    def _start(self) -> Iterator[str]:
        """Where the images and the weights of a program begin, and the first tap of its phase."""
        x, (_, outputs) = self.c.x.strides, self._weight_channels()
        group = self.c.groups > 1
        yield f"x_at = x_ptr + ({total((x[0], 'batch'), (group * self.c.group_inputs * x[1], 'group'))})"
        step = group * (self.c.group_inputs if self.c.transposed else self.c.group_outputs) * self.weight_channels[0]
        yield f"weight_at = weight_ptr + ({total((outputs, 'channel'), (step, 'group'))})"
        for axis in self.axes:
            if self.phases[axis] > 1:
                yield f"first_{axis} = {self._first_tap(axis)}"
        yield "acc = tl.zeros([NBLOCK, MBLOCK], tl.float32)"

    def _weight_channels(self) -> tuple[int, int]:
        """Strides of the weight's input and output channels."""
        first, second = self.weight_channels
        return (first, second) if self.c.transposed else (second, first)

    def _first_tap(self, axis: str) -> str:
        """The least tap whose pixels are whole for this phase; the number of taps where none is."""
        stride, dilation = self.stride[axis], self.dilation[axis]
        common = gcd(stride, dilation)
        shifted = total((1, f"r{axis}"), (self.padding[axis], ""))
        step = stride // common
        inverse = pow(dilation // common, -1, step) if step > 1 else 0
        part = f"({shifted})" if common == 1 else f"({shifted}) // {common}"
        first = "0" if step == 1 else (f"{part} % {step}" if inverse == 1 else f"{part} * {inverse} % {step}")
        return first if common == 1 else f"tl.where(({shifted}) % {common} == 0, {first}, {self.taps[axis]})"

    def _sums(self) -> Iterator[str]:
        """Tiles of channels are multiplied in one loop over taps and channels, so that it can be pipelined; where
        channels are added one by one, taps are loops of their own."""
        depth, mask = 0, "inside"
        if self.dot:
            yield from self._one_loop()
            depth = 1
        for axis in self.axes:
            if self._looped(axis) and not self.dot:
                yield "    " * depth + f"for k{axis} in {self._tap_range(axis)}:"
                depth += 1
            yield "    " * depth + f"i{axis} = {self._input(axis)}"
            check = self._check(axis)
            if check:
                yield "    " * depth + f"in_{axis} = {mask} & {check}"
                mask = f"in_{axis}"
        looped = [axis for axis in self.axes if self._looped(axis) and not self.taps_first]
        weight = total(*((self.weight_step[axis], f"k{axis}") for axis in looped))
        yield "    " * depth + f"x_tap = x_at + ({total(*((self.x_step[axis], f'i{axis}') for axis in self.axes))})"
        yield "    " * depth + "weight_tap = weight_at" + (f" + ({weight})" if weight != "0" else "")
        yield from ("    " * depth + line for line in self._channels(mask))

    def _looped(self, axis: str) -> bool:
        return self.taps[axis] > 1 or self.phases[axis] > 1

    def _tap_step(self, axis: str) -> int:
        """From one tap of a phase to the next."""
        return self.stride[axis] // gcd(self.stride[axis], self.dilation[axis]) if self.phases[axis] > 1 else 1

    def _tap_range(self, axis: str) -> str:
        if self.phases[axis] > 1:
            return f"range(first_{axis}, {self.taps[axis]}, {self._tap_step(axis)})"
        unrolled = axis == "x" and self.taps[axis] <= MOST_UNROLLED
        return f"{'tl.static_range' if unrolled else 'range'}(0, {self.taps[axis]})"

    def _one_loop(self) -> Iterator[str]:
        """The loop over (tap, channels), or over what lies in one line, with the tap split into one for each axis."""
        looped = [axis for axis in self.axes if self._looped(axis)]
        counts, rest = {axis: str(self.taps[axis]) for axis in looped}, "k[:, None]" if self.taps_first else "tap"
        for axis in looped:
            if self.phases[axis] > 1:
                counts[axis], step = f"count_{axis}", self._tap_step(axis)
                left = total((self.taps[axis] + step - 1, ""), (-1, f"first_{axis}"))
                yield f"count_{axis} = {left}" if step == 1 else f"count_{axis} = ({left}) // {step}"
        if self.taps_first:
            yield f"for step in range(0, {' * '.join([*counts.values(), str(self.c.group_inputs)])}, KBLOCK):"
            yield "    k = step + tl.arange(0, KBLOCK)"
        else:
            yield f"padded: tl.constexpr = ({self.c.group_inputs} + KBLOCK - 1) // KBLOCK * KBLOCK"
            yield f"for step in range(0, {' * '.join([*counts.values(), 'padded'])}, KBLOCK):"
            if looped:
                yield "    tap = step // padded"
            # A remainder's alignment is lost on Triton, which matters where channels lie side by side.
            aligned = " // KBLOCK * KBLOCK" if 1 in (self.c.x.strides[1], self._weight_channels()[0]) else ""
            yield f"    k = {f'step % padded{aligned}' if looped else 'step'} + tl.arange(0, KBLOCK)"
        for axis in reversed(looped):
            index = rest if axis == looped[0] and not self.taps_first else f"{rest} % {counts[axis]}"
            if self.phases[axis] > 1:
                step = self._tap_step(axis)
                index = f"first_{axis} + {index}" + (f" * {step}" if step > 1 else "")
            yield f"    k{axis} = {index}"
            rest = f"{rest} // {counts[axis]}"

    def _input(self, axis: str) -> str:
        """The pixel of x that the tap meets."""
        tap = f"k{axis}" if self._looped(axis) else ""
        stride, padding, dilation = self.stride[axis], self.padding[axis], self.dilation[axis]
        if not self.c.transposed:
            return total((stride, f"q{axis}"), *([(dilation, tap)] if tap else []), (-padding, ""))
        moved = [(padding, ""), *([(-dilation, tap)] if tap else [])]
        if stride == 1:
            return total((1, f"q{axis}"), *moved)
        return f"q{axis} + ({total((1, f'r{axis}'), *moved)}) // {stride}"

    def _check(self, axis: str) -> str:
        """The condition under which the pixel exists; "" where it always does."""
        if self.c.transposed:
            never = self.taps[axis] == 1 and self.stride[axis] == 1 and not self.padding[axis]
            return "" if never else f"(i{axis} >= 0) & (i{axis} < {self.inputs[axis]})"
        reach = self.dilation[axis] * (self.taps[axis] - 1) - self.padding[axis]
        most = self.stride[axis] * (self.outputs[axis] - 1) + reach
        below = f"(i{axis} >= 0)" if self.padding[axis] else ""
        beyond = f"(i{axis} < {self.inputs[axis]})" if most >= self.inputs[axis] else ""
        return together(below, beyond)

    def _channels(self, mask: str) -> Iterator[str]:
        """The products of one tap."""
        channels, (weight, _) = self.c.group_inputs, self._weight_channels()
        x, cast = self.c.x.strides[1], "" if self.c.x.dtype == "f32" else ".to(tl.float32)"
        if self.dot:
            taps = prod(self.taps.values()) if self.taps_first else 1
            inner = f"(k[None, :] < {channels * taps})", f"(k[:, None] < {channels * taps})"
            channel = "k[:, None]" if taps == 1 else f"(k[:, None] // {taps})"
            a, b = total((1 if self.taps_first else weight, "k[None, :]")), total((x, channel))
            yield f"a = tl.load(weight_tap + {a}, known & {inner[0]}, other=0.0)"
            yield f"b = tl.load(x_tap + {b}, {mask} & {inner[1]}, other=0.0)"
            yield f'acc = tl.dot(a, b, acc, input_precision="{self.precision}")'
            return
        if channels <= MOST_UNROLLED:
            yield f"for k in tl.static_range(0, {channels}):"
            depth, exists = 1, ""
        else:
            yield f"for first in range(0, {channels}, KBLOCK):"
            yield "    for step in tl.static_range(0, KBLOCK):"
            yield "        k = first + step"
            depth, exists = 2, f"(k < {channels})"
        a, b = f"weight_tap + {total((weight, 'k'))}", f"x_tap + {total((x, 'k'))}"
        yield "    " * depth + f"a = {masked(a, together('known', exists))}{cast}"
        yield "    " * depth + f"b = {masked(b, together(mask, exists))}{cast}"
        yield "    " * depth + "acc += a * b"

    def _stores(self) -> Iterator[str]:
        out, channels = self.c.out.strides, self.c.group_outputs
        group = self.c.groups > 1
        if self.c.bias:
            step = self.c.bias.strides[0]
            at = total((step, "channel"), (group * channels * step, "group"))
            yield f"acc += tl.load(bias_ptr + ({at}), known, other=0.0)"
        spatial = [(self.out_step[axis], f"o{axis}") for axis in self.axes]
        at = total((out[0], "batch"), (out[1], "channel"), (group * channels * out[1], "group"), *spatial)
        yield f"tl.store(out_ptr + ({at}), acc, known & inside)"
