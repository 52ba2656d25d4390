"""The text of a convolution of tensors whose channels lie last: one program computes a tile of pixels by channels.

With channels last, the pixels that the taps of one line along x meet lie one after another in memory, all their
channels included: `taps * channels` numbers. So a line of taps is one side of a product, however few channels there
are, both factors are read along the axis that is summed (which is what tensor cores want of TF32), and an address is a
line's start plus a running index. A transposed convolution of stride 1 is one with its taps reversed. With a stride s,
the outputs of one remainder `o % s`, its phase, are such a convolution with every s-th tap: a program has one phase.
With a dilation d that shares the factor g with s, it is every (s / g)-th tap, whose pixels are d / g apart; a phase
that is no multiple of g meets no tap at all.

Where taps are a multiple of the stride, all phases of a block of s outputs along each axis meet the same pixels. In the
wide form they are columns of one product beside the channels, so that a tile reads its pixels once for all of them: the
convolution has stride 1 and a tap for s of the weight's, and its pixels are blocks, the first and the last of which
may reach beyond the result.
"""

from collections.abc import Iterator
from math import gcd, prod

from kernelwright.ir.values import Scalar
from kernelwright.midend.templates.convolution import Convolution, Template
from kernelwright.midend.templates.line_weights import line_weights
from kernelwright.midend.templates.writing import together, total

#: Sides of a tile at first, the pixels where there are few channels, and what a step sums.
PIXELS, MORE_PIXELS, CHANNELS, STEP = 128, 256, 128, 32
#: The least side of a tile that `tl.dot` takes.
LEAST_SIDE = 16


def channels_last_template(convolution: Convolution, precision: str, wide: bool = False) -> Template | None:
    """The kernel; None where lines of taps are not what this module's head says. `precision`: of fp32 products; `wide`:
    with all phases in a row of columns, where that makes a difference and all have as many taps."""
    channels = convolution.x.shape[1]
    lies_last = convolution.x.strides[1] == 1 and convolution.x.strides[-1] == channels
    writer = _Writer(convolution, precision, wide)
    line = writer.apart["x"] == 1 or writer.taps["x"] == 1
    if convolution.groups != 1 or not line or not lies_last or wide is not bool(writer.columns):
        return None
    name = "conv_transpose" if convolution.transposed else "conv"
    return Template(f"{name}{len(writer.axes)}d", writer.write(), writer.meta(), writer.grid(), writer.weight.packing)


