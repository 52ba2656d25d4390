"""Outputs side by side, widened to fp64 block by block: magnitudes, errors, and both by group of magnitude."""

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.ir.values import INPUT_DTYPES, Tolerance

#: Bands of 32 times the magnitude of the one below; the first is that of zeros.
_BAND_BITS, _BANDS = 5, 128
#: The band of a number by the eleven bits of its exponent in fp64, which are 1022 for numbers from 1/2 to 1.
_BAND_OF = np.clip((np.arange(1 << 11) - 1022) // _BAND_BITS + _BANDS // 2, 1, _BANDS - 1)
_BAND_OF[0] = 0
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


#: Beyond this a number of fp32 may overflow, where another order of operations makes it a little larger on the way.
_NEARLY_INFINITE = 0.9 * float(np.finfo(np.float32).max)

Wide = NDArray[np.float64]
Elements = NDArray[np.generic]
Found = TypeVar("Found")

#: Elements widened at a time, and the threads that do so: what larger blocks need is mapped anew each time, and threads
#: that map wait for one another.
_BLOCK, _THREADS = 1 << 15, min(4, os.cpu_count() or 1)


def elements(tensor: RawTensor) -> Elements:
    """A tensor's elements, or its sketch, flat; 16-bit floats of either kind widened to f32. fp8, which is compared to
    the bit, as places in the order of its numbers: zeros are one number, and NaN is the last."""
    if tensor.sketched:
        return np.frombuffer(tensor.data, "<f8" if tensor.dtype.startswith(("f", "bf")) else "<i8")
    if tensor.dtype == "bf16":
        return (np.frombuffer(tensor.data, "<u2").astype("<u4") << 16).view("<f4")
    if tensor.dtype in INPUT_DTYPES:
        bits = np.frombuffer(tensor.data, "u1")
        size = (bits & 0x7F).astype("<i2")
        nan = size > (0x7E if tensor.dtype == "f8e4m3" else 0x7C)
        return np.where(nan, 0x7F, np.where(bits > 0x7F, -size, size))
    flat: Elements = np.frombuffer(tensor.data, "<" + _NUMPY[tensor.dtype])
    return flat.astype("<f4") if tensor.dtype == "f16" else flat


@dataclass(frozen=True)
class Bands:
    """By band: how many elements, the RMS of the gold, and that of the errors."""

    count: Wide
    scale: Wide
    error: Wide


@dataclass(frozen=True)
class Squares:
    """A sum of squares of `count` values, as multiples of the largest magnitude: large values do not overflow."""

    peak: float
    total: float
    count: int


@dataclass(frozen=True)
class Worst:
    """One block's largest value, where it is, and the sum of squares; or how many special values are `wrong`, and
    where the first of them is."""

    peak: float
    place: int
    squares: Squares
    wrong: int = 0


@dataclass(frozen=True)
class GoldBands:
    """The gold, its bands, and by band how many elements there are and the sum of their squares: found once for all
    candidates."""

    gold: Wide
    band: NDArray[np.int64]
    count: Wide
    squares: Wide

    def squares_of(self, have: Elements) -> Wide:
        """The sum of squared errors by band."""
        with np.errstate(over="ignore"):
            error = np.square(have.astype(np.float64) - self.gold)
        return _sums(self.band, error)


@dataclass(frozen=True)
class Sides:
    """What is compared, flat; widened to fp64 block by block, as whole outputs may hold gigabytes."""

    have: Elements
    eager: Elements
    gold: Elements

    def magnitude(self, block: slice) -> Squares:
        """The gold, special values as 0."""
        return squares(np.where(self._plain(block), self.gold[block].astype(np.float64), 0.0))

    def apart(self, scale: float) -> tuple[float, float]:
        """RMS and peak of the errors, scaled."""
        found = in_blocks(lambda block: self.errors(block, scale), self.have.size)
        return combined([one.squares for one in found]) / scale, worst(found)[0]

    def lost(self, scale: float, most: float) -> tuple[float, float]:
        """The same of the elements that are off by more than their own size, and by no more than `most`."""
        found = in_blocks(lambda block: self._lost(block, most), self.have.size)
        return combined(found) / scale, max(one.peak for one in found) / scale

    def _lost(self, block: slice, most: float) -> Squares:
        _, _, gold, error = self._banded(block)
        lost = np.where((error > np.abs(gold)) & (error <= most), error, 0.0)
        return squares(lost) if lost.size else Squares(0.0, 0.0, 0)

    def errors(self, block: slice, scale: float) -> Worst:
        """Differences from the gold, the peak scaled. NaN and infinity have to be where they should be."""
        plain = self._plain(block)
        have, gold = (side[block].astype(np.float64) for side in (self.have, self.gold))
        if np.isinf(have).any():
            over = np.isinf(have) & (np.abs(gold) > _NEARLY_INFINITE) & (np.signbit(have) == np.signbit(gold))
            have = np.where(over, gold, have)
        wrong = ~np.isfinite(have)
        if not plain.all():
            eager = self.eager[block].astype(np.float64)
            # Eager may overflow where the gold does not: either is right there.
            same = _identical(have, eager) | _identical(have, gold) | (np.isfinite(gold) & np.isfinite(have))
            wrong = np.where(plain, wrong, ~same)
            have, gold = np.where(plain, have, 0.0), np.where(plain, gold, 0.0)
        if wrong.any():
            return Worst(0.0, block.start + int(wrong.argmax()), Squares(0.0, 0.0, 0), int(wrong.sum()))
        difference = np.abs(np.subtract(have, gold, out=have), out=have)
        total = squares(difference)
        scaled = np.divide(difference, np.add(np.abs(gold, out=gold), scale, out=gold), out=difference)
        place = int(scaled.argmax())
        return Worst(float(scaled[place]), block.start + place, total)

    def scale_error(self) -> float:
        """By what share of their size all elements are too large, in the mean by the gold's squares."""
        found = np.asarray(sum(in_blocks(self._scale_sums, self.have.size)), np.float64)
        return float(found[0] / found[1]) if found[1] > 0 else 0.0

    def _scale_sums(self, block: slice) -> Wide:
        plain = self._plain(block) & np.isfinite(self.have[block])
        have, gold = (np.where(plain, side[block], 0.0).astype(np.float64) for side in (self.have, self.gold))
        with np.errstate(over="ignore"):
            return np.array([((have - gold) * gold).sum(), np.square(gold).sum()])

    def bands(self, known: "GoldBands | None" = None) -> Bands:
        """Errors by the gold's magnitude, special values left out; `known`: what the gold alone tells, if it does."""
        if known is not None and np.isfinite(self.have).all():
            count, gold, error = known.count, known.squares, known.squares_of(self.have)
        else:
            found = sum(in_blocks(self._band_sums, self.have.size))
            count, gold, error = np.asarray(found, np.float64)
        some = np.maximum(count, 1.0)
        return Bands(count, np.sqrt(gold / some), np.sqrt(error / some))

    def gold_bands(self) -> "GoldBands | None":
        """What the gold alone tells of bands; None where values are special, or too many to keep."""
        every = slice(0, self.gold.size)
        if self.gold.size > _BLOCK or not self._plain(every).all():
            return None
        gold = self.gold.astype(np.float64)
        band = _band_of(gold)
        with np.errstate(over="ignore"):
            found = _sums(band, np.square(gold))
        return GoldBands(gold, band, _sums(band, None), found)

    def _band_sums(self, block: slice) -> Wide:
        band, _, gold, error = self._banded(block)
        with np.errstate(over="ignore"):
            weights = None, np.square(gold, out=gold), np.square(error, out=error)
        return np.stack([_sums(band, one) for one in weights])

    def _banded(self, block: slice) -> tuple[NDArray[np.int64], NDArray[np.bool_], Wide, Wide]:
        """The bands of what is a number on all sides, which that is, its gold and its errors."""
        plain = self._plain(block) & np.isfinite(self.have[block])
        have, gold = (side[block].astype(np.float64) for side in (self.have, self.gold))
        if not plain.all():
            have, gold = have[plain], gold[plain]
        band = _band_of(gold)
        return band, plain, gold, np.abs(np.subtract(have, gold, out=have), out=have)

    def worst_of(self, block: slice, band: int) -> Worst:
        """The largest error in a band."""
        bands, plain, _, error = self._banded(block)
        wide = np.full(plain.size, -1.0)
        wide[plain] = np.where(bands == band, error, -1.0)
        place = int(wide.argmax())
        return Worst(float(wide[place]), block.start + place, Squares(0.0, 0.0, 0))

    def excess(self, block: slice, tolerance: Tolerance, terms: int) -> Worst:
        """By how much differences from eager are larger than `allclose` lets them be, if each sums so many terms."""
        plain = self._plain(block)
        have, eager = (np.where(plain, side[block], 0.0).astype(np.float64) for side in (self.have, self.eager))
        excess = np.abs(have - eager) - (math.sqrt(terms) * tolerance.atol + tolerance.rtol * np.abs(eager))
        place = int(excess.argmax())
        return Worst(float(excess[place]), block.start + place, Squares(0.0, 0.0, 0))

    def _plain(self, block: slice) -> NDArray[np.bool_]:
        plain: NDArray[np.bool_] = np.isfinite(self.eager[block]) & np.isfinite(self.gold[block])
        return plain


def in_blocks(work: Callable[[slice], Found], size: int) -> list[Found]:
    """The work on each block, in order; large outputs by several threads."""
    blocks = [slice(start, min(start + _BLOCK, size)) for start in range(0, size, _BLOCK)]
    if len(blocks) < 8:
        return [work(block) for block in blocks]
    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(work, blocks))


