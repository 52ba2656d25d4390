"""Straight-line kernels without what they load again: it is known since it was loaded or stored first."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from kernelwright.ir.kernel.analysis.accesses import Access, Accesses, Condition
from kernelwright.ir.kernel.analysis.forms import Form
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.analysis.shapes import POINTWISE
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operand, Operation, Region, Value
from kernelwright.ir.kernel.vocabulary import COMMUTATIVE, HINTS

#: How values are rounded by being stored, by the tensor's dtype.
_CASTS = {"f32": Constant("tl.float32"), "f16": Constant("tl.float16"), "bf16": Constant("tl.bfloat16")}
_SINGLE = "f32"
#: What gives fp32 where all its tensors are.
_FLOATING = frozenset("add sub mul truediv neg exp exp2 log log2 sqrt rsqrt sqrt_rn div_rn abs maximum minimum".split())
_FLOATING |= frozenset("where sum max min reduce expand_dims broadcast_to reshape sigmoid floor ceil sin cos".split())
_FLOATING |= {"erf", "fma"}
#: What works element by element, and on any elements.
_ELEMENTWISE = POINTWISE - {"floordiv", "mod", "matmul"}
_FLIPPED = {"gt": "lt", "ge": "le"}


@dataclass(frozen=True)
class Tensors:
    """What is known of the tensors that parameters point into.

    `unwritten`: nothing that the kernel writes shares memory with them. `alone`: no other parameter does.
    """

    unwritten: frozenset[str]
    alone: frozenset[str]


#: A place in memory: what points there, the index, the mask; and what is loaded outside of the mask.
_Place = tuple[Operand, Form, frozenset[Condition]]


def without_repeats(function: Function, launches: Launches, tensors: Tensors, *, trusting: bool = False) -> Function:
    """The kernel with each load that repeats another, or reads what was just stored, replaced by the value.

    `trusting`: what is stored as fp32 is taken to be fp32, for callers that find out otherwise.
    """
    return _Repeats(_merged(function), launches, tensors, trusting).run()


def _merged(function: Function) -> Function:
    """The kernel with what is computed twice, with sides swapped, computed once."""
    edits = Rewriting(function)
    same: dict[Operand, Operand] = {}

    def region(one: Region, known: dict[tuple[object, ...], Value]) -> None:
        for operation in one.operations:
            for inner in operation.regions:
                region(inner, dict(known))
            if operation.effect == Effect.PURE and len(operation.results) == 1 and operation.kind not in HINTS:
                first = known.setdefault(_said(operation, same), operation.result) if not operation.regions else None
                if first is not None and first != operation.result:
                    same[operation.result] = first
                    edits.replace(operation.result, first)

    region(function.body, {})
    return edits.done()


def _said(operation: Operation, same: Mapping[Operand, Operand]) -> tuple[object, ...]:
    """What an operation computes, whichever side its operands are on."""
    kind, operands = operation.kind, [same.get(operand, operand) for operand in operation.operands]
    if kind in _FLIPPED:
        kind, operands = _FLIPPED[kind], operands[::-1]
    if kind in COMMUTATIVE and len(operands) == 2:
        operands.sort(key=str)
    return (kind, operation.keys, operation.text, *operands)


class _Repeats:
    def __init__(self, function: Function, launches: Launches, tensors: Tensors, trusting: bool) -> None:
        self.function, self.launches, self.tensors, self.trusting = function, launches, tensors, trusting
        self.edits = Rewriting(function)
        self._single: dict[Operand, bool] = {}
        accesses = Accesses(function, launches)
        self.shapes = accesses.indices.shapes
        self.definitions = accesses.indices.definitions
        self.known = {id(access.operation): access for access in accesses.all}
        self._uses = function.uses()
        self.names: Mapping[Operand, str] = {
            value: one.name for value, one in zip(function.body.arguments, function.parameters, strict=True)
        }

    def run(self) -> Function:
        self._region(self.function.body)
        return self.edits.done()

    def _region(self, region: Region) -> None:
        """Note the repeats of a region, each of what stands in the same one: a turn of a loop knows of no other."""
        loaded: dict[_Place, dict[Operand | None, Value]] = defaultdict(dict)
        stored: dict[Operand, tuple[_Place, Operand]] = {}
        for one in region.operations:
            for inner in one.regions:
                self._region(inner)
            access = self.known.get(id(one))
            place = self._place(access)
            if one.kind == "load" and access is not None and place is not None and not self._is_special(one):
                found = self._known(loaded[place], access)
                before = stored.get(access.base)
                if found is not None:
                    self.edits.replace(one.result, found)
                elif before is not None and before[0] == place:
                    self._forward(one, access, before[1])
                else:
                    loaded[place][access.fill] = one.result
            elif one.effect == Effect.WRITE:
                written = self._written(one)
                stored = {b: s for b, s in stored.items() if written is not None and b not in written}
                value = one.get("value") if one.kind == "store" else None
                if access is not None and place is not None and value is not None and self._is_alone(access):
                    stored[access.base] = (place, value)

    def _known(self, loaded: Mapping[Operand | None, Value], access: Access) -> Value | None:
        """What was loaded from this place before, with what the load gives outside its mask: that is any value where a
        load does not say, or where nothing but stores of the same mask depend on it."""
        if self._name(access) not in self.tensors.unwritten or not loaded:
            return None
        load, first = access.operation, next(iter(loaded.values()))
        if access.fill is None or access.fill in loaded:
            return loaded.get(access.fill, first)
        if self._is_dropped(load.result, frozenset(access.conditions)):
            return first
        mask = load.get("mask")
        assert mask is not None  # a fill without a mask is no program
        return self.edits.compute(load, "where", condition=mask, x=first, y=access.fill)

    def _is_dropped(self, value: Value, mask: frozenset[Condition]) -> bool:
        """Whether elements of a value outside of a mask reach nothing but elements that stores leave out."""
        for one in self._uses.get(value, ()):
            access = self.known.get(id(one))
            if one.kind == "store" and access is not None and one.get("value") == value:
                kept = value not in (one.get("pointer"), one.get("mask")) and mask <= frozenset(access.conditions)
            else:
                kept = one.kind in _ELEMENTWISE and self._is_dropped(one.result, mask)
            if not kept:
                return False
        return True

    def _written(self, operation: Operation) -> set[Operand] | None:
        """Where an operation may write; None where that is not known."""
        acting = [one for one in operation.walk() if one.effect == Effect.WRITE and not one.regions]
        found = [self.known.get(id(one)) for one in acting]
        return {access.base for access in found if access is not None} if None not in found else None

    def _is_alone(self, access: Access) -> bool:
        return self._name(access) in self.tensors.alone

    def _name(self, access: Access) -> str:
        return self.names.get(access.base, "")

    def _place(self, access: Access | None) -> _Place | None:
        if access is None or access.index is None:
            return None
        return access.base, access.index, frozenset(access.conditions)

    def _is_special(self, load: Operation) -> bool:
        return any(load.get(key) is not None for key in ("volatile", "boundary_check", "cache_modifier"))

    def _forward(self, load: Operation, access: Access, value: Operand) -> None:
        """Put what was stored in the place of a load, rounded as memory rounds it."""
        dtype = self.launches.dtype(self._name(access)) or ""
        mask, fill = load.get("mask"), access.fill
        masked = bool(access.conditions) and fill is not None
        if dtype not in _CASTS or (not masked and self.shapes.of(value) != self.shapes.of(load.result)):
            return
        if dtype != _SINGLE or not (self.trusting or self._is_single(value)):
            value = self.edits.compute(load, "cast", input=value, dtype=_CASTS[dtype])
        if masked and mask is not None and fill is not None:
            value = self.edits.compute(load, "where", condition=mask, x=value, y=fill)
        self.edits.replace(load.result, value)

    def _is_single(self, operand: Operand) -> bool:
        """Whether a value certainly is fp32."""
        if operand not in self._single:
            self._single[operand] = self._found_single(operand)
        return self._single[operand]

    def _found_single(self, operand: Operand) -> bool:
        made = self.definitions.get(operand) if isinstance(operand, Value) else None
        if made is None:
            return False
        if made.kind in ("full", "cast"):
            return made.get("dtype") == _CASTS[_SINGLE]
        access = self.known.get(id(made))
        if made.kind == "load" and access is not None:
            return self.launches.dtype(self._name(access)) == _SINGLE
        operands = made.operands[1:] if made.kind == "where" else made.operands
        if made.kind in ("sum", "max", "min", "reduce", "expand_dims", "broadcast_to", "reshape"):
            operands = operands[:1]
        tensors = [one for one in operands if isinstance(one, Value)]
        plain = all(isinstance(one, Value | Constant) for one in operands)
        return made.kind in _FLOATING and plain and bool(tensors) and all(map(self._is_single, tensors))
