"""Right or wrong: a candidate's raw outputs against the gold (fp64) and eager's own error.

Runs in the judge, on bytes, with NumPy alone. Errors are relative to the gold's RMS:
`rms` = rms(got - gold) / rms(gold), `max` = max |got - gold| / (rms(gold) + |gold|). Besides, elements are looked at
in bands, each of numbers of about one magnitude, so that large elements excuse nothing in small ones. Where outputs
are sketched, both are those of the sketches: the same `rms`, and a `max` in which a single wrong element weighs a
sixteenth.
"""

import functools
import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelwright.evaluation.protocol.wire import SKETCHED, RawTensor
from kernelwright.ir.layout import shares_elements
from kernelwright.ir.values import Tolerance

#: Errors below these are never held against a candidate: four units of rounding for 16-bit types.
FLOORS = {"f64": 1e-12, "f32": 1e-5, "f16": 4 * 2**-11, "bf16": 4 * 2**-8}
#: The largest allowance for the error of a program's number computed in fp32; TF32 products err three times as much.
MOST_OF_A_WEIGHT = 1e-4
#: Four units of rounding of 1: what is left of them where two numbers around 1 cancel, as in exp(x) - 1.
_CANCELLED = {"f64": 4 * 2**-52, "f32": 4 * 2**-23}
#: The same by band. Of 16 bits less: kernels compute in fp32, and a number is rounded once.
_CANCELLING = _CANCELLED | {"f16": 2**-13, "bf16": 2**-10}
#: A unit in the last place of 1.
_UNITS = {"f64": 2**-52, "f32": 2**-23, "f16": 2**-10, "bf16": 2**-7}
#: Bands of 32 times the magnitude of the one below; the first is that of zeros.
_BAND_BITS, _BANDS = 5, 128
#: How lucky eager may have been: 16 times this is still less than what separates fp32 from TF32.
LUCK = 16.0
#: How many times eager's error a candidate's may be at most where a program computes in 16 bits, and from which error
#: on: so large ones are the sum of many roundings, half of them a candidate's own, and no matter of luck.
NARROW_FACTOR, _MANY_ROUNDINGS = 4.0, 2**-10
_NUMPY = {
    "f64": "f8",
    "f32": "f4",
    "f16": "f2",
    "i64": "i8",
    "i32": "i4",
    "i16": "i2",
    "i8": "i1",
    "u8": "u1",
    "b1": "u1",
}

Wide = NDArray[np.float64]
Elements = NDArray[np.generic]
Found = TypeVar("Found")

#: Elements widened at a time, and the threads that do so: what larger blocks need is mapped anew each time, and threads
#: that map wait for one another.
_BLOCK, _THREADS = 1 << 15, min(4, os.cpu_count() or 1)


@dataclass(frozen=True)
class Findings:
    """What a comparison found: `mismatch` is "" where the outputs are right, else a sentence."""

    mismatch: str = ""
    rms: float = 0.0
    max: float = 0.0

    def worst(self, other: "Findings") -> "Findings":
        """Both findings in one: the first mismatch, the larger errors."""
        rms, peak = _larger(self.rms, other.rms), _larger(self.max, other.max)
        return Findings(self.mismatch or other.mismatch, rms, peak)


