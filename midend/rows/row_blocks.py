"""Loops over rows as values: kernels whose loops all run over the same row, in steps of one block."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from kernelwright.ir.kernel.analysis.accesses import Accesses, Condition
from kernelwright.ir.kernel.analysis.axes import COMBINING, SCANNING
from kernelwright.ir.kernel.analysis.forms import Form, Leaf
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Region, Value
from kernelwright.ir.kernel.vocabulary import LOOPS
from kernelwright.ir.passes import Declined

#: What changes nothing where it is combined with something else, by kind of combining.
_NEUTRAL = {"sum": ("0", "0.0"), "max": ('-float("inf")',), "min": ('float("inf")',), "xor_sum": ("0",)}
_NEUTRAL |= {"argmax": _NEUTRAL["max"], "argmin": _NEUTRAL["min"]}
#: What puts two values together as the kind of combining does.
_JOINED = {"sum": "add", "max": "maximum", "min": "minimum", "xor_sum": "bitxor"}
_MOVING = frozenset({"broadcast_to", "cast", "expand_dims", "reshape", "view", "scalar"})


@dataclass(frozen=True)
class RowLoops:
    """A kernel whose loops run over rows of `length` elements in steps of the block that `parameter` gives.

    They stand side by side: in its body, or in the innermost of the loops `around`, which may run over anything.
    """

    function: Function
    loops: tuple[Operation, ...]
    length: int
    parameter: str
    around: tuple[Operation, ...] = ()

    @classmethod
    def of(cls, function: Function, launches: Launches | None) -> "RowLoops | Declined":
        """Read a kernel, or say why it is not such a kernel: it has no such loop, or it has another loop, too."""
        every = [one for one in function.walk() if one.kind in LOOPS]
        around = tuple(one for one in every if any(other.kind in LOOPS for other in one.walk() if other is not one))
        loops = tuple(one for one in every if not any(one is other for other in around))
        if not loops:
            return Declined("it has no loop")
        if any(one.kind != "for" for one in every):
            return Declined("a loop is not a `for` loop over a range")
        if not _side_by_side(loops, _innermost(function, around)):
            return Declined("a loop is inside another loop or a branch that does not contain all the others")
        accesses = Accesses(function, launches)
        indices = accesses.indices
        pairs = zip(function.body.arguments, function.parameters, strict=True)
        blocks: dict[Operand | None, str] = {value: one.name for value, one in pairs if one.is_constexpr}
        found = set()
        for loop in loops:
            start, end = (indices.form(loop.get(key)) for key in ("start", "end"))
            length = end.constant if end is not None and start == Form() else None
            found.add((length, blocks.get(loop.get("step"))))
        if any(length is None for length, _ in found):
            return Declined("a loop does not run from 0 to a known length")
        if any(parameter is None for _, parameter in found):
            return Declined("a loop's step is not a block size of the launch")
        if len(found) > 1:
            return Declined("its loops differ in length or in step")
        length, parameter = found.pop()
        assert length is not None and parameter is not None
        rows = cls(function, loops, length, parameter, around)
        if not all(map(rows._counts, _forms(accesses))):
            return Declined("an index does not advance by the loop's block size")
        return rows

    def _counts(self, form: Form) -> bool:
        """Whether an index or a bound moves along the row by as much from turn to turn as the block is long."""
        block = self.function.argument(self.parameter)
        made = {one.result for one in self.function.walk() if one.kind == "arange" and one.operands[1] == block}
        for loop in self.loops:
            counter = Leaf(loop.regions[0].arguments[0])
            lanes = [leaf for leaf in form.leaves if leaf.value in made]
            if counter not in form.leaves:
                continue
            along = form.coefficient(counter)
            back = Form().plus(along, -1) if along is not None else None  # a loop may run backwards
            if any(form.coefficient(one) not in (along, back) for one in lanes):
                return False
        return True

    def before(self, loop: Operation) -> Iterator[Operation]:
        """What stands before a loop, in its region and in those around it, in order."""
        for region, end in zip(self._regions, (*self.around, loop), strict=True):
            yield from takewhile(lambda one, end=end: one is not end, region.operations)  # type: ignore[misc]

    @property
    def known(self) -> Iterator[Operand]:
        """The arguments of the regions that the loops stand in."""
        for region in self._regions:
            yield from region.arguments

    @property
    def _regions(self) -> tuple[Region, ...]:
        """The kernel's body, and the bodies of the loops around, inner ones last."""
        return self.function.body, *(one.regions[0] for one in self.around)

    @property
    def block(self) -> int:
        """Elements of the least block that holds a row."""
        return 1 << (self.length - 1).bit_length()

    @cached_property
    def whole(self) -> Function:
        """The kernel with one turn of every loop, in which the block holds the row."""
        edits = Rewriting(self.function)
        zeros = [edits.make("scalar", value=Constant("0")) for _ in self.loops]
        for loop, zero in zip(self.loops, zeros, strict=True):
            edits.before(loop, zero)
            edits.unroll(loop, zero.result)
        edits.replace(self.function.argument(self.parameter), Constant(str(self.block)))
        edits.drop(self.parameter)
        return _without_zero(edits.raw())


