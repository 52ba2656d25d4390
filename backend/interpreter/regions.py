"""Storages that the kernels of a launch access, and what is known of their elements: who did what to them last."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Index = NDArray[np.int64]
Marks = NDArray[np.int32]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Lanes:
    """The lanes of an access: the program of each, None where each is every program's, and its place in the block."""

    programs: Callable[[], Marks | None]
    places: Callable[[], Index]


@dataclass
class Region:
    """One storage. Marks are by element, of `size` bytes, the smallest accessed so far: the
    program that did it last, and how often it had let others know before.

    `place` and `moment` tell the thread that wrote, and after which barrier; `seat` and `glance` those that read.
    `narrow` marks what was changed by atomics for one program alone.
    """

    elements: int
    size: int
    writer: Marks | None = None
    wrote: Marks | None = None
    place: Index | None = None
    moment: Marks | None = None
    updater: Marks | None = None
    updated: Marks | None = None
    reader: Marks | None = None
    read: Marks | None = None
    seat: Index | None = None
    glance: Marks | None = None
    narrow: Marks | None = None
    kept: list[tuple[Index, Lanes, int, tuple[int, int]]] = field(default_factory=list)
    lanes: int = 0

    def marks(self) -> Marks:
        return np.full(self.elements, -1, np.int32)

    def refine(self, times: int) -> None:
        """Mark elements of so many times fewer bytes."""
        for name in _MARKS:
            marks = getattr(self, name)
            setattr(self, name, None if marks is None else np.repeat(marks, times))
        self.size, self.elements = self.size // times, self.elements * times

    def extend(self, elements: int) -> None:
        """Have marks for so many elements: the last bytes of a storage may be too few for a larger one."""
        for name in _MARKS:
            marks = getattr(self, name)
            if marks is not None:
                setattr(self, name, np.concatenate([marks, np.full(elements - self.elements, -1, marks.dtype)]))
        self.elements = elements


#: What a region knows of its elements.
_MARKS = ("writer", "wrote", "place", "moment", "updater", "updated", "reader", "read", "seat", "glance", "narrow")


def fine_index(index: Index, times: int) -> Index:
    """The same elements in marks of so many times fewer bytes."""
    return index if times == 1 else (index[:, None] * times + np.arange(times)).reshape(-1)


def repeated(values: Array, times: int) -> Any:
    """Each value so many times."""
    return values if times == 1 else np.repeat(values, times)


def fine_lanes(lanes: Lanes, times: int) -> Lanes:
    """The lanes, each so many times."""
    if times == 1:
        return lanes

    def programs() -> Marks | None:
        each = lanes.programs()
        return None if each is None else np.repeat(each, times)

    return Lanes(programs, lambda: np.repeat(lanes.places(), times))
