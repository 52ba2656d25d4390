"""Loads, stores and atomics: which memory, at which index, under which ranges."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from kernelwright.ir.kernel.analysis.forms import Form, Leaf, Product
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.analysis.phases import REMEMBERED
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operand, Operation, Value

#: Operations that may do anything with what they are given.
_OTHER_CODE = frozenset({"call", "opaque", "opaque_statement"})
_HINTS = ("cache_modifier", "eviction_policy", "volatile", "sem", "scope")


@dataclass(frozen=True)
class Condition:
    """A part of a mask: `form < 0`; `value` instead where it is no comparison of integers."""

    form: Form | None
    value: Operand | None = None


@dataclass(frozen=True)
class Range:
    """What a mask asks of an index: `lower <= index < upper`, either of them None where the mask does not say."""

    index: Form
    lower: Form | None
    upper: Form | None


@dataclass(frozen=True)
class Access:
    """One access to memory.

    `base` is the pointer without its offset: a parameter, or what else the pointer starts from. `index` is in elements;
    None where it is not understood (block pointers, pointers from memory). `conditions` hold together. `fill` is what a
    load gives outside its mask, None where that is undefined.
    """

    operation: Operation
    base: Operand
    index: Form | None
    conditions: tuple[Condition, ...]
    fill: Operand | None
    hints: Mapping[str, Operand] = field(hash=False)

    @property
    def is_masked(self) -> bool:
        """Whether it leaves some elements out."""
        return bool(self.conditions)


class Accesses:
    """Every access of a function, in its order."""

    def __init__(self, function: Function, launches: Launches | None = None) -> None:
        self.indices = Indices(function, launches)
        self.all = tuple(self._access(one) for one in function.walk() if one.get("pointer") is not None)

    def ranges(self, access: Access) -> tuple[Range, ...]:
        """The mask as ranges of indices; conditions of another form are left out."""
        found: dict[Form, Range] = {}
        for condition in access.conditions:
            if condition.form is None:
                continue
            moving, fixed = self._split(condition.form)
            if not moving.terms:
                continue
            if moving.terms[0][1] > 0:  # moving + fixed < 0
                one = Range(moving, None, Form().plus(fixed, -1))
            else:  # -moving > fixed
                one = Range(Form().plus(moving, -1), fixed.plus(Form.number(1)), None)
            before = found.get(one.index, Range(one.index, None, None))
            lower = one.lower if before.lower is None else before.lower
            found[one.index] = Range(one.index, lower, one.upper if before.upper is None else before.upper)
        return tuple(found.values())

    def _split(self, form: Form) -> tuple[Form, Form]:
        """What of a form changes from element to element, turn to turn or program to program, and what does not."""
        moving: dict[Product, int] = {}
        fixed: dict[Product, int] = {}
        for product, coefficient in form.terms:
            leaves = Form.of({product: 1}).leaves
            target = moving if any(self._moves(leaf) for leaf in leaves) else fixed
            target[product] = coefficient
        return Form.of(moving), Form.of(fixed)

    def _moves(self, leaf: Leaf) -> bool:
        made = self.indices.definitions.get(leaf.value)
        return (
            bool(leaf.dims) or leaf.value in self.indices.counters or (made is not None and made.kind == "program_id")
        )

    def _access(self, operation: Operation) -> Access:
        pointer = operation.get("pointer")
        assert pointer is not None
        base, index = self._address(pointer)
        mask = operation.get("mask")
        hints = {key: o for key in _HINTS if (o := operation.get(key)) is not None}
        conditions = tuple(self.conditions(mask)) if mask not in (None, Constant("None")) else ()
        return Access(operation, base, index, conditions, operation.get("other"), hints)

    def _address(self, pointer: Operand) -> tuple[Operand, Form | None]:
        """The pointer without its offset, and the offset."""
        index = Form()
        seen: set[Operand] = set()
        while isinstance(pointer, Value) and pointer not in seen:
            seen.add(pointer)
            made = self.indices.definitions.get(pointer)
            moved = self.indices.step(pointer)
            if moved is not None:
                pointer, index = moved[0], index.plus(moved[1])
            elif made is None:
                break
            elif made.kind in ("scalar", "broadcast_to") or made.kind in ("multiple_of", "max_contiguous"):
                pointer = made.operands[0]
            elif made.kind in ("add", "sub") and len(made.operands) == 2:
                left, right = made.operands
                offset = self.indices.form(right)
                if offset is None:
                    left, offset = right, self.indices.form(left)
                if offset is None:
                    return pointer, None
                pointer, index = left, index.plus(offset, 1 if made.kind == "add" else -1)
            else:
                return pointer, None
        return pointer, index

    def conditions(self, mask: Operand) -> Iterator[Condition]:
        made = self.indices.definitions.get(mask) if isinstance(mask, Value) else None
        if made is not None and made.kind in ("bitand", "and"):
            for operand in made.operands:
                yield from self.conditions(operand)
            return
        if made is not None and made.kind == "broadcast_to":
            yield from self.conditions(made.operands[0])
            return
        if made is not None and made.kind == "expand_dims":
            yield from self._expanded(made)
            return
        yield self._compared(made, mask)

    def _expanded(self, made: Operation) -> Iterator[Condition]:
        shape, axis = self.indices.shapes.of(made.operands[0]), made.get("axis")
        number = axis.number if isinstance(axis, Constant) else None
        for condition in self.conditions(made.operands[0]):
            if condition.form is None or shape is None or not isinstance(number, int):
                yield Condition(None, made.result)
            else:
                yield Condition(condition.form.moved(number % (len(shape) + 1), len(shape) + 1))

    def _compared(self, made: Operation | None, mask: Operand) -> Condition:
        if made is None or made.kind not in ("lt", "le", "gt", "ge"):
            return Condition(None, mask)
        one, other = (self.indices.form(operand) for operand in made.operands)
        if one is None or other is None:
            return Condition(None, mask)
        if made.kind in ("gt", "ge"):
            one, other = other, one
        strict = made.kind in ("lt", "gt")
        return Condition(one.plus(other, -1).plus(Form.number(0 if strict else -1)))


@lru_cache(maxsize=REMEMBERED)
def written_parameters(function: Function) -> frozenset[str]:
    """The parameters that a kernel may write through: all of them where that is not known."""
    accesses = {id(access.operation): access.base for access in Accesses(function).all}
    names = {value: one.name for value, one in zip(function.body.arguments, function.parameters, strict=True)}
    writing = [one for one in function.walk() if one.effect == Effect.WRITE and not one.regions]
    found = {names.get(accesses.get(id(one))) for one in writing}  # type: ignore[arg-type]
    return frozenset(name for name in found if name is not None) if None not in found else frozenset(names.values())


def only_accessed(function: Function, argument: Value) -> list[Operation] | None:
    """The loads, stores and atomics by a pointer that a function is given; None where it may do something else with
    it, such as hand it to another function, or carry it through a loop."""
    moved: set[Operand] = {argument}
    found = []
    for one in function.walk():
        used = [operand for operand in one.operands if operand in moved]
        if len(used) == 1 and one.get("pointer") == used[0]:
            found.append(one)
        elif used and (one.effect != Effect.PURE or one.regions or one.kind in _OTHER_CODE):
            return None
        elif used:
            moved.update(one.results)
    regions = [function.body, *(region for one in function.walk() for region in one.regions)]
    return None if any(moved & set(region.yields) for region in regions) else found
