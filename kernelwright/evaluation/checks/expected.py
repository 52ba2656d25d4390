"""What outputs should be, and how far eager itself is from the gold."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from kernelwright.evaluation.checks.sides import GoldBands, Sides, Wide, combined, elements, in_blocks
from kernelwright.evaluation.protocol.wire import RawTensor

#: Errors below these are never held against a candidate: four units of rounding for 16-bit types.
FLOORS = {"f64": 1e-12, "f32": 1e-5, "f16": 4 * 2**-11, "bf16": 4 * 2**-8}
#: The largest allowance for the error of a program's number computed in fp32; TF32 products err three times as much.
MOST_OF_A_WEIGHT = 1e-4
#: Four units of rounding of 1: what is left of them where two numbers around 1 cancel, as in exp(x) - 1.
CANCELLED = {"f64": 4 * 2**-52, "f32": 4 * 2**-23}
#: The same by band. Of 16 bits less: kernels compute in fp32, and a number is rounded once.
CANCELLING = CANCELLED | {"f16": 2**-13, "bf16": 2**-10}
#: A unit in the last place of 1.
UNITS = {"f64": 2**-52, "f32": 2**-23, "f16": 2**-10, "bf16": 2**-7}
#: How many times the error of another spelling a candidate's may be.
RESPELLED_FACTOR = 4.0
#: Orders of equal values that a program is tried with; the first so many are those of places, up and down, where it
#: sorts.
ORDERS, PLAIN = 8, 2
#: How lucky eager may have been: 16 times this is still less than what separates fp32 from TF32.
LUCK = 16.0
#: The error of fewer elements than these is a matter of luck; that of more evens out.
FEW = 8


@dataclass(frozen=True)
class Expected:
    """What one output should be: eager's result and the gold, which is fp64 for floating outputs. `cut`: eager's with
    operands of TF32 products cut off, where it has such. `nudged`: eager's results on inputs and weights whose last
    bits are noise, where that was tried. `given`: the largest RMS of the inputs. `reordered`: eager's results where
    equal values come in other orders. `longest`: the largest size of an input, which indices stay below. `narrow`: the
    program computes in 16 bits. `weight`: the relative error of a number such as `1 - 0.999`, which a kernel may
    compute in fp32. `ordinary`: inputs are of the size that they are given in, and of many values. `impulses`: an input
    is zero but for few elements. `respelled`: eager's result where operations that Triton lacks are spelled as kernels
    have to, see `Respelled`. `places`: results are not finite, and only where they are is compared. `numbers`: inputs
    hold NaN, and only elements that are numbers are compared."""

    name: str
    eager: RawTensor
    gold: RawTensor
    cut: RawTensor | None = None
    nudged: tuple[RawTensor, ...] = ()
    given: float = 1.0
    reordered: tuple[RawTensor, ...] = ()
    longest: int = 0
    narrow: bool = False
    weight: float = 0.0
    ordinary: bool = False
    impulses: bool = False
    respelled: RawTensor | None = None
    places: bool = False
    numbers: bool = False

    @property
    def floor(self) -> float:
        """The error that is never held against a candidate."""
        return max(FLOORS[self.eager.dtype], min(self.weight, MOST_OF_A_WEIGHT))

    @property
    def tensors(self) -> list[RawTensor]:
        """All that there are."""
        return [one for one in self._all if one is not None]

    @property
    def _all(self) -> tuple[RawTensor | None, ...]:
        return (self.eager, self.gold, self.cut, self.respelled, *self.nudged, *self.reordered)

    @property
    def widened(self) -> bool:
        """Whether there is more than eager's own error to allow for."""
        return self.narrow or self.cut is not None or self.respelled is not None or bool(self.nudged)

    @functools.cached_property
    def eager_alone(self) -> "Expected":
        """The same without the runs that only widen what is allowed: what is right beside it is right."""
        return replace(self, cut=None, nudged=(), respelled=None)

    @functools.cached_property
    def own(self) -> "Own":
        """Eager's own error, found once for all candidates: that of cut operands counts half, since it is larger by
        what cutting makes all products too small.

        Where rounding weighs a lot, as between two logits that are nearly the same, an error is a matter of luck: that
        of nudged values counts as well, up to `LUCK` times that of the values as they are. Where nudging changes an
        output by more than its size, as where equal numbers cancel, it is nothing but luck, and counts as it is. So it
        does where it changes some elements by more than theirs, and by no more than is left of rounding inputs: by more
        where a comparison tips over.
        """
        sides = self.against(self.eager)
        scale = combined(in_blocks(sides.magnitude, sides.have.size)) or 1.0
        rms, peak = sides.apart(scale)
        if self.cut is not None:
            coarser = self.against(self.cut).apart(scale)
            rms, peak = max(rms, coarser[0] / 2), max(peak, coarser[1] / 2)
        most = LUCK * rms, LUCK * peak
        left = LUCK * CANCELLED.get(self.eager.dtype, 0.0) * max(1.0, self.given)
        for one in self.nudged:
            noisy = self.against(one)
            errors = zip(noisy.apart(scale), noisy.lost(scale, left), most, strict=True)
            lucky = [whole if whole > 1.0 else max(min(whole, limit), lost) for whole, lost, limit in errors]
            rms, peak = max(rms, lucky[0]), max(peak, lucky[1])
        return Own(scale, rms, peak)

    def rounded(self, factor: float) -> tuple[float, float]:
        """RMS and peak of what rounding may do, relative to the gold's RMS: `factor` times eager's own errors, or some
        times those of another spelling."""
        rms, peak = (RESPELLED_FACTOR * error for error in self._respelled)
        return max(factor * self.own.rms, rms), max(factor * self.own.peak, peak)

    @functools.cached_property
    def _respelled(self) -> tuple[float, float]:
        """RMS and peak of the errors of the other spelling; 0 where there is none."""
        return (0.0, 0.0) if self.respelled is None else self.against(self.respelled).apart(self.own.scale)

    def against(self, have: RawTensor) -> "Sides":
        """An output beside eager's and the gold."""
        return Sides(elements(have), elements(self.eager), elements(self.gold))

    @functools.cached_property
    def gold_bands(self) -> GoldBands | None:
        """What the gold alone tells of bands, found once for all candidates."""
        return self.against(self.eager).gold_bands()

    @functools.cached_property
    def own_scale_errors(self) -> tuple[float, ...]:
        """By what share of their size eager's outputs, and those of nudged runs, are too large as a whole."""
        return tuple(self.against(one).scale_error() for one in (self.eager, *self.nudged))

    @functools.cached_property
    def own_by_band(self) -> Wide:
        """Eager's RMS error in each band, found as `own` is. A band has at least that of the next larger numbers:
        those of one computation differ in size, and their errors do not, while few of them may be right by luck.

        What nudging shows in a band of fewer than `FEW` elements is capped by the errors of all larger numbers, up to
        the first band of as many: one number may be what is left of sums a million times as large.
        """
        bands = self.against(self.eager).bands()
        found = bands.error
        if self.cut is not None:
            found = np.maximum(found, self.against(self.cut).bands().error / 2)
        unit = max(UNITS[self.eager.dtype], min(self.weight, MOST_OF_A_WEIGHT))
        most = LUCK * np.maximum(_carried(found, bands.count), unit * bands.scale)
        for one in self.nudged:
            error = self.against(one).bands().error
            found = np.maximum(found, np.where(error > bands.scale, error, np.minimum(error, most)))
        beside: Wide = np.maximum(found, np.append(found[1:], 0.0))
        return beside

    @functools.cached_property
    def respelled_by_band(self) -> Wide | float:
        """The RMS error of the other spelling in each band; 0 where there is none."""
        return 0.0 if self.respelled is None else self.against(self.respelled).bands().error


@dataclass(frozen=True)
class Own:
    """The gold's RMS over elements that are finite (1 where it is 0), and eager's errors relative to it."""

    scale: float
    rms: float
    peak: float


def _carried(errors: Wide, counts: Wide) -> Wide:
    """The errors by band; where few elements are, at least those of larger numbers up to the first band of many."""
    carried, larger = errors.copy(), 0.0
    for band in range(len(errors) - 1, -1, -1):
        if counts[band]:
            larger = errors[band] if counts[band] >= FEW else max(larger, errors[band])
        carried[band] = max(errors[band], larger)
    return carried


def rms_of(tensor: RawTensor) -> float:
    """Of a floating tensor's finite elements; 0 for others."""
    if tensor.dtype not in FLOORS or tensor.sketched or not tensor.nbytes:
        return 0.0
    sides = Sides(*3 * (elements(tensor),))
    return combined(in_blocks(sides.magnitude, sides.have.size))
