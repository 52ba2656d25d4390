"""What calls of a candidate returned, which other calls must leave as it is: their caller still holds it."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from kernelwright.evaluation.device.changes import OverwrittenError
from kernelwright.evaluation.device.memory import Memory
from kernelwright.evaluation.protocol.link import TensorRef, results_kept
from kernelwright.evaluation.protocol.sketch import Sketching, snapshot
from kernelwright.evaluation.protocol.wire import RawTensor


class Returned:
    """Results of calls as callers keep them, the newest first, and the `stores` of all that calls returned."""

    def __init__(self) -> None:
        self.stores: set[int] = set()
        self._kept: list[tuple[Sequence[TensorRef], Sequence[RawTensor]]] = []

    @property
    def last(self) -> Sequence[TensorRef]:
        """What the last call returned."""
        return self._kept[0][0]

    def keep(self, refs: Sequence[TensorRef], raws: Sequence[RawTensor], *, one: bool) -> None:
        """Add what a call returned; if `one`, instead of what an earlier call did."""
        self.stores |= {ref.store for ref in refs}
        kept = [(refs, raws), *self._kept]
        count = 1 if one else results_kept([sum(ref.numel for ref in refs) for refs, _ in kept])
        self._kept = kept[:count]

    def check(self, memory: Memory, given: AbstractSet[int], sketching: Sketching | None) -> None:
        """Raise OverwrittenError if a result has changed; those in stores of what is `given` may."""
        for refs, raws in self._kept:
            for index, (ref, value) in enumerate(zip(refs, raws, strict=True)):
                if ref.store not in memory.stores or ref.store in given:
                    continue
                if not _same_bytes(snapshot(memory.tensor(ref), sketching), value):
                    raise OverwrittenError(f"output {index} of an earlier call was overwritten")


def _same_bytes(first: RawTensor, second: RawTensor) -> bool:
    return np.array_equal(np.frombuffer(first.data, np.uint8), np.frombuffer(second.data, np.uint8))
