"""What a batch of programs did to memory: enough to take it back, and to notice where two programs meet.

Programs that run together do so operation by operation, not one after another. That gives the same values unless one
program touches what another one wrote in a different operation; then the batch is refused (`Meeting`). Within one
operation lanes are ordered by program, so that the last program wins, as it would one after another.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelwright.backend.interpreter.batched_signals import Meeting, TooLarge, Unfollowed

Array = NDArray[np.generic]
Index = NDArray[np.int64]
Marks = NDArray[np.int32]
#: The program number of each lane; None where every program of the batch touches every lane.
Who = Callable[[], Marks | None]

#: Lanes that a batch may write before it is made smaller; each costs about 16 bytes of undo log.
MOST_WRITTEN = 1 << 25


@dataclass
class _Region:
    """One storage. Marks are program numbers by element and stay valid over batches, whose numbers only grow."""

    elements: int
    size: int
    mixed: bool = False
    loaded: bool = False
    stores: int = 0
    updates: int = 0
    unmarked: list[tuple[Index, Who]] = field(default_factory=list)
    writer: Marks | None = None
    reader: Marks | None = None
    updater: Marks | None = None

    def marks(self) -> Marks:
        return np.full(self.elements, -1, np.int32)


class Journal:
    """The accesses of the programs [first, last), kept for one launch; `begin` starts the next batch."""

    def __init__(self) -> None:
        self._regions: dict[int, _Region] = {}
        self._followed: set[int] = set()
        self._undo: list[tuple[Array, Index, Array]] = []
        self._written = 0
        self._first, self._last = 0, 0
        self._many = -1
        self._update = 0
        self._first_update = 0

    def begin(self, first: int, last: int) -> None:
        """Start a batch of those programs; what was done before stays."""
        self._first, self._last = first, last
        self._many -= 1
        self._first_update = self._update
        self._undo.clear()
        self._written = 0
        for region in self._regions.values():
            region.loaded, region.stores, region.updates, region.mixed = False, 0, 0, False
            region.unmarked.clear()

    def follow(self, storage: int) -> None:
        """From the next batch on, note who reads that storage."""
        self._followed.add(storage)

    def mark(self) -> int:
        """A point to undo back to."""
        return len(self._undo)

    def undo(self, mark: int = 0) -> None:
        """Give memory the content it had at the mark. Marks stay: the same programs do the same again."""
        while len(self._undo) > mark:
            items, index, old = self._undo.pop()
            items[index] = old

    def _region(self, storage: int, items: Array) -> _Region:
        region = self._regions.get(storage)
        if region is None:
            region = self._regions[storage] = _Region(items.size, items.itemsize)
        elif region.size != items.itemsize:
            region.mixed = True
        return region

    def loaded(self, storage: int, items: Array, index: Index, who: Who) -> None:
        """These elements are about to be read."""
        region = self._region(storage, items)
        if region.updates or (region.stores and region.mixed):
            raise Meeting
        if region.stores:
            self._apart(self._writer(region), index, who())
        if storage in self._followed and not region.mixed:
            self._note_readers(region, index, who())
        region.loaded = True

    def stored(self, storage: int, items: Array, index: Index, who: Who) -> None:
        """These elements are about to be written."""
        region = self._region(storage, items)
        if region.mixed or region.updates:
            raise Meeting
        if region.loaded:
            if storage not in self._followed:
                raise Unfollowed(storage)
            if region.reader is not None:
                self._apart(region.reader, index, who())
        if region.stores:
            writer, numbers = self._writer(region), who()
            assert numbers is not None
            self._apart(writer, index, numbers)
            writer[index] = numbers
        else:
            region.unmarked.append((index, who))
        region.stores += 1
        self.keep(items, index)

    def updated(self, storage: int, items: Array, index: Index) -> None:
        """These elements are about to be changed by an atomic, lanes in the order of programs."""
        region = self._region(storage, items)
        if region.mixed or region.loaded or region.stores:
            raise Meeting
        self._update += 1
        if region.updater is None:
            region.updater = region.marks()
        if (region.updater[index] > self._first_update).any():
            raise Meeting
        region.updater[index] = self._update
        region.updates += 1
        self.keep(items, index)

    def keep(self, items: Array, index: Index) -> None:
        """Remember what these elements hold now; raises TooLarge where that gets out of hand."""
        self._written += index.size
        if self._written > MOST_WRITTEN and self._last - self._first > 1:
            raise TooLarge((self._last - self._first) // 2)
        self._undo.append((items, index, items[index]))

    def _writer(self, region: _Region) -> Marks:
        if region.writer is None:
            region.writer = region.marks()
        for index, who in region.unmarked:
            numbers = who()
            assert numbers is not None
            region.writer[index] = numbers
        region.unmarked.clear()
        return region.writer

    def _others(self, marks: Marks, numbers: Marks | None) -> NDArray[np.bool_]:
        """Which marks were left in this batch by another program."""
        others: Any = (marks >= self._first) & (marks < self._last)
        if numbers is not None:
            others &= marks != numbers
        return others | (marks == self._many)  # type: ignore[no-any-return]

    def _apart(self, marks: Marks, index: Index, numbers: Marks | None) -> None:
        if self._others(marks[index], numbers).any():
            raise Meeting

    def _note_readers(self, region: _Region, index: Index, numbers: Marks | None) -> None:
        if region.reader is None:
            region.reader = region.marks()
        if numbers is None:
            region.reader[index] = self._many
            return
        before = region.reader[index]
        region.reader[index] = numbers
        shared = self._others(before, numbers) | (region.reader[index] != numbers)
        region.reader[index[shared]] = self._many