@dataclass(frozen=True)
class Expected:
    """What one output should be: eager's result and the gold, which is fp64 for floating outputs. `cut`: eager's with
    operands of TF32 products cut off, where it has such. `nudged`: eager's results on inputs and weights whose last
    bits are noise, where that was tried. `given`: the largest RMS of the inputs. `reordered`: eager's results where
    equal values come in other orders. `longest`: the largest size of an input, which indices stay below. `narrow`: the
    program computes in 16 bits. `weight`: the relative error of a number such as `1 - 0.999`, which a kernel may
    compute in fp32."""

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

    @property
    def floor(self) -> float:
        """The error that is never held against a candidate."""
        return max(FLOORS[self.eager.dtype], min(self.weight, MOST_OF_A_WEIGHT))

    @property
    def tensors(self) -> list[RawTensor]:
        """All that there are."""
        return [one for one in (self.eager, self.gold, self.cut, *self.nudged, *self.reordered) if one is not None]

    @functools.cached_property
    def own(self) -> "Own":
        """Eager's own error, found once for all candidates: that of cut operands counts half, since it is larger by
        what cutting makes all products too small.

        Where rounding weighs a lot, as between two logits that are nearly the same, an error is a matter of luck: that
        of nudged values counts as well, up to `LUCK` times that of the values as they are.
        """
        sides = self.against(self.eager)
        scale = _combined(_in_blocks(sides.magnitude, sides.have.size)) or 1.0
        rms, peak = sides.apart(scale)
        if self.cut is not None:
            coarser = self.against(self.cut).apart(scale)
            rms, peak = max(rms, coarser[0] / 2), max(peak, coarser[1] / 2)
        most = LUCK * rms, LUCK * peak
        for one in self.nudged:
            other = self.against(one).apart(scale)
            rms, peak = max(rms, min(other[0], most[0])), max(peak, min(other[1], most[1]))
        return Own(scale, rms, peak)

    def against(self, have: RawTensor) -> "_Sides":
        """An output beside eager's and the gold."""
        return _Sides(elements(have), elements(self.eager), elements(self.gold))

    @functools.cached_property
    def own_by_band(self) -> Wide:
        """Eager's RMS error in each band, found as `own` is. A band has at least that of the next larger numbers:
        those of one computation differ in size, and their errors do not, while few of them may be right by luck."""
        bands = self.against(self.eager).bands()
        found = bands.error
        if self.cut is not None:
            found = np.maximum(found, self.against(self.cut).bands().error / 2)
        most = LUCK * np.maximum(found, _UNITS[self.eager.dtype] * bands.scale)
        for one in self.nudged:
            found = np.maximum(found, np.minimum(self.against(one).bands().error, most))
        beside: Wide = np.maximum(found, np.append(found[1:], 0.0))
        return beside


@dataclass(frozen=True)
class Bands:
    """By band: how many elements, the RMS of the gold, and that of the errors."""

    count: Wide
    scale: Wide
    error: Wide


@dataclass(frozen=True)
class Own:
    """The gold's RMS over elements that are finite (1 where it is 0), and eager's errors relative to it."""

    scale: float
    rms: float
    peak: float


def elements(tensor: RawTensor) -> Elements:
    """A tensor's elements, or its sketch, flat; 16-bit floats of either kind widened to f32."""
    if tensor.sketched:
        return np.frombuffer(tensor.data, "<f8" if tensor.dtype in FLOORS else "<i8")
    if tensor.dtype == "bf16":
        return (np.frombuffer(tensor.data, "<u2").astype("<u4") << 16).view("<f4")
    flat: Elements = np.frombuffer(tensor.data, "<" + _NUMPY[tensor.dtype])
    return flat.astype("<f4") if tensor.dtype == "f16" else flat


def rms_of(tensor: RawTensor) -> float:
    """Of a floating tensor's finite elements; 0 for others."""
    if tensor.dtype not in FLOORS or tensor.sketched or not tensor.nbytes:
        return 0.0
    sides = _Sides(*3 * (elements(tensor),))
    return _combined(_in_blocks(sides.magnitude, sides.have.size))


def compare(
    expected: Sequence[Expected], got: Sequence[RawTensor], tolerance: Tolerance, cancelling: bool = False
) -> Findings:
    """Compare all outputs of one call, in order. `cancelling`: the inputs are so small that errors may be those of
    numbers around 1."""
    if len(got) != len(expected):
        return Findings(f"{len(got)} outputs where the reference gives {len(expected)}")
    findings = Findings()
    for want, have in zip(expected, got, strict=True):
        findings = findings.worst(compare_output(want, have, tolerance, cancelling))
    return findings


def compare_output(want: Expected, got: RawTensor, tolerance: Tolerance, cancelling: bool = False) -> Findings:
    """Compare one output: dtype, shape, then integers exactly and floats within the tolerance."""
    if got.dtype != want.eager.dtype:
        return Findings(f"output {want.name} is {got.dtype} where the reference gives {want.eager.dtype}")
    if got.shape != want.eager.shape:
        return Findings(
            f"output {want.name} has shape {list(got.shape)} where the reference gives {list(want.eager.shape)}"
        )
    if shares_elements(got.shape, got.strides) and not shares_elements(want.eager.shape, want.eager.strides):
        return Findings(f"output {want.name} has places that share memory, with strides {list(got.strides)}")
    if got.nbytes == 0:
        return Findings()
    assert got.sketched == want.eager.sketched == want.gold.sketched, "a sketch is compared with elements"
    if want.eager.dtype not in FLOORS:
        return _compare_exactly(want, got)
    return _compare_floats(want, got, tolerance, cancelling)


