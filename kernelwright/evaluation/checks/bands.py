"""How far off elements of about one magnitude may be, so that large elements excuse nothing in small ones."""

import math

import numpy as np

from kernelwright.evaluation.checks.expected import CANCELLING, FEW, RESPELLED_FACTOR, UNITS, Expected
from kernelwright.evaluation.checks.sides import Bands, Sides, Wide, in_blocks, worst
from kernelwright.ir.values import Tolerance

#: A band is populous that has `FEW` elements or more, and such a share of all. If its error is above the first part of
#: its size and eager's is below the second, it is lost.
_SHARE = 1 / 64
_LOST, _LOST_OF_16_BITS, _SOUND = 1 / 8, 1 / 16, 1 / 128
#: What is left of numbers in fp64 where others cancel: such a part of the outputs' RMS stands for zero, unless eager
#: computes it well.
_ROUNDED_AWAY = 2.0**-49
#: How many times as much as of one number may be left of a sum of many.
_MOST_OF_A_SUM = 8.0
#: From so many elements on rounding evens out; and how many times as far off as eager outputs may be as a whole.
_SCALED, _SCALE_FACTOR = 16, 4.0


def uneven(want: Expected, sides: Sides, tolerance: Tolerance) -> tuple[int, str] | None:
    """The worst element of the first band that is further off than eager's errors there allow, and a note; or None."""
    bands = sides.bands(want.gold_bands)
    limits = _limits(want, bands, tolerance)
    bad = np.flatnonzero((bands.count > 0) & (bands.error > limits))
    if not bad.size:
        return None
    band = int(bad[0])
    place = worst(in_blocks(lambda block: sides.worst_of(block, band), sides.have.size))[1]
    scale, error, limit = (float(values[band]) for values in (bands.scale, bands.error, limits))
    return place, f"where elements are around {scale:.2g} the error's rms is {error:.2g}; allowed {limit:.2g}"


def off_scale(want: Expected, sides: Sides) -> tuple[int, str] | None:
    """The worst element and a note if outputs of 16 bits are, as a whole, off by half a unit in the last place or more,
    and eager's are not; or None. Rounding of many numbers evens out. Only where inputs are `ordinary`."""
    dtype = want.eager.dtype
    if not want.ordinary or dtype not in ("f16", "bf16") or sides.have.size < _SCALED:
        return None
    off = sides.scale_error()
    limit = max(UNITS[dtype] / 2, *(_SCALE_FACTOR * abs(one) for one in want.own_scale_errors))
    if abs(off) <= limit:
        return None
    place = worst(in_blocks(lambda block: sides.errors(block, want.own.scale), sides.have.size))[1]
    return place, f"outputs are off by {off:.2g} of their size as a whole; allowed {limit:.2g}"


def _limits(want: Expected, bands: Bands, tolerance: Tolerance) -> Wide:
    """The largest error of each band.

    Where large numbers cancel, what is left of their rounding is as large as they were: that of the inputs, or of 1,
    is allowed everywhere, but for two cases. Where inputs are `impulses` nothing cancels. Where they are `ordinary`,
    few numbers cancel by chance: a populous band that eager computes well is no remainder. A zero may be what is left
    of a sum of inputs, whose rounding grows with the root of their number.
    """
    dtype = want.eager.dtype
    own = np.maximum(tolerance.factor * want.own_by_band, want.floor * bands.scale)
    own = np.maximum(own, RESPELLED_FACTOR * want.respelled_by_band)
    left = np.full_like(own, CANCELLING[dtype] * max(1.0, want.given))
    sound = want.own_by_band <= _SOUND * bands.scale
    some = (bands.scale > _ROUNDED_AWAY * want.own.scale) | (sound & (bands.scale > 0))
    left[~some] *= min(math.sqrt(max(1, want.longest)), _MOST_OF_A_SUM)
    if want.impulses:
        left[some] = 0.0
    if want.ordinary:
        populous = (bands.count >= FEW) & (bands.count >= _SHARE * bands.count.sum())
        lost = _LOST if dtype in ("f32", "f64") else _LOST_OF_16_BITS
        least = np.where(some & populous & sound, lost * bands.scale, np.inf)
        left = np.minimum(left, least)
    limits: Wide = np.maximum(own, left)
    return limits
