"""What a program makes of inputs that are tried out: nothing, numbers, or what rounding decides."""

import copy
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from kernelwright.backend.measure.turns import NO_TURNS, DeviceLock
from kernelwright.backend.reference.eight_bits import with_wide
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.tensors import Value, copy_of
from kernelwright.evaluation.inputs.device_asserts import asserting
from kernelwright.evaluation.inputs.functions import NoisyFunctions
from kernelwright.evaluation.inputs.traits import has_integers_from
from kernelwright.evaluation.inputs.watches import ConvertedWatch, NotFiniteWatch, ScoresWatch, SquaresWatch
from kernelwright.evaluation.inputs.weights import nudge
from kernelwright.ir.values import INPUT_DTYPES

#: What a program raises on inputs that it is not defined on.
REFUSALS = (RuntimeError, ValueError, IndexError, AssertionError, ArithmeticError)
#: By how many units in the last place inputs change to see whether a program is steady, and how many times as much its
#: outputs may.
_NOISE, _UNSTEADY = 16, 256.0
#: From which size on fp32 does not hold integers, by what share they change then, and the largest that they become.
_EXACT, _UNITS, _MOST = 2.0**24, 2.0**-22, 2.0**62
#: How often they change: whether a sum of what is left is above zero is a matter of chance.
_TIMES = 6
#: By what share of their size outputs may change then, all but the second share of them.
_CHANGED, _FEW_OUTPUTS = 2.0**-8, 1 / 64
#: The largest share of NaN in outputs that are of use.
_MOST_NAN = 0.875


@dataclass(frozen=True)
class Trial:
    """A program that is tried out on a device; its models stay as they are. `infinities`: those that its outputs hold
    on inputs as given, such as -inf at what is masked, and may hold on others. Between runs those may have
    the device who wait in `turns`."""

    program: ReferenceProgram
    device: str
    infinities: tuple[float, ...] = ()
    turns: DeviceLock = NO_TURNS

    def stays_inside(self, model: nn.Module, inputs: Sequence[Value]) -> bool:
        """Whether whole numbers among the outputs stay in the range of i64: what others become is nobody's rule."""
        outputs = self.run(model, inputs) or ()
        whole = [output for output in outputs if not output.is_floating_point() and output.numel()]
        return bool(outputs) and all(int(one.min()) > -(2**62) and int(one.max()) < 2**62 for one in whole)

    @property
    def long_outputs(self) -> bool:
        """Whether outputs of whole numbers all have 64 bits."""
        dtypes = [spec.dtype for spec in self.program.reference.outputs]
        return all(dtype == "i64" or dtype.startswith(("f", "bf")) for dtype in dtypes)

    @property
    def whole_outputs(self) -> bool:
        """Whether any output is of whole numbers or truth values."""
        return not all(spec.dtype.startswith(("f", "bf")) for spec in self.program.reference.outputs)

    def run(self, model: nn.Module, inputs: Sequence[Value]) -> tuple[Tensor, ...] | None:
        """The outputs; None where the program raises, as it is only defined on inputs such as its own. What a GPU
        asserts is asserted on the CPU first: after a failed assertion the GPU answers this process no more."""
        self.turns.pause()
        try:
            with torch.no_grad(), asserting(self.device):
                return self.program.run(copy.deepcopy(model), inputs)
        except REFUSALS:
            return None

    def takes(self, model: nn.Module, inputs: Sequence[Value]) -> bool:
        """Whether outputs are numbers, but for `infinities`, and of the shapes that they always have."""
        outputs = self.run(model, inputs)
        return outputs is not None and self._are_taken(outputs)

    def _are_taken(self, outputs: Sequence[Tensor]) -> bool:
        shapes = [spec.shape for spec in self.program.reference.outputs]
        return [tuple(output.shape) for output in outputs] == shapes and all(map(self._are_numbers, outputs))

    def takes_plainly(self, model: nn.Module, inputs: Sequence[Value], more: tuple[float, ...] = ()) -> bool:
        """The same, and nothing on the way is NaN or is an infinity that is made a whole number. Outputs may hold
        `more` infinities, but not all of an output."""
        trial = replace(self, infinities=(*self.infinities, *more))
        with NotFiniteWatch() as watch:  # type: ignore[no-untyped-call]
            outputs = trial.run(model, inputs)
        if watch.nan or watch.cast or outputs is None or not trial._are_taken(outputs):
            return False
        some = not more or all(bool(one.isfinite().any()) for one in outputs)
        return some and self.has_small_scores(model, inputs)

    def has_small_scores(self, model: nn.Module, inputs: Sequence[Value]) -> bool:
        """Whether scores of attentions stay below what kernels write for -inf."""
        with sdpa_kernel(SDPBackend.MATH), ScoresWatch() as scores:  # type: ignore[no-untyped-call]
            self.run(model, inputs)
        return not scores.too_large

    def adds_up(self, model: nn.Module, inputs: Sequence[Value], finite: bool) -> bool:
        """Whether fp32 holds the squares that norms and variances add up; if `finite`, nothing on the way is infinite
        or NaN, either."""
        with SquaresWatch() as squares, NotFiniteWatch() as watch:  # type: ignore[no-untyped-call]
            self.run(model, inputs)
        return not (squares.too_large or (finite and (watch.infinite or watch.nan)))

    def _are_numbers(self, output: Tensor) -> bool:
        known = torch.isfinite(output)
        for number in self.infinities:
            known |= output == number
        return bool(known.all())

    def told_by_places(self, model: nn.Module, inputs: Sequence[Value]) -> bool:
        """Whether some outputs are not finite, not nearly all are NaN, and none of them was made a whole number."""
        outputs, watch = self._watched(model, inputs)
        floating = [one for one in outputs or () if one.is_floating_point() and one.numel()]
        known = any(bool(one.isnan().double().mean() <= _MOST_NAN) for one in floating)
        return known and not watch.converted and not all(map(is_finite, floating))

    def _watched(self, model: nn.Module, inputs: Sequence[Value]) -> tuple[tuple[Tensor, ...] | None, NotFiniteWatch]:
        """Outputs of the shapes that they always have, or None; and what was seen on the way."""
        with NotFiniteWatch() as watch:  # type: ignore[no-untyped-call]
            outputs = self.run(model, inputs)
        shapes = [spec.shape for spec in self.program.reference.outputs]
        same = outputs is not None and [tuple(output.shape) for output in outputs] == shapes
        return outputs if same else None, watch

    def keeps_its_size(self, model: nn.Module, inputs: Sequence[Value], seed: int, may_be_zero: bool) -> bool:
        """Whether outputs are not next to nothing beside those of inputs as given: of what is left where all but equal
        numbers are subtracted, rounding decides. If they `may_be_zero`, they have to be zero in fp64, too."""
        given = self.run(model, with_wide(self.program.inputs(seed, self.device)))
        changed = self.run(model, inputs)
        if given is None or changed is None:
            return False
        sizes = [(_size(before), _size(after)) for before, after in zip(given, changed, strict=True)]
        less = [place for place, (before, after) in enumerate(sizes) if after < 2.0**-12 * before]
        if not less or not may_be_zero:
            return not less
        wide = [one.double() if isinstance(one, Tensor) and one.is_floating_point() else one for one in inputs]
        exact = self.run(copy.deepcopy(model).double(), wide) or changed  # not all programs take fp64
        return not any(bool(changed[place].any()) or bool(exact[place].any()) for place in less)

    def steady(self, model: nn.Module, inputs: Sequence[Value], seed: int) -> bool:
        """Whether noise in the last bits of inputs changes outputs but little: else rounding decides what is right. It
        is larger than rounding once, as sums are rounded term by term."""
        noisy = [copy_of(value) if isinstance(value, Tensor) else value for value in inputs]
        nudge([value for value in noisy if isinstance(value, Tensor)], seed, _NOISE)
        plain = self.run(model, inputs)
        with self._noisy_casts(seed):
            other = self.run(model, noisy)
        if plain is None or other is None or not all(map(self._are_numbers, plain)):
            return False
        return all(
            first.shape == second.shape and _near(first, second) for first, second in zip(plain, other, strict=True)
        )

    def _noisy_casts(self, seed: int) -> AbstractContextManager[object]:
        """Around a run that is to have noise, if rounding to fp8 leaves none of it in inputs."""
        narrow = any(spec.dtype in INPUT_DTYPES for spec in self.program.reference.tensors)
        return NoisyFunctions(seed, units=_NOISE) if narrow else nullcontext()

    def steady_in_integers(self, model: nn.Module, inputs: Sequence[Value], seed: int) -> bool:
        """The same for integers that fp32 does not hold, if floating numbers are made of such: sums of them, or of what
        is computed with them, may cancel out. Whole numbers are computed exactly."""
        large = [place for place, one in enumerate(inputs) if has_integers_from(one, _EXACT)]
        if not large or self.whole_outputs:
            return True
        with ConvertedWatch(_EXACT) as converted:
            plain = self.run(model, inputs)
        for number in range(_TIMES if plain is not None and converted.made else 0):
            other = self.run(model, _with_noise(inputs, large, seed + number))
            if other is None or not all(map(_mostly_near, plain or (), other)):
                return False
        return True