class _Writer:
    """Writes the kernel. Spatial axes are z, y and x as far as there are such; all but x are lines of taps."""

    def __init__(self, convolution: Convolution, precision: str, wide: bool = False) -> None:
        self.c, self.precision = convolution, precision
        self.axes = "zyx"[-len(convolution.kernel_size) :]
        self.lines = self.axes[:-1]
        self.taps = dict(zip(self.axes, convolution.kernel_size, strict=True))
        self.inputs = dict(zip(self.axes, convolution.x.shape[2:], strict=True))
        self.outputs = dict(zip(self.axes, convolution.out.shape[2:], strict=True))
        self.stride = dict(zip(self.axes, convolution.stride, strict=True))
        self.dilation = dict(zip(self.axes, convolution.dilation, strict=True))
        self.given = dict(zip(self.axes, convolution.padding, strict=True))
        reach = {axis: self.dilation[axis] * (self.taps[axis] - 1) for axis in self.axes}
        self.padding = {a: reach[a] - self.given[a] for a in self.axes} if convolution.transposed else self.given
        #: Phases along each axis that has some, and outputs of the largest phase.
        self.phases = {a: self.stride[a] for a in self.axes if convolution.transposed and self.stride[a] > 1}
        #: For each axis, the factor that stride and dilation of phases share, from one tap of a phase to the next, and
        #: how far apart the pixels are that these meet.
        self.shared = {a: gcd(self.dilation[a], self.phases.get(a, 1)) for a in self.axes}
        self.every = {a: self.phases.get(a, 1) // self.shared[a] for a in self.axes}
        self.apart = {a: self.dilation[a] // self.shared[a] for a in self.axes}
        self.counts = {axis: -(-self.outputs[axis] // self.phases.get(axis, 1)) for axis in self.axes}
        self.x_step = dict(zip(self.axes, convolution.x.strides[2:], strict=True))
        self.out_step = dict(zip(self.axes, convolution.out.strides[2:], strict=True))
        self.channels, self.results = convolution.x.shape[1], convolution.out.shape[1]
        #: In the wide form the phases that are columns: a block of outputs is then what an output is else.
        self.columns = dict[str, int]()
        if wide and self.phases and all(map(self._alike, self.phases)) and set(convolution.dilation) == {1}:
            self._widen()
        self.width = self.results * prod(self.columns.values())
        self.pixels = convolution.out.shape[0] * prod(self.counts.values())
        self.weight = line_weights(convolution, self.taps, self.columns)

    def _widen(self) -> None:
        """Make columns of the phases."""
        self.columns, self.phases = self.phases, {}
        for axis, phases in self.columns.items():
            given, first = self.given[axis], self.given[axis] // phases
            self.taps[axis] //= phases
            self.stride[axis], self.every[axis] = 1, 1
            self.padding[axis] = self.taps[axis] - 1 - first
            self.counts[axis] = (self.outputs[axis] - 1 + given) // phases - first + 1

    def meta(self) -> tuple[tuple[str, Scalar], ...]:
        """Launch options to begin with."""
        most = 2 * CHANNELS if self.columns else CHANNELS
        channels = min(max(1 << (self.width - 1).bit_length(), LEAST_SIDE), most)
        length = -(-self.taps["x"] // self.every["x"]) * self.channels
        step = min(max(1 << (length - 1).bit_length(), LEAST_SIDE), STEP)
        few = channels <= CHANNELS // 4
        tile = (("MBLOCK", MORE_PIXELS if few else PIXELS), ("NBLOCK", channels), ("KBLOCK", step))
        warps = 4 if few else 8
        return (*tile, ("num_warps", warps), ("num_stages", 3))

    def grid(self) -> str:
        """Tiles of channels vary first, then phases, so that what reads the same pixels runs together."""
        tiles = [f"triton.cdiv({self.width}, META['NBLOCK'])", f"triton.cdiv({self.pixels}, META['MBLOCK'])"]
        tiles[1:1] = [str(prod(self.phases.values()))] if self.phases else []
        return f"{' * '.join(tiles)},"

    def write(self) -> str:
        """The kernel's text, its name KERNEL."""
        bias = "bias_ptr, " if self.c.bias else ""
        blocks = "MBLOCK: tl.constexpr, NBLOCK: tl.constexpr, KBLOCK: tl.constexpr"
        body = [*self._position(), *self._sums(), *self._stores()]
        head = ["@triton.jit", f"def KERNEL(x_ptr, weight_ptr, {bias}out_ptr, {blocks}):"]
        return "\n".join([*head, *(f"    {line}" for line in body)])

    def _position(self) -> Iterator[str]:
        """Which pixels and channels a program has, and where the first pixel lies that a pixel's taps meet."""
        yield f"tiles: tl.constexpr = ({self.width} + NBLOCK - 1) // NBLOCK"
        yield f"{self._column} = tl.program_id(0) % tiles * NBLOCK + tl.arange(0, NBLOCK)[None, :]"
        rest = "tl.program_id(0) // tiles"
        for axis, phases in self.phases.items():
            yield f"r{axis} = {rest} % {phases}"
            rest = f"{rest} // {phases}"
        yield f"pixel = {rest} * MBLOCK + tl.arange(0, MBLOCK)[:, None]"
        rest, ragged = "pixel", list[str]()
        for axis in reversed(self.axes):
            phases = self.phases.get(axis, 1)
            place = f"{rest} % {self.counts[axis]}"
            yield f"{self._place(axis)} = {place}" if phases == 1 else f"o{axis} = {place} * {phases} + r{axis}"
            ragged += [f"(o{axis} < {self.outputs[axis]})"] if self.outputs[axis] % phases else []
            rest = f"{rest} // {self.counts[axis]}"
        yield f"batch = {rest}"
        yield f"inside = {together(f'(pixel < {self.pixels})', *ragged)}"
        for axis in self.axes:
            yield from self._first_pixel(axis)
        first = [(self.x_step[axis], f"i{axis}") for axis in self.axes]
        yield f"x_at = x_ptr + ({total((self.c.x.strides[0], 'batch'), *first)})"
        columns = [(self.weight.column, self._column)]
        if self.weight.phases:
            columns = [(self.weight.column, f"(column % {self.results})")]
            columns += [(self.weight.phases[axis], f"({phase})") for axis, phase in self._column_phases()]
        yield f"weight_at = weight_ptr + {total(*columns)}"

    @property
    def _column(self) -> str:
        """What tells the columns of a tile apart."""
        return "column" if self.columns else "channel"

    def _place(self, axis: str) -> str:
        """What tells the pixels of a tile apart along an axis: an output's place, or a block's."""
        return f"q{axis}" if axis in self.columns else f"o{axis}"

    def _first_pixel(self, axis: str) -> Iterator[str]:
        """The first pixel that taps meet along an axis; for a phase its least tap, too, and how many it has."""
        if axis not in self.phases:
            yield f"i{axis} = {total((self.stride[axis], self._place(axis)), (-self.padding[axis], ''))}"
            return
        stride, taps, every = self.phases[axis], self.taps[axis], self.every[axis]
        shifted = total((1, f"r{axis}"), (self.given[axis], ""))
        yield f"first_{axis} = {self._first_tap(axis, shifted)}"
        if not self._alike(axis):
            left = total((taps + every - 1, ""), (-1, f"first_{axis}"))
            count = left if every == 1 else f"({left}) // {every}"
            shared = self.shared[axis]
            yield f"count_{axis} = " + (count if shared == 1 else f"tl.where(({shifted}) % {shared} == 0, {count}, 0)")
        moved = total((1, f"o{axis}"), (self.given[axis], ""), (-self.dilation[axis], f"first_{axis}"))
        back = f"({self._taps(axis)} - 1)"
        yield f"i{axis} = ({moved}) // {stride} - {total((self.apart[axis], back))}"

    def _first_tap(self, axis: str, shifted: str) -> str:
        """The least tap that outputs of a phase meet, if they meet any."""
        every, shared = self.every[axis], self.shared[axis]
        inverse = pow(self.apart[axis], -1, every) if every > 1 else 0
        part = f"({shifted})" if shared == 1 else f"({shifted}) // {shared}"
        return "0" if every == 1 else f"{part}{f' * {inverse}' if inverse > 1 else ''} % {every}"

    def _alike(self, axis: str) -> bool:
        """Whether all phases along an axis have as many taps."""
        return self.taps[axis] % self.every[axis] == 0 and self.shared[axis] == 1

    def _taps(self, axis: str) -> str:
        """How many taps a program has along an axis."""
        if axis not in self.phases:
            return str(self.taps[axis])
        return str(self.taps[axis] // self.every[axis]) if self._alike(axis) else f"count_{axis}"

    def _sums(self) -> Iterator[str]:
        """One loop over lines and steps along them, so that it can be pipelined."""
        yield "acc = tl.zeros([MBLOCK, NBLOCK], tl.float32)"
        alike = self._taps("x").isdecimal()
        length = str(int(self._taps("x")) * self.channels) if alike else f"{self._taps('x')} * {self.channels}"
        yield f"padded{': tl.constexpr' if alike else ''} = ({length} + KBLOCK - 1) // KBLOCK * KBLOCK"
        lines = [count for axis in self.lines if (count := self._taps(axis)) != "1"]
        yield f"for step in range(0, {' * '.join([*lines, 'padded'])}, KBLOCK):"
        # A remainder's alignment is lost on Triton; a product's is not.
        yield "    first = step % padded // KBLOCK * KBLOCK"
        yield "    k = first + tl.arange(0, KBLOCK)"
        rest, at, checks = "step // padded", list[tuple[int, str]](), ["inside"]
        for axis in reversed(self.lines):
            yield f"    k{axis} = {rest} % {self._taps(axis)}"
            rest = f"{rest} // {self._taps(axis)}"
            at.append((self.apart[axis] * self.x_step[axis], f"k{axis}"))
            checks.append(self._check(axis, f"i{axis} + {total((self.apart[axis], f'k{axis}'))}"))
        a = f"x_at + {f'({total(*at)}) + ' if at else ''}k[None, :]"
        inside, known = together(*checks), f"({self._column} < {self.width})"
        parts = self._loads(a, f"{inside} & (k[None, :] < {length})", f"(k[:, None] < {length}) & {known}")
        if self.channels % LEAST_SIDE:
            yield from (f"    {line}" for line in parts)
        else:
            # Where a step stays within one tap's channels, whether its pixel exists is asked once for all of them.
            yield f"    if {self.channels} % KBLOCK == 0:"
            yield f"        met = first // {self.channels}"
            yield from (f"        {line}" for line in self._loads(a, inside, known, "met"))
            yield "    else:"
            yield from (f"        {line}" for line in parts)
        precision = f', input_precision="{self.precision}"' if self.c.x.dtype == "f32" else ""
        yield f"    acc = tl.dot(a, b, acc{precision})"

    def _loads(self, a: str, inside: str, known: str, met: str = "") -> Iterator[str]:
        """A step's pixels and weights; `met`: the one tap along x that all are of, "" where they are of several."""
        along = self._check("x", f"ix + {met}") if met else self._along()
        yield f"a = tl.load({a}, {together(inside, along)}, other=0.0)"
        yield f"b = tl.load(weight_at + {self._weight(met)}, {known}, other=0.0)"

    def _weight(self, met: str) -> str:
        """Where a step's weights lie; taps of a transposed convolution are met in reverse."""
        step, channel, place = self.weight.taps, self.weight.channel, "k[:, None]"
        terms = [(step[axis], self._tap(axis, f"k{axis}")) for axis in reversed(self.lines) if self.taps[axis] > 1]
        in_order = not self.c.transposed and step["x"] == self.channels * channel
        if self.taps["x"] == 1 or in_order:
            return total(*terms, (channel, place))
        if met:  # whose multiples have an alignment that Triton sees, as a remainder has not
            return total(*terms, (step["x"], self._tap("x", met)), (-self.channels * channel, met), (channel, place))
        tap = self._tap("x", f"({place} // {self.channels})")
        return total(*terms, (step["x"], tap), (channel, f"({place} % {self.channels})"))

    def _tap(self, axis: str, met: str) -> str:
        """Which of the weight's taps is the one that is met so many others after the first."""
        if not self.c.transposed:
            return met
        if axis not in self.phases:
            return f"({self.taps[axis] - 1} - {met})"
        steps = f" * {self.every[axis]}" if self.every[axis] > 1 else ""
        return f"(first_{axis} + ({self._taps(axis)} - 1 - {met}){steps})"

    def _beyond(self, axis: str) -> tuple[bool, bool]:
        """Whether taps meet pixels before the first, and after the last."""
        if axis in self.phases:
            return True, True
        reach = self.dilation[axis] * (self.taps[axis] - 1) - self.padding[axis]
        return self.padding[axis] > 0, self.stride[axis] * (self.counts[axis] - 1) + reach >= self.inputs[axis]

    def _check(self, axis: str, pixel: str) -> str:
        """The condition under which a pixel exists; "" where it always does."""
        before, after = self._beyond(axis)
        return together(f"({pixel} >= 0)" if before else "", f"({pixel} < {self.inputs[axis]})" if after else "")

    def _along(self) -> str:
        """The same along x, where a number's place in its line says which pixel it belongs to."""
        before, after = self._beyond("x")
        place = f"{total((self.channels, 'ix'))} + k[None, :]"
        end = self.inputs["x"] * self.channels
        return together(f"({place} >= 0)" if before else "", f"({place} < {end})" if after else "")

    def _stores(self) -> Iterator[str]:
        out = self.c.out.strides
        known, exists = f"{self._column} < {self.width}", "stored" if self.columns else "inside"
        yield from self._unfolded()
        if self.c.bias:
            yield f"acc += tl.load(bias_ptr + {total((self.c.bias.strides[0], 'channel'))}, {known}, other=0.0)"
        spatial = [(self.out_step[axis], f"o{axis}") for axis in self.axes]
        at = total((out[0], "batch"), (out[1], "channel"), *spatial)
        yield f"tl.store(out_ptr + ({at}), acc, {exists} & ({known}))"

    def _unfolded(self) -> Iterator[str]:
        """In the wide form the channel and the outputs that columns are of, and whether there are such outputs."""
        if not self.columns:
            return
        yield f"channel = column % {self.results}"
        for axis, phase in self._column_phases():
            phases, given = self.columns[axis], self.given[axis]
            yield f"o{axis} = {total((phases, f'q{axis}'), (1, phase), (given // phases * phases - given, ''))}"
        limits = [(f"(o{axis} >= 0)", f"(o{axis} < {self.outputs[axis]})") for axis in self.columns]
        yield f"stored = {together('inside', *(limit for pair in limits for limit in pair))}"

    def _column_phases(self) -> Iterator[tuple[str, str]]:
        """In the wide form which phase along each axis a column is of."""
        rest = f"column // {self.results}"
        for axis, phases in reversed(self.columns.items()):
            yield axis, f"{rest} % {phases}"
            rest = f"{rest} // {phases}"