def _band_of(gold: Wide) -> NDArray[np.int64]:
    found: NDArray[np.int64] = _BAND_OF[(gold.view(np.int64) >> 52) & 0x7FF]
    return found


def _sums(band: NDArray[np.int64], weights: Wide | None) -> Wide:
    """By band, the sum of the elements' weights; without weights, how many elements there are."""
    return np.bincount(band, weights, _BANDS).astype(np.float64)


def _identical(first: Wide, second: Wide) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = (first == second) | (np.isnan(first) & np.isnan(second))
    return same


def squares(values: Wide) -> Squares:
    peak = max(float(values.max()), -float(values.min()))
    if not peak > 0:
        return Squares(peak, 0.0, values.size)
    parts = values / peak
    return Squares(peak, float(np.square(parts, out=parts).sum()), values.size)


def combined(parts: Sequence[Squares]) -> float:
    """Root of the mean square over all parts."""
    peaks = np.array([part.peak for part in parts])
    peak = float(peaks.max())
    if not peak > 0:
        return 0.0
    total = sum(part.total * (part.peak / peak) ** 2 for part in parts)
    return peak * math.sqrt(total / sum(part.count for part in parts))


def worst(parts: Sequence[Worst]) -> tuple[float, int]:
    """The largest value of all blocks and where it is."""
    worst = parts[int(np.argmax([part.peak for part in parts]))]
    return worst.peak, worst.place
