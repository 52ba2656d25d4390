"""What went into the device's memory: whether any of it is an input's, and whether host code computed any of it.

Any Python may prepare its weights with torch: fold a norm's scale, quantise, transpose, build tables. So host code may
compute with memory that holds nothing of an input. What it computes of inputs, kernels have to compute.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from kernelwright.evaluation.device.memory import Memory, Store
from kernelwright.evaluation.protocol import operators


@dataclass
class Provenance:
    """Follows what goes into `memory`. `prepares`: whether host code may compute with weights at all. `told`: in this
    run of the program it has read a number that inputs have a part in, so that all it makes from now on may have."""

    memory: Memory
    prepares: bool
    told: bool = False

    def read(self, number: int) -> None:
        """Host code is told a number of this store."""
        self.told |= self.memory.store(number).of_inputs

    def uploaded(self, store: Store) -> None:
        """Host code has filled a store with what it knows."""
        store.of_inputs, store.prepared = self.told, False

    def allows(self, name: str, given: Iterable[int]) -> bool:
        """Whether host code may apply an operator that computes to these stores."""
        inputs = self.told or any(self.memory.store(number).of_inputs for number in given)
        return self.prepares and operators.prepares(name) and not inputs

    def goes(self, given: Iterable[int], into: Iterable[int], prepared: bool = False) -> None:
        """A kernel or an operator was given stores, and wrote to some; `prepared`: host code computed with it."""
        sources = [self.memory.store(number) for number in given]
        inputs = self.told or any(store.of_inputs for store in sources)
        prepared = prepared or any(store.prepared for store in sources)
        for number in into:
            store = self.memory.store(number)
            store.of_inputs |= inputs
            store.prepared |= prepared
