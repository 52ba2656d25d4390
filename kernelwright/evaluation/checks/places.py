"""Where infinities, NaN and numbers stand in outputs, on inputs that lead to such."""

import numpy as np
from numpy.typing import NDArray

from kernelwright.evaluation.checks.expected import FLOORS, Expected
from kernelwright.evaluation.checks.findings import Findings, sentence
from kernelwright.evaluation.checks.sides import Elements, Wide, elements
from kernelwright.evaluation.protocol.wire import RawTensor

#: The largest numbers: what is larger is infinite where an output is rounded.
_LARGEST = {"f64": np.inf, "f32": 3.4e38, "bf16": 3.38e38, "f16": 65504.0}
#: How far apart numbers may be of two runs that agree, and of a candidate beside them; and by how much at any rate.
_NEAR, _FAR, _SMALL = 2.0**-6, 2.0**-3, 1e-3


def compare_places(want: Expected, got: RawTensor) -> Findings:
    """Compare where numbers, infinities and NaN stand, and numbers roughly.

    Elements are left out on which eager, the gold and nudged runs disagree, as those that overflow on the way. So are
    whole numbers.
    """
    if want.eager.dtype not in FLOORS or got.sketched:
        return Findings()
    have, eager = elements(got), elements(want.eager)
    return _told(want, have, _agreed(want, eager) & _differ(have, eager))


def compare_numbers(want: Expected, got: RawTensor) -> Findings:
    """Compare elements that are numbers: whole ones exactly, others roughly. Elements are left out as above."""
    if got.sketched:
        return Findings()
    have, eager = elements(got), elements(want.eager)
    if want.eager.dtype in FLOORS:
        return _told(want, have, _agreed(want, eager) & _differ(have, eager) & ~np.isnan(eager))
    wrong = have != eager
    for one in (want.gold, *want.nudged):
        wrong &= elements(one) == eager
    return _told(want, have, wrong)


def _agreed(want: Expected, eager: Elements) -> NDArray[np.bool_]:
    """On which elements eager, the gold and nudged runs agree."""
    gold = elements(want.gold).astype(np.float64)
    gold = np.where(np.abs(gold) > _LARGEST[want.eager.dtype], np.copysign(np.inf, gold), gold)
    agreed = _alike(eager, gold)
    for one in want.nudged:
        agreed &= _alike(eager, elements(one))
    return agreed


def _differ(have: Elements, eager: Elements) -> NDArray[np.bool_]:
    different: NDArray[np.bool_] = (_kind(have) != _kind(eager)) | ~_alike(have, eager, _FAR)
    return different


def _told(want: Expected, have: Elements, wrong: NDArray[np.bool_]) -> Findings:
    if not wrong.any():
        return Findings()
    count = int(wrong.sum())
    note = f"{count} elements differ" if want.numbers else f"NaN or infinity differs in {count} elements"
    return Findings(sentence(want, int(wrong.argmax()), have, elements(want.eager), note), float("inf"), float("inf"))


def _kind(values: Elements | Wide) -> NDArray[np.int64]:
    """0 for numbers, 1 and -1 for infinities, 2 for NaN."""
    kinds: NDArray[np.int64] = np.where(np.isnan(values), 2, np.where(np.isinf(values), np.sign(values), 0)).astype(int)
    return kinds


def _alike(first: Elements, second: Elements | Wide, apart: float = _NEAR) -> NDArray[np.bool_]:
    """Where two runs agree: in NaN, in an infinity, or in a number."""
    with np.errstate(invalid="ignore", over="ignore"):
        one, other = first.astype(np.float64), second.astype(np.float64)
        near = np.abs(one - other) <= apart * np.abs(other) + _SMALL
    same: NDArray[np.bool_] = (_kind(first) == _kind(second)) & (near | ~np.isfinite(first))
    return same
