"""Which memory the warps of a program ask for: Triton's blocked layouts, requests by instruction, sectors by tile."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kernelwright.backend.compile.ttir import shape_of
from kernelwright.backend.cost.integers import Integers

#: Bytes that memory is moved in, of a line of the L1 cache, and that one thread asks for at once at most.
SECTOR, LINE, WIDEST = 32, 128, 16

_BLOCKED = re.compile(
    r"^(#\w+) = #ttg\.blocked<\{sizePerThread = \[([\d, ]+)\], threadsPerWarp = \[([\d, ]+)\], "
    r"warpsPerCTA = \[([\d, ]+)\], order = \[([\d, ]+)\]",
    re.M,
)
_ACCESS = re.compile(r"\btt\.(?:load|store|atomic_rmw|atomic_cas)\b.*")


@dataclass(frozen=True)
class Blocked:
    """Which thread holds which element: elements of a thread, threads, warps, by axis; the axes, fastest first."""

    per_thread: tuple[int, ...]
    threads: tuple[int, ...]
    warps: tuple[int, ...]
    order: tuple[int, ...]


#: The shape of one access and its layout; None for scalars and for layouts of other kinds.
Placed = tuple[tuple[int, ...], Blocked | None]


@dataclass(frozen=True)
class Requests:
    """Lines and sectors that the load or store instructions of all warps touch, each counted for itself; `own`:
    sectors, each counted once for a warp."""

    lines: int
    sectors: int
    own: int


def blocked_layouts(ttgir: str) -> dict[str, Blocked]:
    """The blocked layouts of Triton's GPU IR by their names."""
    return {
        name: Blocked(*(tuple(int(number) for number in text.split(",")) for text in fields))
        for name, *fields in _BLOCKED.findall(ttgir)
    }


def layouts_of(ttgir: str) -> tuple[Placed, ...]:
    """Shape and layout of every access in Triton's GPU IR, in the order of the text."""
    known = blocked_layouts(ttgir)
    found: list[Placed] = []
    for text in _ACCESS.findall(ttgir):
        kind = text.split(" : ", 1)[-1]
        name = re.search(r", (#\w+)>", kind)
        found.append((shape_of(kind), known.get(name[1]) if name else None))
    return tuple(found)


def requests(offsets: Integers, active: Integers, width: int, layout: Blocked | None) -> Requests:
    """What a tile's element offsets make the warps ask for; `active` is the mask, `width` an element's bytes.

    Elements that follow one another in a thread and in memory are asked for together. Without a layout threads
    are taken to share what they can.
    """
    warp, number = (np.zeros(offsets.shape, np.int64),) * 2 if layout is None else _numbers(offsets, width, layout)
    warp, number, address = warp[active != 0], number[active != 0], offsets[active != 0] * width
    sectors = address // SECTOR
    return Requests(_distinct(number, address // LINE), _distinct(number, sectors), _distinct(warp, sectors))


def _numbers(offsets: Integers, width: int, layout: Blocked) -> tuple[Integers, Integers]:
    """The number of the warp that asks for each element, and of its instruction among those of all warps."""
    fastest = layout.order[0]
    together = _vector(np.moveaxis(offsets, fastest, -1), layout.per_thread[fastest], width)
    warps, number = np.zeros(offsets.shape, np.int64), np.zeros(offsets.shape, np.int64)
    for axis, size in enumerate(offsets.shape):
        index, held = np.arange(size), layout.per_thread[axis]
        by_warp = held * layout.threads[axis]
        of_thread = index % held // (together if axis == fastest else 1)
        warp, again = index // by_warp % layout.warps[axis], index // (by_warp * layout.warps[axis])
        place = (again * layout.warps[axis] + warp) * held + of_thread
        along = tuple(size if other == axis else 1 for other in range(offsets.ndim))
        number = number * (int(place.max()) + 1) + place.reshape(along)
        warps = warps * layout.warps[axis] + warp.reshape(along)
    return warps, number


def _vector(offsets: Integers, per_thread: int, width: int) -> int:
    """How many elements of the last axis a thread asks for at once: contiguous, and aligned."""
    count: int = min(per_thread, max(WIDEST // width, 1), offsets.shape[-1])
    while count > 1:
        rows = offsets.reshape(*offsets.shape[:-1], -1, count)
        if (rows[..., 0] % count == 0).all() and (np.diff(rows) == 1).all():
            break
        count //= 2
    return count


def _distinct(number: Integers, place: Integers) -> int:
    if not number.size:
        return 0
    place = place - place.min()
    apart: Integers = number * (int(place.max()) + 1) + place
    return len(np.unique(apart))


def partly(offsets: Integers, width: int) -> int:
    """Sectors that hold some of these elements of `width` bytes, and something else."""
    held = np.unique(np.unique(offsets) * width // SECTOR, return_counts=True)[1]
    return int((held * width < SECTOR).sum())


def stretches(sectors: Integers) -> int:
    """Contiguous stretches that the sorted sectors make up."""
    return 1 + int((np.diff(sectors) > 1).sum())


@dataclass
class Ledger:
    """Sectors that a program touches, by argument and loop; those of a loop's first round stand for all rounds."""

    entries: dict[tuple[int, int], list[tuple[float, Integers | None, float]]] = field(default_factory=dict)

    def note(self, argument: int, loop: int, times: float, sectors: Integers | None, asked: float) -> None:
        """One access, `times` over; `sectors` are None where addresses are not known, `asked` bytes then count."""
        self.entries.setdefault((argument, loop), []).append((times, sectors, asked))

    def bytes(self) -> tuple[dict[int, float], dict[int, float]]:
        """By argument: bytes touched, each sector once, and bytes touched again by a later loop."""
        once: dict[int, float] = {}
        again: dict[int, float] = {}
        seen: dict[int, list[Integers]] = {}
        for (argument, _), entries in self.entries.items():
            sectors, moved = _touched(entries)
            before = seen.setdefault(argument, [])
            repeated = any(np.intersect1d(sectors, other).size for other in before)
            before.append(sectors)
            total = again if repeated else once
            total[argument] = total.get(argument, 0.0) + moved
        return once, again


def _touched(entries: Sequence[tuple[float, Integers | None, float]]) -> tuple[Integers, float]:
    """Distinct sectors of a loop's first round, and bytes of all rounds."""
    known = [sectors for _, sectors, _ in entries if sectors is not None]
    distinct = np.unique(np.concatenate(known)) if known else np.zeros(0, np.int64)
    times = max(times for times, _, _ in entries)
    unknown = sum(times * asked for times, sectors, asked in entries if sectors is None)
    return distinct, distinct.size * SECTOR * times + unknown
