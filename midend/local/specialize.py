"""`specialize`: sizes and strides that every launch passes are written into the kernel."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.analysis.phases import Phase as Known
from kernelwright.ir.kernel.analysis.phases import phases
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Value
from kernelwright.ir.kernel.vocabulary import LOOPS
from kernelwright.ir.passes import Declined, Keeps, register
from kernelwright.midend.kernel_pass import NOT_KNOWN, KernelPass

#: Operations on integers in which a constant has the type of what it meets.
_PLACES = frozenset({"add", "sub", "mul", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne"})
_BOUNDS = ("start", "end", "step")
#: Numbers from here on have another type as a constant than as an argument.
_LIMIT = 2**31


@register
@dataclass(frozen=True)
class Specialize(KernelPass):
    """Write a size or a stride as a constant if every launch passes the same one.

    Triton itself compiles a kernel for arguments that are 1 or multiples of 16, and no others. With the number itself
    the compiler knows that a row of 1000 elements begins at a multiple of 16 bytes, so that accesses are wide; it knows
    how often a loop goes round, and folds addresses. Parameters and host code stay. Legal where a constant has the type
    of the argument: beside integers of 32 bits or more, pointers, and as bounds of loops. Expected, not measured: rows
    of 4·n elements of fp32 in a fourth of the instructions that access memory, and a little less computing elsewhere.
    """

    name: ClassVar[str] = "specialize"
    needs: ClassVar[str] = "sizes or strides that every launch passes, in indices, masks or bounds of loops"
    changes: ClassVar[str] = "these numbers are constants; parameters and launches stay"
    keeps: ClassVar[Keeps | None] = Keeps.EXACT
    asks_launches: ClassVar[bool] = True
    explore = Exploration(Phase.FINISH, after=("cache-hints",), estimated=False, sizes=True)

    def rewrite(self, function: Function, launches: Launches | None) -> Function | Declined:
        """The kernel with such numbers as constants."""
        if launches is None:
            return Declined(NOT_KNOWN)
        # Block sizes may still be tuned, and an annotation may give an argument another type.
        launches = launches.without({one.name for one in function.parameters if one.annotation})
        edits, places = Rewriting(function), _Places(function, launches)
        for operation in function.walk():
            found = {key: Constant(str(number)) for key, number in places.of(operation)}
            if found:
                edits.change(operation, **found)
        made = edits.done()
        if made is function:
            return Declined("it takes no size or stride as an argument that every launch passes and indices use")
        return made


class _Places:
    """Where a number that is known of launches alone may stand as a constant."""

    def __init__(self, function: Function, launches: Launches) -> None:
        self._known, self._written = Indices(function, launches), Indices(function)
        self._phases = phases(function)

    def of(self, operation: Operation) -> Iterator[tuple[str, int]]:
        """The keys of such operands of an operation, and their numbers."""
        if operation.kind in LOOPS:
            keys = [key for key in _BOUNDS if operation.get(key) is not None] if operation.kind == "for" else []
        elif operation.kind in _PLACES and len(operation.operands) == 2:
            one, other = operation.keys
            keys = [key for key, beside in ((one, other), (other, one)) if self._is_fixed(operation.get(beside))]
        else:
            return
        for key in keys:
            number = self._number(operation.get(key))
            if number is not None:
                yield key, number

    def _number(self, operand: Operand | None) -> int | None:
        """What every launch makes of an operand that the compiler does not know."""
        if not isinstance(operand, Value) or self._phases[operand] < Known.ARGUMENT:
            return None
        form, written = self._known.form(operand), self._written.form(operand)
        number = form.constant if form is not None else None
        # The compiler knows the number 1 by itself.
        if number is None or number == 1 or abs(number) >= _LIMIT or written is None or written.constant is not None:
            return None
        return number

    def _is_fixed(self, operand: Operand | None) -> bool:
        """Whether an operand has a type of its own: an integer that is not narrow, or a pointer."""
        if not isinstance(operand, Value) or self._phases[operand] < Known.RUNTIME:
            return False
        form = self._written.form(operand)
        if form is None:
            return operand in self._written.kinds.pointers
        return form.constant is None and self._number(operand) is None and self._written.is_wide(form)
