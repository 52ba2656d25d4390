"""The order of memory: which state of memory every access sees.

Nothing is known of aliasing: a load sees every store before it, and a store comes after every load before it. A state
is a number; the one that a function starts in is 0. Two loads that see the same state may trade places.
"""

from dataclasses import dataclass

from kernelwright.ir.kernel.values import Effect, Function, Operation, Region
from kernelwright.ir.kernel.vocabulary import LOOPS


@dataclass(frozen=True)
class Access:
    """The state that an operation sees, and the one that it leaves; equal for what only reads."""

    sees: int
    leaves: int


class MemoryOrder:
    """States of memory in one function."""

    def __init__(self, function: Function) -> None:
        self._of: dict[int, Access] = {}
        self._states = 0
        self._region(function.body, 0)

    def of(self, operation: Operation) -> Access | None:
        """The access of an operation of the function; None for one without an effect."""
        return self._of.get(id(operation))

    def may_swap(self, one: Operation, other: Operation) -> bool:
        """Whether two operations of one region may trade places, as far as memory goes."""
        return Effect.PURE in (one.effect, other.effect) or (
            one.effect == other.effect == Effect.READ and self.of(one) == self.of(other)
        )

    def _new(self) -> int:
        self._states += 1
        return self._states

    def _region(self, region: Region, state: int) -> int:
        for operation in region.operations:
            if operation.effect == Effect.PURE:
                continue
            if operation.effect == Effect.READ:
                for body in operation.regions:
                    self._region(body, state)
                self._of[id(operation)] = Access(state, state)
                continue
            before = state
            for body in operation.regions:
                # What a loop's body sees may have been left by its last turn.
                self._region(body, self._new() if operation.kind in LOOPS else before)
            state = self._new()
            self._of[id(operation)] = Access(before, state)
        return state
