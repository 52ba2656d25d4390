"""`hoist-offsets`: loads at constant distances from one another share the arithmetic of one address."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.analysis.accesses import Access, Accesses
from kernelwright.ir.kernel.analysis.forms import INDEX_LIMIT, Form
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Region, Value
from kernelwright.ir.passes import Declined, Keeps, register
from kernelwright.midend.kernel_pass import NOT_KNOWN, KernelPass

#: Loads that an address of their own is worth.
LEAST_LOADS = 3
_NOTHING = Constant("0")


@register
@dataclass(frozen=True)
class HoistOffsets(KernelPass):
    """Compute one address for loads whose addresses differ by constants; each load then adds its constant.

    Sums of 32-bit indices may overflow, which keeps a compiler from taking them apart. Legal where the tensor's extent
    and the constants together stay within 32 bits, and no part of the address is of a narrower type. Expected, not
    measured: on windows, fewer instructions for each load.
    """

    name: ClassVar[str] = "hoist-offsets"
    needs: ClassVar[str] = "three loads of one block of statements, at constant distances in one tensor of known extent"
    changes: ClassVar[str] = "how their addresses are computed"
    keeps: ClassVar[Keeps | None] = Keeps.EXACT
    asks_launches: ClassVar[bool] = True
    explore = Exploration(Phase.FINISH, after=("align-rows",))

    def rewrite(self, function: Function, launches: Launches | None) -> Function | Declined:
        """The kernel with such addresses."""
        if launches is None:
            return Declined(NOT_KNOWN)
        edits = Rewriting(function)
        sums = _Sums(function, edits)
        groups = list(_groups(function, launches, sums))
        if not groups:
            return Declined("no block of statements has three loads at constant distances in one tensor")
        for loads in groups:
            first = loads[0].operation
            address = sums.rest(loads[0].operation.operands[0], first)
            for load in loads:
                constant = sums.constant(load.operation.operands[0])
                edits.change(load.operation, pointer=_moved(edits, load.operation, address, constant))
        made = edits.done()
        return Declined("its loads share an address already") if made == function else made


def _groups(function: Function, launches: Launches, sums: "_Sums") -> Iterator[list[Access]]:
    """Loads of one region that have all but a constant in common, in order."""
    accesses = Accesses(function, launches)
    names = {value: p.name for value, p in zip(function.body.arguments, function.parameters, strict=True)}
    known = {id(access.operation): access for access in accesses.all if access.operation.kind == "load"}
    for region in _regions(function.body):
        found: dict[tuple[Operand, Form], list[Access]] = defaultdict(list)
        for access in (known[id(one)] for one in region.operations if id(one) in known):
            if access.index is not None and access.base in names and accesses.indices.is_wide(access.index):
                constant = sums.constant(access.operation.operands[0])
                found[access.base, access.index.plus(Form.number(constant), -1)].append(access)
        for (base, _), loads in found.items():
            constants = {sums.constant(load.operation.operands[0]) for load in loads}
            extent = launches.extent(names[base]) if isinstance(base, Value) else None
            fits = extent is not None and extent + max(map(abs, constants)) < INDEX_LIMIT
            if len(constants) >= LEAST_LOADS and fits:
                yield loads


def _regions(region: Region) -> Iterator[Region]:
    yield region
    for operation in region.operations:
        for inner in operation.regions:
            yield from _regions(inner)


def _moved(edits: Rewriting, load: Operation, address: Operand, constant: int) -> Operand:
    if constant == 0:
        return address
    return edits.compute(load, "sub" if constant < 0 else "add", lhs=address, rhs=Constant(str(abs(constant))))


class _Sums:
    """Integers and pointers taken apart into a constant and the rest, which is computed in the same way without it."""

    def __init__(self, function: Function, edits: Rewriting) -> None:
        self.definitions = {result: one for one in function.walk() for result in one.results}
        self.edits = edits

    def constant(self, operand: Operand) -> int:
        """The sum of the constants in a sum."""
        number = _number(operand)
        if number is not None:
            return number
        made = self._made(operand)
        if made is None:
            return 0
        one, *others = made.operands
        if made.kind == "add":
            return self.constant(one) + self.constant(others[0])
        if made.kind == "sub" and (number := _number(others[0])) is not None:
            return self.constant(one) - number
        if made.kind == "mul":
            factor, scaled = self._factors(made)
            return factor * self.constant(scaled)
        return self.constant(one) if made.kind == "expand_dims" else 0

    def rest(self, operand: Operand, anchor: Operation) -> Operand:
        """The sum without its constants, computed before the anchor; 0 where nothing is left."""
        if _number(operand) is not None:
            return _NOTHING
        made = self._made(operand)
        if made is None or self.constant(operand) == 0:
            return operand
        if made.kind == "add":
            left, right = (self.rest(one, anchor) for one in made.operands)
            if _NOTHING in (left, right):
                return left if right == _NOTHING else right
            return self.edits.compute(anchor, "add", lhs=left, rhs=right)
        if made.kind == "sub":
            return self.rest(made.operands[0], anchor)
        inner = self._factors(made)[1] if made.kind == "mul" else made.operands[0]
        parts = {
            key: self.rest(o, anchor) if o == inner else o for key, o in zip(made.keys, made.operands, strict=True)
        }
        return _NOTHING if _NOTHING in parts.values() else self.edits.compute(anchor, made.kind, **parts)

    def _made(self, operand: Operand) -> Operation | None:
        """What computes an operand, where that is a sum or moves one."""
        made = self.definitions.get(operand) if isinstance(operand, Value) else None
        known = made is not None and made.kind in ("add", "sub", "mul", "expand_dims") and len(made.operands) == 2
        return made if known else None

    def _factors(self, product: Operation) -> tuple[int, Operand]:
        """A number and what it is multiplied with; 0 and anything where no side is a number."""
        for number, other in (product.operands, product.operands[::-1]):
            if (found := _number(number)) is not None:
                return found, other
        return 0, product.operands[0]


def _number(operand: Operand) -> int | None:
    number = operand.number if isinstance(operand, Constant) else None
    return number if isinstance(number, int) else None