def is_finite(value: Value) -> bool:
    return not isinstance(value, Tensor) or bool(torch.isfinite(value).all())


def _sizes(value: Value) -> Tensor:
    assert isinstance(value, Tensor)
    return value.double().abs()


def _with_noise(inputs: Sequence[Value], places: Sequence[int], seed: int) -> list[Value]:
    """Inputs of which the large integers at some places are others in what fp32 does not hold of them."""
    noisy = list(inputs)
    noise = torch.Generator().manual_seed(seed)
    for place in places:
        one = noisy[place]
        assert isinstance(one, Tensor)
        by = torch.rand(one.shape, generator=noise, dtype=torch.float64).to(one.device).mul_(2).sub_(1) * _UNITS
        changed = (one.double() * (1 + by)).clamp(-_MOST, _MOST)
        noisy[place] = torch.where(_sizes(one) >= _EXACT, changed, one.double()).to(one.dtype)
    return noisy


def _mostly_near(first: Tensor, second: Tensor) -> bool:
    """Whether elements are near each other, each beside its own size, but for few."""
    if first.shape != second.shape:
        return False
    first, second = first.double(), second.double()
    apart = (first - second).abs() > _CHANGED * torch.maximum(first.abs(), second.abs())
    return float(apart.double().sum()) <= _FEW_OUTPUTS * apart.numel()


def _near(first: Tensor, second: Tensor) -> bool:
    if not first.is_floating_point():
        return torch.equal(first, second)
    same = first == second  # infinities as well
    first, second = first.masked_fill(same & first.isinf(), 0.0), second.masked_fill(same & second.isinf(), 0.0)
    apart, size = (first.double() - second.double()).norm(), second.double().norm()
    return bool(apart <= _NOISE * _UNSTEADY * torch.finfo(first.dtype).eps * size)


def scales_to(scale: float, plain: Tensor, scaled: Tensor) -> bool:
    """Whether an output is so many times the other, to the bit."""
    return plain.is_floating_point() and plain.shape == scaled.shape and torch.equal(plain * scale, scaled)


def _size(output: Tensor) -> float:
    """The root of the mean square of an output's finite elements."""
    output = output[torch.isfinite(output)]
    return float(output.double().square().mean().sqrt()) if output.numel() else 0.0
