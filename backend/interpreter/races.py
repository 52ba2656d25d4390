"""Accesses to one element whose order a GPU leaves to chance: by two programs of a launch, or two threads of a program.

Programs run at the same time, so an element that one of them writes is nobody else's, unless something orders the two
accesses: the first program changes an element atomically after its access, and the other one does so with the same
element before its own, be it by way of others. (An atomic that is `relaxed` orders nothing, and one whose scope is
`cta` is none to other programs.) Threads of one program meet where it accesses an element in two places of its blocks
and stores to it in one of them; between the two accesses there has to be a barrier, as `tl.debug_barrier`, products
and reductions across warps have one. What a store leaves as it was counts as no write.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from kernelwright.backend.interpreter.batched_signals import Meeting
from kernelwright.backend.interpreter.clocks import MANY, Clocks
from kernelwright.backend.interpreter.regions import (
    Array,
    Index,
    Lanes,
    Marks,
    Region,
    Truths,
    fine_index,
    fine_lanes,
    repeated,
)

#: Two programs that compute the same element may differ by so many units of rounding of the largest value stored.
_UNITS = 4
#: Reads of a storage that nobody has written to are kept as they came up to so many lanes, then marked.
_MOST_KEPT = 1 << 20


class Races:
    """Who did what to which element in one launch. What finds a race gives its first lane, and what it is."""

    def __init__(self) -> None:
        self._regions: dict[int, Region] = {}
        self._clocks = Clocks()
        self._log: list[tuple[Array, Any, Any]] = []
        self._together = False
        #: The barrier that the running program was at last; no two have the same.
        self.moment, self._last = 0, 0

    # what runs

    def begin(self, *, together: bool) -> None:
        """Programs follow, `together` or one after another."""
        self._together = together
        self._clocks.begin()
        self._log.clear()

    def mark(self) -> int:
        """A point to undo back to."""
        return len(self._log)

    def undo(self, mark: int = 0) -> None:
        """Forget what was noted since the mark."""
        if not mark:
            self._clocks.undo()
        while len(self._log) > mark:
            marks, index, old = self._log.pop()
            marks[index] = old

    def barrier(self) -> None:
        """All threads of a program have come to this point."""
        self._last += 1
        self.moment = self._last

    # accesses

    def loaded(self, storage: int, items: Array, index: Index, lanes: Lanes, volatile: bool) -> tuple[int, str] | None:
        """These elements are about to be read."""
        region = self._region(storage, items)
        if region.writer is None and region.updater is None:
            if not volatile:
                self._keep(region, index, lanes, (items.itemsize, items.size))
            return None
        if volatile and region.updater is not None and not self._together:
            programs = lanes.programs()
            if programs is not None:
                self._clocks.learn(int(programs[0]), storage, index * items.itemsize)
        times = self._fitted(region, items.itemsize, items.size)
        index, lanes = fine_index(index, times), fine_lanes(lanes, times)
        found = self._met_load(region, index, lanes, volatile)
        return None if found is None else (found[0] // times, found[1])

    def _met_load(self, region: Region, index: Index, lanes: Lanes, volatile: bool) -> tuple[int, str] | None:
        """The first lane of a load of what another program, or another thread of its own, writes."""
        programs = lanes.programs()
        if region.updater is not None:
            found = self._foreign(region.updater, region.updated, index, programs)
            if found is not None:
                return found, "which another program of the grid changes atomically"
        if region.writer is not None:
            found = self._foreign(region.writer, region.wrote, index, programs)
            if found is not None:
                return found, "which another program of the grid stores in the same launch"
            found = self._unsynchronised(region.writer, region.place, region.moment, index, lanes)
            if found is not None:
                return found, "which another thread of the program stores without a barrier after it"
        if not volatile:  # such a load may see a flag before another program sets it
            self._mark_readers(region, index, programs, lanes.places(), self.moment)
        return None

    def store(self, storage: int, items: Array, index: Index, values: Array, lanes: Lanes) -> tuple[int, str] | None:
        """Store the values."""
        region = self._region(storage, items)
        before = items[index]
        changed = _bits(before) != _bits(values)
        some = bool(changed.any())
        if some:
            self._read_until_now(region)
        times = self._fitted(region, items.itemsize, items.size)
        found, fine, every = None, fine_index(index, times), fine_lanes(lanes, times)
        if some:

            def apart() -> Index:
                return fine_index(np.flatnonzero(changed)[_differ(before[changed], values[changed])], times)

            found = self._met(region, fine, every, apart, repeated(changed, times))
            found = None if found is None else (found[0] // times, found[1])
        items[index] = values
        lost = np.flatnonzero(_bits(items[index]) != _bits(values))
        if found is None and lost.size:
            other = lost[_differ(items[index[lost]], values[lost])]
            if other.size:
                found = int(other[0]), "where another lane stores something else"
        if some:
            self._mark_writers(region, fine, every, None if changed.all() else repeated(changed, times))
        return found

    def update(
        self, storage: int, items: Array, index: Index, lanes: Lanes, acquire: bool, release: bool, narrow: bool = False
    ) -> tuple[int, str] | None:
        """These elements are about to be changed atomically, and order accesses as told; `narrow`: atomically to the
        threads of one program alone."""
        region, programs = self._region(storage, items), lanes.programs()
        assert programs is not None
        moment = self._times(programs)  # what it releases includes the update itself
        if self._together:
            self._clocks.together(programs)
        elif not narrow:
            self._clocks.order(int(programs[0]), storage, index * items.itemsize, acquire, release)
        self._read_until_now(region)
        times = self._fitted(region, items.itemsize, items.size)
        found = self._met_update(region, fine_index(index, times), repeated(programs, times), moment, narrow)
        return None if found is None else (found[0] // times, found[1])

    def _met_update(
        self, region: Region, index: Index, programs: Marks, moment: int, narrow: bool
    ) -> tuple[int, str] | None:
        """The first lane of an atomic that meets what is none of another program."""
        for marks, times, what in (
            (region.writer, region.wrote, "which another program of the grid stores in the same launch"),
            (region.reader, region.read, "which another program of the grid reads without an atomic"),
        ):
            found = None if marks is None else self._foreign(marks, times, index, programs)
            if found is not None:
                return found, what
        if region.updater is None or region.updated is None:
            region.updater, region.updated = region.marks(), region.marks()
        met = self._met_narrowly(region, index, programs, narrow)
        if met is not None:
            return met, 'which another program of the grid changes too, atomically within its own threads (scope="cta")'
        self._set(region.updater, index, programs)
        self._set(region.updated, index, moment)
        return None

    def _region(self, storage: int, items: Array) -> Region:
        region = self._regions.get(storage)
        if region is None:
            region = self._regions[storage] = Region(items.size, items.itemsize)
        return region

    def _fitted(self, region: Region, size: int, count: int) -> int:
        """How many elements of the region one of so many bytes has, once marks are fine enough for it, and enough for
        so many of them."""
        if size < region.size:
            if self._together and self._log:
                raise Meeting  # what would be undone is noted of larger elements
            region.refine(region.size // size)
        times = size // region.size
        if count * times > region.elements:
            if self._together and self._log:
                raise Meeting
            region.extend(count * times)
        return times

    def _met_narrowly(self, region: Region, index: Index, programs: Marks, narrow: bool) -> int | None:
        """The first lane of an atomic whose element another program changes as well, one of them for itself alone."""
        assert region.updater is not None
        if narrow and region.narrow is None:
            region.narrow = region.marks()
        if region.narrow is None:
            return None
        lanes = np.flatnonzero((region.narrow[index] != -1) | narrow)
        found = self._foreign(region.updater, region.updated, index, programs, lanes)
        if narrow:
            self._set(region.narrow, index, 1)
        return found

    def _met(
        self, region: Region, index: Index, lanes: Lanes, apart: Callable[[], Index], changed: Truths
    ) -> tuple[int, str] | None:
        """The first lane of a store that meets what another program, or another thread of its own, did to its
        element; `apart` tells which lanes change it by more than rounding."""
        programs = lanes.programs()
        assert programs is not None
        told = "where another program of the grid "
        if region.writer is not None and _others(region.writer[index], programs).any():
            found = self._foreign(region.writer, region.wrote, index, programs, apart())
            if found is not None:
                return found, told + "stores something else"
        for marks, times, what in (
            (region.reader, region.read, "reads in the same launch"),
            (region.updater, region.updated, "changes something atomically"),
        ):
            found = None if marks is None else self._foreign(marks, times, index, programs, np.flatnonzero(changed))
            if found is not None:
                return found, told + what
        for who, places, moments, what in (
            (region.reader, region.seat, region.glance, "has read without a barrier after it"),
            (region.writer, region.place, region.moment, "stores without a barrier after it"),
        ):
            found = self._unsynchronised(who, places, moments, index, lanes, changed)
            if found is not None:
                return found, "which another thread of the program " + what
        return None

    def _foreign(
        self, marks: Marks, times: Marks | None, index: Index, programs: Marks | None, lanes: Index | None = None
    ) -> int | None:
        """The first of the lanes whose element another program has marked, and nothing orders the two."""
        assert times is not None
        chosen = index if lanes is None else index[lanes]
        others = marks[chosen]
        mine: Any = -1 if programs is None else programs if lanes is None else programs[lanes]
        found = np.flatnonzero(_others(others, mine))
        if not found.size:
            return None
        if self._together and (self._clocks.unknown or programs is None):
            raise Meeting  # one after another it comes to light what orders them
        for lane in found.tolist():
            place = lane if lanes is None else int(lanes[lane])
            assert programs is not None
            if not self._clocks.ordered(int(others[lane]), int(times[chosen[lane]]), int(programs[place])):
                return place
        return None

    def _unsynchronised(
        self,
        who: Marks | None,
        places: Index | None,
        moments: Marks | None,
        index: Index,
        lanes: Lanes,
        chosen: Truths | None = None,
    ) -> int | None:
        """The first (chosen) lane whose element another thread of its program has accessed since the last barrier."""
        programs = lanes.programs()
        if programs is None or who is None:
            return None
        assert moments is not None and places is not None
        own = (who[index] == programs) & (moments[index] == self.moment)
        found = np.flatnonzero(own if chosen is None else own & chosen)
        if not found.size:
            return None
        other = found[places[index[found]] != lanes.places()[found]]
        return int(other[0]) if other.size else None

    # marks

    def _set(self, marks: Array, index: Index, values: Any, fresh: bool = False) -> None:
        """Mark elements; `fresh`: nobody has marked any before."""
        if self._together:
            self._log.append((marks, index, -1 if fresh else marks[index]))
        marks[index] = values

    def _times(self, programs: Marks) -> Any:
        return self._clocks.time(int(programs[0])) if self._clocks.any and not self._together else 0

    def _mark_writers(self, region: Region, index: Index, lanes: Lanes, chosen: Truths | None) -> None:
        """Note who writes, in the `chosen` lanes, or in all."""
        programs, places = lanes.programs(), lanes.places()
        assert programs is not None
        if chosen is not None:
            index, programs, places = index[chosen], programs[chosen], places[chosen]
        fresh = region.writer is None
        if region.writer is None or region.wrote is None or region.place is None or region.moment is None:
            region.writer, region.wrote, region.moment = region.marks(), region.marks(), region.marks()
            region.place = np.full(region.elements, -1, np.int64)
        self._set(region.writer, index, programs, fresh)
        self._set(region.wrote, index, self._times(programs), fresh)
        self._set(region.place, index, places, fresh)
        self._set(region.moment, index, self.moment, fresh)

    def _keep(self, region: Region, index: Index, lanes: Lanes, form: tuple[int, int]) -> None:
        """Note a read of a storage that nobody writes to so far, which is nearly all there is."""
        if region.reader is not None or self._clocks.any:  # programs let others know: when something was read counts
            self._read_until_now(region)
            times = self._fitted(region, *form)
            fine = fine_lanes(lanes, times)
            self._mark_readers(region, fine_index(index, times), fine.programs(), fine.places(), self.moment)
            return
        region.kept.append((index, lanes, self.moment, form))
        region.lanes += index.size
        if region.lanes > _MOST_KEPT:
            self._read_until_now(region)

    def _read_until_now(self, region: Region) -> None:
        kept, region.kept, region.lanes = region.kept, [], 0
        for index, lanes, moment, form in kept:
            times = self._fitted(region, *form)
            fine = fine_lanes(lanes, times)
            self._mark_readers(region, fine_index(index, times), fine.programs(), fine.places(), moment)

    def _mark_readers(self, region: Region, index: Index, programs: Marks | None, places: Index, moment: int) -> None:
        if region.reader is None or region.read is None:
            region.reader, region.read = region.marks(), region.marks()
        if programs is None:
            self._set(region.reader, index, MANY)
            return
        before = region.reader[index]
        self._set(region.reader, index, programs)
        several = ((before != -1) & (before != programs)) | (region.reader[index] != programs)
        self._set(region.reader, index[several], MANY)
        self._set(region.read, index, self._times(programs))
        self._mark_seats(region, index, before == programs, places, moment)

    def _mark_seats(self, region: Region, index: Index, again: Truths, places: Index, moment: int) -> None:
        """Note which threads have read; `again`: lanes whose element their program has read before."""
        if region.seat is None or region.glance is None:
            region.seat, region.glance = np.full(region.elements, -1, np.int64), region.marks()
        before, still = region.seat[index], again & (region.glance[index] == moment)
        self._set(region.seat, index, places)
        self._set(region.glance, index, moment)
        several = (still & (before != places)) | (region.seat[index] != places)
        self._set(region.seat, index[several], MANY)


def _others(marks: Marks, mine: Any) -> Truths:
    """Which marks are those of another program."""
    others: Truths = (marks != -1) & (marks != mine)
    return others


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(f"u{values.itemsize}")


def _differ(first: Array, second: Array) -> Truths:
    """Which values differ by more than rounding; 16-bit ones that numpy has no type for, by more than one unit."""
    if first.dtype.kind == "f" and first.size:
        have, want = first.astype(np.float64), second.astype(np.float64)
        unit = _UNITS * float(np.finfo(first.dtype).eps)  # type: ignore[arg-type]
        largest = float(np.abs(np.where(np.isfinite(want), want, 0.0)).max())
        return ~np.isclose(have, want, rtol=unit, atol=unit * largest, equal_nan=True)
    if first.dtype == np.uint16:
        return np.abs(first.astype(np.int32) - second.astype(np.int32)) > 1
    return np.asarray(first != second)