def differ(first: RawTensor, second: RawTensor) -> bool:
    """Whether two runs of one program differ by more than rounding, as those of a random program do."""
    if first.shape != second.shape or first.dtype != second.dtype:
        return True
    if first.dtype not in FLOORS:
        return bytes(first.data) != bytes(second.data)
    return bool(_compare_floats(Expected("", first, first), second, Tolerance(factor=0.0)).mismatch)


def _compare_exactly(want: Expected, got: RawTensor) -> Findings:
    have, right = elements(got), elements(want.eager)
    wrong = have != right
    if not wrong.any():
        return Findings()
    if not got.sketched:
        wrong &= ~_undecided(want, have, right)
        if not wrong.any():
            return Findings()
    return Findings(_mismatch(want, int(wrong.argmax()), have, right, f"{int(wrong.sum())} elements differ"))


def _undecided(want: Expected, have: Elements, right: Elements) -> NDArray[np.bool_]:
    """Which elements are right although eager gives something else: those in which rounding or the order of equal
    values decides, as the gold, nudged values or another order show. They have to be in the range of the output, or of
    indices.

    Where values are put in order, a row in which one element is open is open as a whole: the others move with it. Of
    rows in which no number comes twice, as those of indices are, see `_exchanged`.
    """
    beside = [one for one in (want.gold, *want.nudged, *want.reordered) if one.dtype == want.eager.dtype]
    others = [elements(one) for one in beside if not one.sketched]
    if not others:
        return np.zeros(have.shape, np.bool_)
    every = np.stack([right, *others])
    undecided: NDArray[np.bool_] = (every != right).any(0)
    if want.reordered and len(want.eager.shape) > 1:
        last = want.eager.shape[-1]
        rows = np.any(undecided.reshape(-1, last), axis=1)
        undecided = np.repeat(rows, last) & _exchanged(
            every.reshape(len(every), -1, last), have.reshape(-1, last), rows
        )
    lowest, highest = min(0, int(every.min())), max(int(every.max()), want.longest - 1)
    whole = have.astype(np.int64)
    inside: NDArray[np.bool_] = undecided & (whole >= lowest) & (whole <= highest)
    return inside


#: Numbers of all rows that are told apart.
_MOST_TIED = 1 << 22


