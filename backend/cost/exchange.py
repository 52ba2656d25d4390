"""What warps exchange through shared memory when they reduce an axis together: Triton's reductions, by layout.

Each warp reduces its part of the axis by shuffles and stores one word for each element of the other axes, with those of
other warps next to it; after a barrier all warps load the sums. Lanes whose elements are many words apart meet in one
of the BANKS banks, and wait for each other.
"""

import math
import re
from dataclasses import dataclass

import numpy as np

from kernelwright.backend.compile.ttir import shape_of
from kernelwright.backend.cost.access import Blocked, blocked_layouts

#: Words of four bytes that shared memory moves at once, and threads of a warp.
BANKS, WARP = 32, 32

_BEGINS = re.compile(r'"tt\.(reduce|scan)"\(.*<\{axis = (\d+) : i32')


@dataclass(frozen=True)
class Reduction:
    """One `tt.reduce`: its shape and axis, the layout if it is blocked, and how many tensors it reduces at once."""

    shape: tuple[int, ...]
    axis: int
    layout: Blocked | None
    tensors: int = 1

    @property
    def wavefronts(self) -> int:
        """Times that shared memory is at work in one program; 0 where each warp reduces for itself."""
        layout, axis = self.layout, self.axis
        if layout is None:
            return 0
        along = min(layout.warps[axis], math.ceil(self.shape[axis] / (layout.per_thread[axis] * layout.threads[axis])))
        if along < 2:
            return 0
        others = [other for other in range(len(self.shape)) if other != axis]
        held = math.prod(math.ceil(self.shape[o] / (layout.threads[o] * layout.warps[o])) for o in others)
        return 2 * self.tensors * math.prod(layout.warps) * held * self._conflicts(layout, others, along)

    def _conflicts(self, layout: Blocked, others: list[int], along: int) -> int:
        """Lanes of a warp that need different words of one bank."""
        lane, place = np.arange(WARP), np.zeros(WARP, np.int64)
        stride = dict(
            zip(reversed(others), np.cumprod([along, *(self.shape[o] for o in reversed(others))]), strict=False)
        )
        for dimension in layout.order:
            if dimension != self.axis:
                index = lane % layout.threads[dimension] * layout.per_thread[dimension] % self.shape[dimension]
                place = place + index * stride[dimension]
            lane = lane // layout.threads[dimension]
        words = np.unique(place)
        return int(np.bincount(words % BANKS).max())


def reductions_of(ttgir: str) -> tuple[Reduction, ...]:
    """The reductions of Triton's GPU IR, in the order of the text."""
    known, open_, found = blocked_layouts(ttgir), list[tuple[str, int]](), list[Reduction]()
    for line in ttgir.splitlines():
        begins = _BEGINS.search(line)
        if begins:
            open_.append((begins[1], int(begins[2])))
        elif open_ and line.lstrip().startswith("}) :"):
            kind, axis = open_.pop()
            given = line.split(" -> ")[0]
            name = re.search(r", (#\w+)>", given)
            if kind == "reduce":
                layout = known.get(name[1]) if name else None
                found.append(Reduction(shape_of(given), axis, layout, given.count("tensor<")))
    return tuple(found)