def _innermost(function: Function, around: tuple[Operation, ...]) -> Region | None:
    """The body of the innermost of loops around others; None where they are not one inside the other."""
    region = function.body
    for loop in around:
        if not any(loop is one for one in region.operations):
            return None
        region = loop.regions[0]
    return region


def _side_by_side(loops: tuple[Operation, ...], region: Region | None) -> bool:
    """Whether all loops are statements of a region."""
    return region is not None and all(any(one is other for other in region.operations) for one in loops)


def _forms(accesses: Accesses) -> Iterator[Form]:
    """Every index, and what masks say of indices."""
    for access in accesses.all:
        forms = [access.index, *(condition.form for condition in access.conditions)]
        yield from (form for form in forms if form is not None)


def _without_zero(function: Function) -> Function:
    """The kernel without sums of positions, or pointers, and a 0 that was a loop's counter."""
    indices = Indices(function)
    edits = Rewriting(function)
    for one in function.walk():
        for zero, other in (one.operands, one.operands[::-1]) if one.kind == "add" and len(one.operands) == 2 else ():
            form = indices.form(other)
            made = [indices.definitions.get(leaf.value) for leaf in form.leaves] if form is not None else []
            lanes = bool(made) and all(leaf is not None and leaf.kind == "arange" for leaf in made)
            if _is_zero(zero, indices) and (lanes or other in indices.kinds.pointers):
                edits.replace(one.result, other)
                break
    return edits.done()


def _is_zero(operand: Operand, indices: Indices) -> bool:
    made = indices.definitions.get(operand) if isinstance(operand, Value) else None
    return made is not None and made.kind == "scalar" and made.operands[0] == Constant("0")


@dataclass(frozen=True)
class WholeRows:
    """A kernel without loops that holds rows of `length` elements in blocks of `block`."""

    accesses: Accesses
    operations: tuple[Operation, ...]
    length: int
    block: int

    @classmethod
    def of(cls, function: Function, launches: Launches | None, length: int, block: int) -> "WholeRows":
        """Read a kernel."""
        return cls(Accesses(function, launches), tuple(function.walk()), length, block)

    def is_masked(self) -> bool:
        """Whether no access goes beyond the end of a row."""
        return self.length == self.block or all(
            any(map(self._ends, access.conditions)) for access in self.accesses.all if self._moves(access.index)
        )

    def is_neutral(self) -> bool:
        """Whether what combines elements of rows finds nothing beyond their end that changes the result."""
        return self.length == self.block or all(
            self._leaves_out(operand, one.kind)
            for one in self.operations
            if one.kind in COMBINING and (one.kind not in SCANNING or one.get("reverse") is not None)
            for operand in self._elements(one.operands[0])
        )

    def _elements(self, operand: Operand) -> Iterator[Operand]:
        made = self._made(operand)
        if made is not None and made.kind == "tuple":
            yield from made.operands
        else:
            yield operand

    def _made(self, operand: Operand | None) -> Operation | None:
        return self.accesses.indices.definitions.get(operand) if isinstance(operand, Value) else None

    def _lanes(self, value: Value) -> bool:
        made = self._made(value)
        return made is not None and made.kind == "arange" and made.operands[1] == Constant(str(self.block))

    def _moves(self, index: Form | None) -> bool:
        return index is None or any(self._lanes(leaf.value) for leaf in index.leaves)

    def _ends(self, condition: Condition) -> bool:
        """Whether a condition asks for elements before the end of the row."""
        terms = dict(condition.form.terms) if condition.form is not None else {}
        bound = -terms.pop((), 0)
        (product, coefficient), *others = [*terms.items(), ((), 0)]
        alone = len(product) == 1 and isinstance(product[0], Leaf) and self._lanes(product[0].value)
        return alone and coefficient == 1 and len(others) == 1 and bound <= self.length

    def _leaves_out(self, operand: Operand, kind: str) -> bool:
        """Whether a value is neutral beyond the end of the row, or does not run along it."""
        if not self._runs(operand):
            return True
        made = self._made(operand)
        if made is None:
            return False
        if made.kind in _MOVING:
            return self._leaves_out(made.operands[0], kind)
        if made.kind == _JOINED.get(kind):
            return all(
                self._is_neutral(one, kind) or (self._runs(one) and self._leaves_out(one, kind))
                for one in made.operands[:2]
            )
        mask, other = (made.get("condition"), made.get("y")) if made.kind == "where" else (None, None)
        if made.kind == "load":
            mask, other = made.get("mask"), made.get("other")
        ends = mask is not None and any(map(self._ends, self.accesses.conditions(mask)))
        return ends and self._is_neutral(other, kind)

    def _runs(self, operand: Operand) -> bool:
        """Whether a value may run along the row."""
        shape = self.accesses.indices.shapes.of(operand)
        return shape is None or Constant(str(self.block)) in shape

    def _is_neutral(self, operand: Operand | None, kind: str) -> bool:
        made = self._made(operand)
        if made is not None and made.kind in ("full", *_MOVING):
            return self._is_neutral(made.get("value") or made.operands[0], kind)
        return isinstance(operand, Constant) and operand.text in _NEUTRAL.get(kind, (operand.text,))
