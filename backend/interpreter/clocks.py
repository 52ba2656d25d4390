"""What orders the programs of a launch: atomics on common elements, by vector clocks."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]

#: The mark of an element that several programs have read.
MANY = -2
#: Elements of one atomic that each order accesses; those of larger ones do so together.
_MOST_APART = 1 << 12
#: Entries of all clocks; with more, programs that use atomics at all count as ordered.
_MOST_ENTRIES = 1 << 21

#: What a program knows of others: how many times each has let others know what it had done.
Clock = Mapping[int, int]


class Clocks:
    """The clock of each program, and those that programs have left at elements. Elements are told by their offset."""

    def __init__(self) -> None:
        self._knows: dict[int, dict[int, int]] = {}
        self._told: dict[int, int] = {}
        self._left: dict[tuple[int, int], Clock] = {}
        self._entries = 0
        # Programs that used atomics while they ran together, when nobody noted what that orders.
        self._vague: set[int] = set()
        self._perhaps: set[int] = set()

    @property
    def any(self) -> bool:
        """Whether any program has let others know what it had done."""
        return bool(self._told)

    @property
    def unknown(self) -> bool:
        """Whether programs used atomics while they ran together."""
        return bool(self._vague or self._perhaps)

    def begin(self) -> None:
        """Other programs follow; what ran together is over."""
        self._vague |= self._perhaps
        self._perhaps = set()

    def undo(self) -> None:
        """Forget which programs used atomics together since `begin`."""
        self._perhaps = set()

    def together(self, programs: NDArray[np.int32]) -> None:
        """These programs use an atomic while they run together."""
        self._perhaps |= set(np.unique(programs).tolist())

    def time(self, program: int) -> int:
        """How many times a program has let others know what it had done."""
        return self._told.get(program, 0)

    def ordered(self, earlier: int, time: int, later: int) -> bool:
        """Whether what one program did at its time comes before what another one does now."""
        if self._entries > _MOST_ENTRIES or earlier in self._vague or earlier == MANY:
            return later in self._knows
        return self._knows.get(later, {}).get(earlier, 0) > time

    def learn(self, program: int, storage: int, index: Index) -> None:
        """A program reads elements so that it knows what those know that changed them."""
        knows = self._knows.setdefault(program, {})
        for place in _places(storage, index):
            for other, times in self._left.get(place, {}).items():
                knows[other] = max(times, knows.get(other, 0))

    def order(self, program: int, storage: int, index: Index, acquire: bool, release: bool) -> None:
        """A program changes elements atomically."""
        if self._entries > _MOST_ENTRIES:
            self._knows.setdefault(program, {})
            return
        if acquire:
            self.learn(program, storage, index)
        if not release:
            return
        times = self._told[program] = self._told.get(program, 0) + 1
        known = {**self._knows.setdefault(program, {}), program: times}
        self._knows[program] = known
        for place in _places(storage, index):
            before = self._left.get(place, {})
            both = {**before, **{one: max(count, before.get(one, 0)) for one, count in known.items()}}
            self._left[place] = both
            self._entries += len(both) - len(before)


def _places(storage: int, index: Index) -> list[tuple[int, int]]:
    apart = np.unique(index)
    return [(storage, -1)] if apart.size > _MOST_APART else [(storage, int(one)) for one in apart]
