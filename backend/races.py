"""Stores of two programs of one launch to the same element: which of them stays is left to chance on a GPU."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Index = NDArray[np.int64]
Marks = NDArray[np.int32]

#: Two programs that compute the same element may differ by rounding, relative to the largest of the values stored.
_ROUNDING = 1e-2


class Races:
    """Who stored what, for one launch. Programs that use atomics may take turns by them: from the first one on nothing
    is held against a launch."""

    def __init__(self) -> None:
        self.ordered = False
        self._writers: dict[int, tuple[int, Marks]] = {}

    def forget(self, first: int) -> None:
        """What the programs from that number on have stored is taken back."""
        for _, writer in self._writers.values():
            writer[writer >= first] = -1

    def store(self, storage: int, items: Array, index: Index, values: Array, programs: Marks) -> int | None:
        """Store the values; the number of the first lane whose element another program gave another value, or gives
        one in this very store."""
        size, writer = self._writers.setdefault(storage, (items.itemsize, np.full(items.size, -1, np.int32)))
        if self.ordered or size != items.itemsize:
            items[index] = values
            return None
        before = writer[index]
        foreign = np.flatnonzero((before >= 0) & (before != programs))
        apart = foreign[_differ(items[index[foreign]], values[foreign])] if foreign.size else foreign
        items[index], writer[index] = values, programs
        if not apart.size:
            lost = np.flatnonzero(writer[index] != programs)
            apart = lost[_differ(items[index[lost]], values[lost])] if lost.size else lost
        return int(apart[0]) if apart.size else None


def _differ(first: Array, second: Array) -> NDArray[np.bool_]:
    """Which values differ by more than rounding; 16-bit ones that numpy has no type for, by more than one unit."""
    if first.dtype.kind == "f":
        have, want = first.astype(np.float64), second.astype(np.float64)
        scale = np.abs(np.where(np.isfinite(want), want, 0.0)).max()
        return ~np.isclose(have, want, rtol=_ROUNDING, atol=_ROUNDING * float(scale), equal_nan=True)
    if first.dtype == np.uint16:
        return np.abs(first.astype(np.int32) - second.astype(np.int32)) > 1
    return np.asarray(first != second)