def _exchanged(every: Elements, have: Elements, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Flat, which elements are of those that take each other's places in `every` run, by the `rows` that are open.

    Runs that differ in two places at least exchange what is there, and so do those that have one of the two in common.
    Where more take turns than there are places, as at the end of `topk`, others may too that no run has shown. Rows in
    which a number comes twice may have any.
    """
    free = np.ones(have.shape, np.bool_)
    ordered = np.sort(every, axis=-1)
    distinct = rows & (ordered[..., 1:] != ordered[..., :-1]).all(-1).all(0)
    count = int(every.max()) + 1
    if not distinct.any() or every.min() < 0 or count * int(distinct.sum()) > _MOST_TIED:
        return free.reshape(-1)
    runs, mine = every[:, distinct].astype(np.int64), have[distinct].astype(np.int64)
    first = np.arange(len(mine))[:, None] * count
    numbers = runs + first
    unseen = mine.size
    places, groups = np.arange(mine.size).reshape(mine.shape), np.full(count * len(mine), unseen)
    while True:
        for one in numbers:
            np.minimum.at(groups, one, places)
        joined = groups[numbers].min(0)
        if (joined == places).all():
            break
        places = joined
    known = (mine >= 0) & (mine < count)
    group = np.where(known, groups[np.where(known, mine, 0) + first], unseen)
    more = np.bincount(groups, minlength=unseen + 1) > np.bincount(places.reshape(-1), minlength=unseen + 1)
    repeated = np.sort(mine, axis=1)
    once = (repeated[:, 1:] != repeated[:, :-1]).all(1, keepdims=True)
    free[distinct] = once & ((group == places) | ((group == unseen) & more[places]))
    return free.reshape(-1)


def _compare_floats(want: Expected, got: RawTensor, tolerance: Tolerance, cancelling: bool = False) -> Findings:
    sides = _Sides(*(elements(tensor) for tensor in (got, want.eager, want.gold)))
    found = _in_blocks(lambda block: sides.errors(block, want.own.scale), sides.have.size)
    wrong = sum(one.wrong for one in found)
    if wrong:
        first = next(one.place for one in found if one.wrong)
        note = f"NaN or infinity differs in {wrong} elements"
        return Findings(_mismatch(want, first, sides.have, sides.eager, note), float("inf"), float("inf"))
    if want.narrow and want.own.rms >= _MANY_ROUNDINGS:
        tolerance = replace(tolerance, factor=min(tolerance.factor, NARROW_FACTOR))
    rms, peak, place = _combined([one.squares for one in found]) / want.own.scale, *_worst(found)
    if tolerance.kind == "allclose":
        terms = SKETCHED if got.sketched else 1
        excess, where = _worst(_in_blocks(lambda block: sides.excess(block, tolerance, terms), sides.have.size))
        accepted, note = excess <= 0, f"beyond rtol {tolerance.rtol:g}, atol {tolerance.atol:g}"
        place = place if accepted else where
    else:
        floor = max(want.floor, _CANCELLED.get(got.dtype, 0.0) / want.own.scale if cancelling else 0.0)
        limits = max(tolerance.factor * want.own.rms, floor), max(tolerance.factor * want.own.peak, floor)
        accepted = rms <= limits[0] and peak <= limits[1]
        note = f"error rms {rms:.2g}, max {peak:.2g}; allowed {limits[0]:.2g}, {limits[1]:.2g}"
        if accepted and tolerance.factor and not got.sketched:
            uneven = _uneven(want, sides, tolerance)
            accepted = uneven is None
            place, note = uneven or (place, note)
    return Findings("" if accepted else _mismatch(want, place, sides.have, sides.gold, note), rms, peak)


def _uneven(want: Expected, sides: "_Sides", tolerance: Tolerance) -> tuple[int, str] | None:
    """The worst element of the first band that is further off than eager's errors there allow, and a note; or None.

    Where large numbers cancel, what is left of their rounding is as large as they were: that of the inputs, or of 1,
    is allowed everywhere.
    """
    dtype, bands = want.eager.dtype, sides.bands()
    left = _CANCELLING[dtype] * max(1.0, want.given)
    limits = np.maximum(np.maximum(tolerance.factor * want.own_by_band, want.floor * bands.scale), left)
    bad = np.flatnonzero((bands.count > 0) & (bands.error > limits))
    if not bad.size:
        return None
    band = int(bad[0])
    place = _worst(_in_blocks(lambda block: sides.worst_of(block, band), sides.have.size))[1]
    scale, error, limit = (float(values[band]) for values in (bands.scale, bands.error, limits))
    return place, f"where elements are around {scale:.2g} the error's rms is {error:.2g}; allowed {limit:.2g}"


@dataclass(frozen=True)
class _Squares:
    """A sum of squares of `count` values, as multiples of the largest magnitude: large values do not overflow."""

    peak: float
    total: float
    count: int


@dataclass(frozen=True)
class _Worst:
    """One block's largest value, where it is, and the sum of squares; or how many special values are `wrong`, and
    where the first of them is."""

    peak: float
    place: int
    squares: _Squares
    wrong: int = 0


@dataclass(frozen=True)
class _Sides:
    """What is compared, flat; widened to fp64 block by block, as whole outputs may hold gigabytes."""

    have: Elements
    eager: Elements
    gold: Elements

    def magnitude(self, block: slice) -> _Squares:
        """The gold, special values as 0."""
        return _squares(np.where(self._plain(block), self.gold[block].astype(np.float64), 0.0))

    def apart(self, scale: float) -> tuple[float, float]:
        """RMS and peak of the errors, scaled."""
        found = _in_blocks(lambda block: self.errors(block, scale), self.have.size)
        return _combined([one.squares for one in found]) / scale, _worst(found)[0]

    def errors(self, block: slice, scale: float) -> _Worst:
        """Differences from the gold, the peak scaled. NaN and infinity have to be where they should be."""
        plain = self._plain(block)
        have, gold = (side[block].astype(np.float64) for side in (self.have, self.gold))
        wrong = ~np.isfinite(have)
        if not plain.all():
            eager = self.eager[block].astype(np.float64)
            # Eager may overflow where the gold does not: either is right there.
            same = _identical(have, eager) | _identical(have, gold) | (np.isfinite(gold) & np.isfinite(have))
            wrong = np.where(plain, wrong, ~same)
            have, gold = np.where(plain, have, 0.0), np.where(plain, gold, 0.0)
        if wrong.any():
            return _Worst(0.0, block.start + int(wrong.argmax()), _Squares(0.0, 0.0, 0), int(wrong.sum()))
        difference = np.abs(np.subtract(have, gold, out=have), out=have)
        squares = _squares(difference)
        scaled = np.divide(difference, np.add(np.abs(gold, out=gold), scale, out=gold), out=difference)
        place = int(scaled.argmax())
        return _Worst(float(scaled[place]), block.start + place, squares)

    def bands(self) -> Bands:
        """Errors by the gold's magnitude, special values left out."""
        found = sum(_in_blocks(self._band_sums, self.have.size))
        count, gold, error = np.asarray(found, np.float64)
        some = np.maximum(count, 1.0)
        return Bands(count, np.sqrt(gold / some), np.sqrt(error / some))

    def _band_sums(self, block: slice) -> Wide:
        band, plain, error = self._banded(block)
        gold = self.gold[block].astype(np.float64)[plain]
        with np.errstate(over="ignore"):
            weights = np.ones(band.size), np.square(gold), np.square(error)
        return np.stack([np.bincount(band, one, _BANDS) for one in weights])

    def _banded(self, block: slice) -> tuple[NDArray[np.int64], NDArray[np.bool_], Wide]:
        """The bands of what is a number on all sides, which that is, and its errors."""
        plain = self._plain(block) & np.isfinite(self.have[block])
        have, gold = (side[block].astype(np.float64)[plain] for side in (self.have, self.gold))
        exponents = np.frexp(gold)[1].astype(np.int64)
        band = np.where(gold == 0.0, 0, np.clip(exponents // _BAND_BITS + _BANDS // 2, 1, _BANDS - 1))
        return band, plain, np.abs(have - gold)

    def worst_of(self, block: slice, band: int) -> _Worst:
        """The largest error in a band."""
        bands, plain, error = self._banded(block)
        wide = np.full(plain.size, -1.0)
        wide[plain] = np.where(bands == band, error, -1.0)
        place = int(wide.argmax())
        return _Worst(float(wide[place]), block.start + place, _Squares(0.0, 0.0, 0))

    def excess(self, block: slice, tolerance: Tolerance, terms: int) -> _Worst:
        """By how much differences from eager are larger than `allclose` lets them be, if each sums so many terms."""
        plain = self._plain(block)
        have, eager = (np.where(plain, side[block], 0.0).astype(np.float64) for side in (self.have, self.eager))
        excess = np.abs(have - eager) - (math.sqrt(terms) * tolerance.atol + tolerance.rtol * np.abs(eager))
        place = int(excess.argmax())
        return _Worst(float(excess[place]), block.start + place, _Squares(0.0, 0.0, 0))

    def _plain(self, block: slice) -> NDArray[np.bool_]:
        plain: NDArray[np.bool_] = np.isfinite(self.eager[block]) & np.isfinite(self.gold[block])
        return plain


def _in_blocks(work: Callable[[slice], Found], size: int) -> list[Found]:
    """The work on each block, in order; large outputs by several threads."""
    blocks = [slice(start, min(start + _BLOCK, size)) for start in range(0, size, _BLOCK)]
    if len(blocks) < 8:
        return [work(block) for block in blocks]
    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(work, blocks))


def _identical(first: Wide, second: Wide) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = (first == second) | (np.isnan(first) & np.isnan(second))
    return same


def _squares(values: Wide) -> _Squares:
    peak = max(float(values.max()), -float(values.min()))
    if not peak > 0:
        return _Squares(peak, 0.0, values.size)
    parts = values / peak
    return _Squares(peak, float(np.square(parts, out=parts).sum()), values.size)


def _combined(parts: Sequence[_Squares]) -> float:
    """Root of the mean square over all parts."""
    peaks = np.array([part.peak for part in parts])
    peak = float(peaks.max())
    if not peak > 0:
        return 0.0
    total = sum(part.total * (part.peak / peak) ** 2 for part in parts)
    return peak * math.sqrt(total / sum(part.count for part in parts))


def _worst(parts: Sequence[_Worst]) -> tuple[float, int]:
    """The largest value of all blocks and where it is."""
    worst = parts[int(np.argmax([part.peak for part in parts]))]
    return worst.peak, worst.place


def _larger(first: float, second: float) -> float:
    return second if second > first or second != second else first


def _mismatch(want: Expected, place: int, have: Elements, right: Elements, note: str) -> str:
    block = SKETCHED if want.eager.sketched else 1
    index = [int(i) for i in np.unravel_index(place * block, want.eager.shape)]
    if block > 1:
        told = f"signed sum of the {block} elements from {index} on: expected {right[place]:.8g}, got {have[place]:.8g}"
        return f"output {want.name}, {told} ({note})"
    return f"output {want.name}{index}: expected {right[place]:.8g}, got {have[place]:.8g} ({note})"
