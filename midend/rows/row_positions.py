"""Where the rounds of loops over rows are: positions of elements, and what a loop does with them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from kernelwright.ir.kernel.analysis.accesses import Access, Accesses
from kernelwright.ir.kernel.analysis.axes import SCANNING
from kernelwright.ir.kernel.analysis.forms import Form, Leaf
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.values import Effect, Operand, Operation, Value
from kernelwright.ir.kernel.vocabulary import HINTS
from kernelwright.midend.rows.row_blocks import RowLoops

#: What gives a position, or a pointer, of positions.
_SUMS = frozenset({"add", "sub", "mul", "neg", "expand_dims", "broadcast_to", "scalar", "cast"}) | HINTS
_COMPARISONS = frozenset("lt le gt ge".split())
#: What combines elements and tells which one it was, or in which order they came.
_ORDERED = SCANNING | {"argmax", "argmin", "associative_scan"}


@dataclass(frozen=True)
class RowPositions:
    """The loops of a kernel over rows, and the positions that each round takes."""

    rows: RowLoops
    accesses: Accesses

    @classmethod
    def of(cls, rows: RowLoops, launches: Launches | None) -> "RowPositions":
        """Read the loops."""
        return cls(rows, Accesses(rows.function, launches))

    @property
    def block(self) -> Form:
        """The block as a form."""
        return Form.of({(Leaf(self.rows.function.argument(self.rows.parameter)),): 1})

    @cached_property
    def lanes(self) -> frozenset[Value]:
        """The elements of a block."""
        block = self.rows.function.argument(self.rows.parameter)
        found = (one for one in self.rows.function.walk() if one.kind == "arange")
        return frozenset(one.result for one in found if one.operands[1] == block)

    def last(self, length: int) -> Form:
        """Where the last block of so many elements begins: a loop that runs backwards takes it first."""
        return Form.number(length - 1).divided("floordiv", self.block).times(self.block)

    def inside(self, loop: Operation) -> tuple[Access, ...]:
        """A loop's accesses."""
        own = {id(one) for one in loop.walk()}
        return tuple(access for access in self.accesses.all if id(access.operation) in own)

    def moves(self, loop: Operation, form: Form) -> bool:
        """Whether a form changes from round to round, or along the block."""
        return any(leaf.value in self.lanes or leaf.value == counter_of(loop) for leaf in form.leaves)

    def runs_backwards(self, loop: Operation) -> bool:
        """Whether an access of a loop goes down as the loop counts up."""
        counter = Leaf(counter_of(loop))
        found = (access.index.coefficient(counter) for access in self.inside(loop) if access.index is not None)
        return any(along is not None and any(number < 0 for _, number in along.terms) for along in found)

    def is_ordered(self, loop: Operation) -> bool:
        """Whether what a loop gives depends on which element comes first."""
        return any(one.kind in _ORDERED for one in loop.walk())

    def asks_for_rounds(self, loop: Operation) -> bool:
        """Whether a loop uses its counter for more than positions in the row, such as to ask for its first round."""
        counting: set[Operand] = {counter_of(loop)}
        along: set[Operand] = set(self._along(self.rows.before(loop)))
        for one in loop.regions[0].operations:
            used = counting.intersection(one.operands)
            if along.intersection(one.operands) and (one.kind in _SUMS or one.kind in _COMPARISONS):
                along.update(one.results)
            elif used and one.kind in _SUMS:
                counting.update(one.results)
            elif used and (one.get("pointer") not in used or len(used) > 1):
                return True
        moved = any(self.accesses.indices.step(argument) is not None for argument in loop.regions[0].arguments[1:])
        return moved or not counting.isdisjoint(loop.regions[0].yields)

    def _along(self, operations: Iterable[Operation]) -> Iterator[Operand]:
        """The lanes of a block, and sums of them among these operations."""
        found: set[Operand] = set(self.lanes)
        for one in operations:
            if one.kind in _SUMS and found.intersection(one.operands):
                found.update(one.results)
        yield from found

    def overtakes(self, loop: Operation) -> bool:
        """Whether a loop may load what another round of it stores."""
        inside = self.inside(loop)
        stored = [access for access in inside if access.operation.effect == Effect.WRITE]
        return any(one.base == other.base and one.index != other.index for one in stored for other in inside)


def counter_of(loop: Operation) -> Value:
    """What a counted loop counts with."""
    return loop.regions[0].arguments[0]
