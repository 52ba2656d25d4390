"""The second of two kernels: what it counts elements by, and which one it loads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernelwright.ir.kernel.analysis.counters import Counter, Counters
from kernelwright.ir.kernel.analysis.digits import Index, counts_up
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.analysis.phases import phases
from kernelwright.ir.kernel.values import (
    Constant,
    Function,
    Operand,
    Operation,
    Region,
    Value,
)

#: Operations that reduce a row, and masks that leave nothing out.
REDUCING = frozenset({"sum", "max", "min", "reduce", "xor_sum", "reduce_or"})
NO_MASK = (None, Constant("None"))


class UnfitError(Exception):
    """Why two kernels are not made one."""


@dataclass(frozen=True)
class Part:
    """A kernel as it is launched, its helpers taken apart, and its launch options that are integers. `open_grid`: how
    many programs there are depends on these."""

    function: Function
    launches: Launches
    blocks: Mapping[str, int]
    open_grid: bool = False


@dataclass(frozen=True)
class Tensor:
    """What the first kernel stores by the parameter `stored` and the second loads by `read`: so many elements without
    gaps, of a dtype that Triton has under this name."""

    stored: str
    read: str
    numel: int
    dtype: str


def reduces(function: Function) -> bool:
    """Whether a kernel reduces anything."""
    return any(one.kind in REDUCING for one in function.walk())


def conjuncts(mask: Operand | None, definitions: Mapping[Value, Operation]) -> Iterator[Operand]:
    """The conditions that a mask joins."""
    if mask in NO_MASK or mask is None:
        return
    made = definitions.get(mask) if isinstance(mask, Value) else None
    if made is not None and made.kind in ("bitand", "and"):
        for operand in made.operands:
            yield from conjuncts(operand, definitions)
    else:
        yield mask


class Reader:
    """The second kernel: its operations in order, its counters, and which of them say which element it loads; or the
    first kernel, and which element it stores, where `stored`."""

    def __init__(self, part: Part, tensor: Tensor, *, stored: bool = False) -> None:
        self.function, self.tensor = part.function, tensor
        self.argument = part.function.argument(tensor.stored if stored else tensor.read)
        self._kind = "store" if stored else "load"
        self.counters = Counters(part.function, part.launches, part.blocks)
        self.indices = self.counters.indices
        self.definitions = self.indices.definitions
        self.accesses = self.counters.axes.accesses
        self.phases = phases(part.function)
        self.operations = list(_straight(part.function.body))
        self._by_name = {one.name: one for one in self.counters.all}
        self.loads = {id(a.operation) for a in self.accesses.all if a.base == self.argument}
        self.index = self._element()

    def _element(self) -> Index:
        """Which element is loaded, as digits of counters that take every value together."""
        found = set[Index | None]()
        for access in self.accesses.all:
            if access.base != self.argument:
                continue
            if access.operation.kind != self._kind or access.index is None:
                raise UnfitError("the tensor is written, or read by a pointer that says no index")
            if not all(map(self.is_implied, conjuncts(access.operation.get("mask"), self.definitions))):
                raise UnfitError("the tensor is read under a mask of its own")
            found.add(self.counters.index(access.index))
        index = found.pop() if len(found) == 1 else None
        if index is None:
            raise UnfitError("the tensor is not read at one index, or at one that is no sum of digits")
        if index.offset or not counts_up([(f, d.size) for f, d in index.terms], self.tensor.numel):
            raise UnfitError("not every element is read once")
        self._check_cover(index)
        return index

    def _check_cover(self, index: Index) -> None:
        """Raise where counters do not take every value whatever the others are."""
        used = [self._by_name[name] for name in dict.fromkeys(digit.variable for _, digit in index.terms)]
        if not all(one.covers for one in used):
            raise UnfitError("programs, turns and lanes do not cover the elements")
        bases = {one.name for one in self.counters.bases}
        parts = [part for one in used if one.name not in bases for part in one.parts if part.size > 1]
        parts += [digit for _, digit in index.terms if digit.variable in bases]
        for place, part in enumerate(parts):
            for other in parts[place + 1 :]:
                ends, begins = part.step * part.size, other.step * other.size
                if part.variable == other.variable and not (ends <= other.step or begins <= part.step):
                    raise UnfitError("one number of a program says two things")

    def is_implied(self, condition: Operand) -> bool:
        """Whether a condition holds for everything that counters count."""
        found = list(self.accesses.conditions(condition))
        indices = [self.counters.index(one.form) if one.form is not None else None for one in found]
        return all(index is not None and index.count <= 0 for index in indices)

    def is_end(self, condition: Operand) -> bool:
        """Whether a condition that holds for everything that is counted ends just there."""
        found = list(self.accesses.conditions(condition))
        indices = [self.counters.index(one.form) if one.form is not None else None for one in found]
        return all(index is not None and index.count == 0 for index in indices)

    def along(self, operand: Operand, dim: int) -> Counter:
        """The counter that a value's elements run over in a dimension."""
        lanes = self.counters.axes.along(operand, dim)
        found = [one for one in self.counters.all if one.lanes is not None and one.lanes in lanes]
        if len(lanes) != 1 or len(found) != 1 or not found[0].whole:
            raise UnfitError("what is reduced is not a whole row")
        return found[0]

    def is_of(self, condition: Operand, counter: Counter) -> bool:
        """Whether a condition says something of a counter."""
        leaves = {
            leaf.value for c in self.accesses.conditions(condition) if c.form is not None for leaf in c.form.leaves
        }
        return counter.lanes in leaves

    def rows(self) -> Iterator[Counter]:
        """Counters of what is reduced."""
        for one in self.operations:
            if one.kind in REDUCING:
                for operand in self.reduced(one):
                    yield self.along(operand, self.dim(one, operand))

    def reduced(self, operation: Operation) -> tuple[Operand, ...]:
        """The values that a reduction reduces together."""
        operand = operation.operands[0]
        made = self.definitions.get(operand) if isinstance(operand, Value) else None
        return made.operands if made is not None and made.kind == "tuple" else (operand,)

    def dim(self, operation: Operation, operand: Operand) -> int:
        """The dimension that a reduction reduces, from the right."""
        shape, axis = self.indices.shapes.of(operand), operation.get("axis")
        number = axis.number if isinstance(axis, Constant) else None
        if not shape or (number is None and len(shape) != 1) or isinstance(number, float):
            raise UnfitError("what is reduced has no known shape")
        return -1 if number is None else number - len(shape) if number >= 0 else number


def _straight(region: Region) -> Iterator[Operation]:
    """Operations in order, loops that carry nothing taken apart."""
    for one in region.operations:
        if one.kind in ("for", "static_for") and not one.results:
            yield from _straight(one.regions[0])
        elif one.regions or one.kind in ("call", "opaque", "opaque_statement", "return", "assert"):
            raise UnfitError(f"a {one.kind} is neither element by element nor row by row")
        else:
            yield one
