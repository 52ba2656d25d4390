"""Integers and truth values compared exactly, but where rounding or the order of equal values decides."""

import numpy as np
from numpy.typing import NDArray

from kernelwright.evaluation.checks.expected import ORDERS, PLAIN, Expected
from kernelwright.evaluation.checks.findings import Findings, sentence
from kernelwright.evaluation.checks.sides import Elements, elements
from kernelwright.evaluation.protocol.wire import RawTensor


def compare_exactly(want: Expected, got: RawTensor) -> Findings:
    have, right = elements(got), elements(want.eager)
    wrong = have != right
    if not wrong.any():
        return Findings()
    if not got.sketched:
        wrong &= ~_undecided(want, have, right)
        if not wrong.any():
            return Findings()
    return Findings(sentence(want, int(wrong.argmax()), have, right, f"{int(wrong.sum())} elements differ"))


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
    if len(want.reordered) == ORDERS and (len(want.eager.shape) > 1 or _are_permutations(every)):
        last = want.eager.shape[-1]
        rows = np.any(undecided.reshape(-1, last), axis=1)
        undecided = np.repeat(rows, last) & _exchanged(
            every.reshape(len(every), -1, last), have.reshape(-1, last), rows
        )
    else:
        undecided &= (every == have).any(0) | (_distinct(every) > _FEW) | _ordered_otherwise(want, right)
    lowest, highest = min(0, int(every.min())), max(int(every.max()), want.longest - 1)
    whole = have.astype(np.int64)
    inside: NDArray[np.bool_] = undecided & (whole >= lowest) & (whole <= highest)
    if want.longest and int(every.max()) >= 2 * want.longest:  # no indices: rounding moves them by little
        least, most = every.min(0).astype(np.float64), every.max(0).astype(np.float64)
        inside &= (have >= least - (most - least)) & (have <= most + (most - least))
    return inside


#: Where runs give so few numbers for an element, they are all that it may be: more may take turns that none has shown.
_FEW = 2


def _are_permutations(every: Elements) -> bool:
    """Whether runs' outputs of one dimension are places of the elements of a vector in some order."""
    return every.shape[1] > _FEW and bool((np.sort(every, axis=1) == np.arange(every.shape[1])).all())


def _ordered_otherwise(want: Expected, right: Elements) -> NDArray[np.bool_]:
    """Which elements depend on the order of equal values: all places of these values are open then."""
    changed = np.zeros(right.shape, np.bool_)
    for one in want.reordered[: PLAIN if len(want.reordered) == ORDERS else 1]:
        if not one.sketched and one.dtype == want.eager.dtype:
            changed |= elements(one) != right
    return changed


def _distinct(every: Elements) -> NDArray[np.int64]:
    """How many different numbers the runs give for each element."""
    ordered = np.sort(every, axis=0)
    counted: NDArray[np.int64] = 1 + (ordered[1:] != ordered[:-1]).sum(0)
    return counted


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
