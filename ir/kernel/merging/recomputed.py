"""Two kernels made one the other way: what the first stores by element is computed where the second loads it.

The first kernel stores each element once, the second reads each once. The first counts elements by one number, or by
counters that are digits of what the second counts. So what the first computes of an element is computed of the index
that the second loads at, under the second's mask, and rounded to the tensor's type as before.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from kernelwright.ir.kernel.analysis.accesses import Access, Accesses
from kernelwright.ir.kernel.analysis.counters import Counters
from kernelwright.ir.kernel.analysis.forms import INDEX_LIMIT, Form
from kernelwright.ir.kernel.analysis.shapes import POINTWISE
from kernelwright.ir.kernel.merging.merged import dropped, typed, with_parameters
from kernelwright.ir.kernel.merging.placing import Writer
from kernelwright.ir.kernel.merging.reading import NO_MASK, Part, Reader, Tensor, UnfitError, reduces
from kernelwright.ir.kernel.merging.transport import Transport
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.sums import Sums
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operand, Operation, Value

#: What is computed by element, beside what works on scalars.
_PLAIN = POINTWISE | {"scalar"}


def recomputed(
    first: Part, second: Part, tensor: Tensor, names: Mapping[str, str], symbol: str, *, keep: bool
) -> Function:
    """One kernel for both, launched as the second. `names`: what the first's parameters are called in it; `keep`: the
    tensor is stored all the same.

    Raises UnfitError where the first is not computed by element, or the second does not read each element once.
    """
    if tensor.numel >= INDEX_LIMIT:
        raise UnfitError(f"{tensor.numel} elements are more than 32 bits count")
    first = replace(first, function=typed(first.function, tensor.stored, tensor.dtype))
    added = [replace(p, name=names[p.name], default="") for p in first.function.parameters if p.name in names]
    function = with_parameters(typed(second.function, tensor.read, tensor.dtype), added, symbol)
    own_names = {one.name for one in second.function.parameters}
    second = replace(second, function=function)
    own = zip(first.function.parameters, first.function.body.arguments, strict=True)
    known = {v: function.argument(names[one.name]) for one, v in own if one.name in names}
    try:
        made = _by_number(first, second, tensor, known, keep=keep)
    except UnfitError as reason:
        if keep:
            raise
        try:
            made = _by_digits(first, second, tensor, known)
        except UnfitError:
            raise reason from None
    made = _loaded_once(made, tensor.read)
    used = {operand for one in made.walk() for operand in one.operands}
    idle = {one.name for one in added if made.argument(one.name) not in used}
    idle -= own_names
    return dropped(made, idle if keep else idle | {tensor.read})


def _by_number(first: Part, second: Part, tensor: Tensor, known: Mapping[Value, Value], *, keep: bool) -> Function:
    """The second kernel where the first counts elements by one number, in the order of memory."""
    elements, reader = _Elements(first, tensor), Reader(second, tensor)
    edits, values = Rewriting(second.function), dict[Operand, Operand](known.items())
    loads = [one for one in Accesses(second.function).all if id(one.operation) in reader.loads]
    for place, load in enumerate(loads):
        _Computed(elements, second.function, edits, load, dict(values)).run(tensor, keep=keep and not place)
    return edits.done()


def _by_digits(first: Part, second: Part, tensor: Tensor, known: Mapping[Value, Value]) -> Function:
    """The second kernel where the first counts elements in any way that the second's counters are digits of, as a
    kernel does that turns rows round."""
    writing = [one for one in first.function.walk() if one.effect == Effect.WRITE and not one.regions]
    if len(writing) != 1 or writing[0].kind != "store" or reduces(first.function):
        raise UnfitError("the first kernel does more than store one number for each element")
    Reader(second, tensor)  # raises where the second reads an element more than once
    reader, writer = Reader(first, tensor, stored=True), Writer(second, tensor, loaded=True)
    edits, indices = Rewriting(second.function), writer.indices
    for access in writer.stores:
        load, mask = access.operation, access.operation.get("mask")
        moved = Transport(reader, writer.place(access, reader, edits), edits, known).of(writing[0].operands[1])
        shape = indices.shapes.of(load.operands[0])
        if shape is None or moved.dims != frozenset(range(-len(shape), 0)):
            raise UnfitError("the first kernel does not compute a number for each element")
        value = edits.compute(load, "cast", input=moved.operand, dtype=Constant(f"tl.{tensor.dtype}"))
        if mask is not None and mask not in NO_MASK and access.fill is not None:
            value = edits.compute(load, "where", condition=mask, x=value, y=access.fill)
        edits.replace(load.result, value)
    return edits.done()


def _loaded_once(function: Function, fresh: str) -> Function:
    """The kernel without loads of what the same block of statements has loaded under the same mask, as both kernels may
    have done, where nothing but the tensor `fresh` of its own is written between."""
    edits, accesses = Rewriting(function), Accesses(function)
    by_operation = {id(one.operation): one for one in accesses.all}
    for region in (function.body, *(region for one in function.walk() for region in one.regions)):
        known: dict[tuple[Operand, Form, Operand | None], Access] = {}
        for one in region.operations:
            access = by_operation.get(id(one))
            if one.effect == Effect.WRITE and (access is None or access.base != function.argument(fresh)):
                known.clear()
            if access is None or one.kind != "load" or access.index is None or access.hints:
                continue
            if not accesses.indices.spans(access.index, one.operands[0]):
                continue
            before = known.setdefault((access.base, access.index, one.get("mask")), access)
            if before is not access and before.fill in (None, access.fill) and not isinstance(access.fill, Value):
                edits.change(before.operation, other=access.fill)
                edits.replace(one.result, before.operation.result)
                edits.erase(one)
    return edits.done()


class _Elements:
    """The first kernel: `store` stores each element once, at the number `form`."""

    def __init__(self, part: Part, tensor: Tensor) -> None:
        counters = Counters(part.function, part.launches, part.blocks)
        self.accesses = counters.axes.accesses
        self.indices, self.definitions = counters.indices, counters.indices.definitions
        stores = [one for one in self.accesses.all if one.operation.effect == Effect.WRITE]
        acting = [one for one in part.function.walk() if one.effect == Effect.WRITE or one.regions]
        if len(acting) != 1 or len(stores) != 1 or stores[0].base != part.function.argument(tensor.stored):
            raise UnfitError("the first kernel does more than store one number for each element")
        self.store = stores[0]
        if not self.indices.shapes.of(self.store.operation.operands[1]):
            raise UnfitError("the first kernel stores one number for all elements")
        index = self.store.index
        covering = [one for one in counters.all if index is not None and one.form == counters.plain(index)]
        if index is None or not any(one.covers and one.size == tensor.numel for one in covering):
            raise UnfitError("the first kernel does not store each element once, in the order of memory")
        self.form: Form = index
        self.numel = tensor.numel

    def is_end(self, mask: Operand) -> bool:
        """Whether a mask only ends the elements."""
        end = self.form.plus(Form.number(-self.numel))
        return all(one.form == end for one in self.accesses.conditions(mask))


@dataclass
class _Computed:
    """What the first kernel computes, where the second loads it. `known`: values of the first in the second."""

    elements: _Elements
    function: Function
    edits: Rewriting
    load: Access
    known: dict[Operand, Operand]

    def run(self, tensor: Tensor, *, keep: bool) -> None:
        """Put it in the place of the load; `keep`: and store it."""
        load, mask = self.load.operation, self.load.operation.get("mask")
        index = self._index
        value = self._of(self.elements.store.operation.operands[1])
        value = self.edits.compute(load, "cast", input=value, dtype=Constant(f"tl.{tensor.dtype}"))
        masked = {"mask": mask} if mask is not None and mask not in NO_MASK else {}
        if keep:
            pointer = self.edits.compute(load, "add", lhs=self.function.argument(tensor.read), rhs=index)
            self.edits.before(load, self.edits.make("store", pointer=pointer, value=value, **masked))
        if masked and self.load.fill is not None:
            value = self.edits.compute(load, "where", condition=masked["mask"], x=value, y=self.load.fill)
        self.edits.replace(load.result, value)

    @cached_property
    def _index(self) -> Operand:
        """The number of the element that is loaded."""
        accesses, pointer = Accesses(self.function), self.load.operation.operands[0]
        values: set[Operand] = {*self.function.body.arguments, *accesses.indices.definitions}
        values |= {one for loop in self.function.walk() for region in loop.regions for one in region.arguments}
        sums = Sums(self.edits, accesses.indices, values)
        rank = len(accesses.indices.shapes.of(pointer) or ())
        form = self.load.index
        index = sums.form(form, rank) if form is not None and accesses.indices.spans(form, pointer) else None
        if index is None:
            raise UnfitError("the second kernel's index is not known where it loads")
        self.edits.before(self.load.operation, *sums.made)
        return index

    def _of(self, operand: Operand) -> Operand:
        """A value of the first kernel."""
        if not isinstance(operand, Value):
            return operand
        if operand not in self.known:
            self.known[operand] = self._made(operand)
        return self.known[operand]

    def _made(self, value: Value) -> Operand:
        if self.elements.indices.form(value) == self.elements.form:
            return self._index
        one = self.elements.definitions.get(value)
        if one is None:
            raise UnfitError("the first kernel uses a block size or the tensor itself as a value")
        if one.kind == "load":
            return self._loaded(one)
        if one.kind not in _PLAIN and not one.kind.startswith("libdevice."):
            raise UnfitError(f"a {one.kind} of the first kernel is not computed of an element's number")
        return self._cloned(one, {})

    def _loaded(self, one: Operation) -> Operand:
        """The load at this element, under the second kernel's mask in place of its own, which holds for all."""
        mask, other = one.get("mask"), self.load.operation.get("mask")
        if self.elements.indices.shapes.of(one.operands[0]) == () and mask in NO_MASK:
            return self._cloned(one, {})
        if mask not in NO_MASK and mask is not None and not self.elements.is_end(mask):
            raise UnfitError("the first kernel loads under a mask of its own")
        return self._cloned(one, {"mask": other if other is not None else Constant("None")})

    def _cloned(self, one: Operation, given: Mapping[str, Operand]) -> Operand:
        pairs = [(key, given.get(key) or self._of(o)) for key, o in zip(one.keys, one.operands, strict=True)]
        pairs += [(key, operand) for key, operand in given.items() if key not in one.keys]
        gone = {"mask", "other"} if dict(pairs).get("mask") in NO_MASK else set()
        kept = {key: operand for key, operand in pairs if key not in gone}
        if one.kind == "load":
            made = self.edits.make("load", **kept)
        else:
            made = one.having(operands=tuple(o for _, o in pairs), results=(self.edits.value(),))
        self.edits.before(self.load.operation, made)
        return made.result
