"""Two kernels made one: what the second does with a tensor is done where the first has the elements that it stores.

The second kernel counts elements by counters that every one of its programs, turns and lanes has a part of. The first
stores an element at an index that says which one it is. So each counter is a sum of digits of what the first kernel
holds, and the second kernel's work is computed once more on the first's tile: element by element, and row by row where
a dimension of that tile is a whole row. Between the two, a value is rounded to the tensor's type as before.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelwright.ir.kernel.analysis.accesses import Access
from kernelwright.ir.kernel.analysis.axes import SCANNING
from kernelwright.ir.kernel.analysis.counters import Counter, Counters, Digits
from kernelwright.ir.kernel.analysis.digits import Digit, Index, counts_up, paired
from kernelwright.ir.kernel.analysis.indices import Form
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.analysis.phases import Phase, phases
from kernelwright.ir.kernel.analysis.shapes import POINTWISE
from kernelwright.ir.kernel.building import first_free
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import (
    Constant,
    Effect,
    Function,
    Operand,
    Operation,
    Parameter,
    Region,
    Value,
)
from kernelwright.ir.kernel.vocabulary import HINTS

#: Elements beyond which a 32-bit index would not do, with room for what blocks overshoot by.
INDEX_LIMIT = 2**31 - 2**16
#: Stores of one kernel into which another's work is copied.
MOST_STORES = 8
_KEPT_SHAPE = frozenset({"expand_dims", "broadcast_to"}) | HINTS
_NEUTRAL = {"sum": Constant("0"), "max": Constant('-float("inf")'), "min": Constant('float("inf")')}
_REDUCING = frozenset({"sum", "max", "min", "reduce", "xor_sum", "reduce_or"})
_NONE = (None, Constant("None"))


class UnfitError(Exception):
    """Why two kernels are not made one."""


@dataclass(frozen=True)
class Part:
    """A kernel as it is launched, its helpers taken apart, and its launch options that are integers."""

    function: Function
    launches: Launches
    blocks: Mapping[str, int]


@dataclass(frozen=True)
class Tensor:
    """What the first kernel stores by the parameter `stored` and the second loads by `read`: so many elements without
    gaps, of a dtype that Triton has under this name."""

    stored: str
    read: str
    numel: int
    dtype: str


def merged(first: Part, second: Part, tensor: Tensor, names: Mapping[str, str], symbol: str, *, keep: bool) -> Function:
    """One kernel for both, launched as the first. `names`: what the second's parameters are called in it, those of the
    first among them where both are given the same; `keep`: the tensor is stored all the same.

    Raises UnfitError where the second kernel does not read each element once, or does more with it than this can place.
    """
    if tensor.numel >= INDEX_LIMIT:
        raise UnfitError(f"{tensor.numel} elements are more than 32 bits count")
    reader = _Reader(replace(second, function=_typed(second.function, tensor.read, tensor.dtype)), tensor)
    function = _typed(first.function, tensor.stored, tensor.dtype)
    added = [replace(p, name=names[p.name], default="") for p in second.function.parameters if p.name in names]
    function = _with_parameters(function, added, symbol)
    writer = _Writer(replace(first, function=function), tensor)
    edits = Rewriting(function)
    own = zip(second.function.parameters, second.function.body.arguments, strict=True)
    known = {value: function.argument(names[one.name]) for one, value in own if one.name in names}
    for store in writer.stores:
        _Transport(reader, writer.place(store, reader, edits), edits, known).run()
        if not keep:
            edits.erase(store.operation)
    made = edits.done()
    used = {operand for one in made.walk() for operand in one.operands}
    idle = {one.name for one in added if made.argument(one.name) not in used} - {
        p.name for p in first.function.parameters
    }
    return _dropped(made, idle if keep else idle | {tensor.stored})


def reduces(function: Function) -> bool:
    """Whether a kernel reduces anything."""
    return any(one.kind in _REDUCING for one in function.walk())


def turns(second: Part, tensor: Tensor) -> bool:
    """Whether a kernel only moves what it loads of a tensor, and counts it down along a dimension.

    Raises UnfitError where it does not load each element once.
    """
    reader = _Reader(second, tensor)
    stores = [one for one in reader.operations if one.effect == Effect.WRITE]
    loaded = {one.result for one in reader.operations if id(one) in reader.loads}
    moves = len(stores) == 1 and stores[0].kind == "store" and stores[0].get("value") in loaded
    return moves and any(digit.reverse for _, digit in reader.index.terms)


def _typed(function: Function, parameter: str, dtype: str) -> Function:
    """The kernel with the dtype of a parameter's tensor written out."""
    edits = Rewriting(function)
    argument = function.argument(parameter)
    types = {one.result for one in function.walk() if one.kind == "attribute" and one.operands[0] == argument}
    for one in function.walk():
        if one.kind == "attribute" and one.operands[0] in types and one.text == "element_ty":
            edits.replace(one.result, Constant(f"tl.{dtype}"))
    return edits.done()


def _with_parameters(function: Function, added: Sequence[Parameter], symbol: str) -> Function:
    """The kernel under another name with further parameters, those for constants last."""
    have = {one.name for one in function.parameters}
    new = [one for one in added if one.name not in have]
    pairs = list(zip(function.parameters, function.body.arguments, strict=True))
    pairs += [(one, Value(first_free(function) + place)) for place, one in enumerate(new)]
    pairs.sort(key=lambda pair: pair[0].is_constexpr)
    body = replace(function.body, arguments=tuple(value for _, value in pairs))
    return replace(function, symbol=symbol, parameters=tuple(one for one, _ in pairs), body=body)


def _dropped(function: Function, parameters: Iterable[str]) -> Function:
    edits = Rewriting(function)
    for parameter in parameters:
        edits.drop(parameter)
    return edits.done()


def _parts(mask: Operand | None, definitions: Mapping[Value, Operation]) -> Iterator[Operand]:
    """The conditions that a mask joins."""
    if mask in _NONE or mask is None:
        return
    made = definitions.get(mask) if isinstance(mask, Value) else None
    if made is not None and made.kind in ("bitand", "and"):
        for operand in made.operands:
            yield from _parts(operand, definitions)
    else:
        yield mask


class _Reader:
    """The second kernel: its operations in order, its counters, and which of them say which element it loads."""

    def __init__(self, part: Part, tensor: Tensor) -> None:
        self.function, self.tensor = part.function, tensor
        self.argument = part.function.argument(tensor.read)
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
            if access.operation.kind != "load" or access.index is None:
                raise UnfitError("the tensor is written, or read by a pointer that says no index")
            if not all(map(self.is_implied, _parts(access.operation.get("mask"), self.definitions))):
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
            if one.kind in _REDUCING:
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


@dataclass(frozen=True)
class _Bound:
    """A condition of the store's mask, and the counters that it bounds."""

    operand: Operand
    counters: frozenset[str]


@dataclass(frozen=True)
class _Held:
    """What the first kernel holds of a counter: the value, the dimensions that it runs along, how many values there
    are. `whole`: all of them are in one block, which has so many lanes."""

    operand: Operand
    dims: frozenset[int]
    size: int
    whole: bool = False
    lanes: int | None = None


@dataclass(frozen=True)
class _Place:
    """A store of the tensor: what is stored, and each digit of the second kernel's counters in terms of what is held.

    `digits`: for each counter, step, size and the digit that it is.
    """

    store: Operation
    shape: tuple[Operand, ...]
    held: Mapping[str, _Held]
    bounds: tuple[_Bound, ...]
    digits: Mapping[str, Sequence[tuple[int, Digit]]]
    element: Index


class _Writer:
    """The first kernel: where it stores the tensor, and what its tile says of an element."""

    def __init__(self, part: Part, tensor: Tensor) -> None:
        self.function, self.tensor = part.function, tensor
        self.counters = Counters(part.function, part.launches, part.blocks, tuned=True)
        self.indices = self.counters.indices
        self.accesses = self.counters.axes.accesses
        self.stores = self._stores()

    def _stores(self) -> list[Access]:
        argument = self.function.argument(self.tensor.stored)
        found = [access for access in self.accesses.all if access.base == argument]
        derived, others = {argument}, 0
        for one in self.function.walk():
            if derived.intersection(one.operands) or any(derived.intersection(r.yields) for r in one.regions):
                others += bool(one.regions) or (one.effect != Effect.PURE and one.kind != "store")
                others += one.kind == "store" and one.get("value") in derived
                derived.update(one.results)
        if others or not 1 <= len(found) <= MOST_STORES or any(a.operation.kind != "store" for a in found):
            raise UnfitError("the tensor is not just stored, in a few places")
        if any(isinstance(one.operation.get("value"), Constant) or one.index is None for one in found):
            raise UnfitError("a number is stored, or at a place that is not known")
        return found

    def place(self, access: Access, reader: _Reader, edits: Rewriting) -> _Place:
        """What a store says of the second kernel's counters: by the first's own, else by the element's number."""
        for candidate in (self._by_counters(access), self._by_element(access, edits)):
            if candidate is None:
                continue
            element, held, bounds = candidate
            pairs = paired(element, reader.index, self.tensor.numel)
            if pairs is None:
                continue
            digits: dict[str, list[tuple[int, Digit]]] = {}
            for digit, counted in pairs:
                turned = replace(digit, reverse=digit.reverse != counted.reverse)
                digits.setdefault(counted.variable, []).append((counted.step, turned))
            place = _Place(access.operation, self._shape(access), held, bounds, digits, element)
            if all(_is_row(place, row) for row in reader.rows()):
                return place
        raise UnfitError("the store does not say which element it stores, or holds no whole rows")

    def _shape(self, access: Access) -> tuple[Operand, ...]:
        pointer = access.operation.get("pointer")
        assert pointer is not None
        shape = self.indices.shapes.of(pointer)
        if shape is None:
            raise UnfitError("the tile has no known shape")
        return shape

    def _by_element(
        self, access: Access, edits: Rewriting
    ) -> tuple[Index, dict[str, _Held], tuple[_Bound, ...]] | None:
        mask = access.operation.get("mask")
        offsets = self._offsets(access.operation.get("pointer"), access.base)
        if not offsets:
            return None
        total = offsets[0]
        for other in offsets[1:]:
            total = edits.compute(access.operation, "add", lhs=total, rhs=other)
        dims = frozenset(range(-len(self._shape(access)), 0))
        held = {"element": _Held(total, dims, self.tensor.numel)}
        bounds = () if mask is None or mask in _NONE else (_Bound(mask, frozenset(("element",))),)
        return Index.whole("element", self.tensor.numel), held, bounds

    def _offsets(self, pointer: Operand | None, base: Operand) -> list[Operand]:
        """What is added to a pointer, in order; nothing where that is not all that is done to it."""
        found: list[Operand] = []
        while pointer != base:
            made = self.indices.definitions.get(pointer) if isinstance(pointer, Value) else None
            if made is None or made.kind != "add":
                return []
            forms = [self.indices.form(operand) for operand in made.operands]
            if (forms[0] is None) == (forms[1] is None):
                return []
            pointer, offset = made.operands if forms[0] is None else made.operands[::-1]
            found.insert(0, offset)
        return found

    def _by_counters(self, access: Access) -> tuple[Index, dict[str, _Held], tuple[_Bound, ...]] | None:
        assert access.index is not None
        counters = self._bounded(access)
        digits = Digits(counters)
        element = digits.index(access.index)
        if element is None:
            return None
        held, visible = {}, list(_visible(self.function.body, access.operation))
        for counter in counters:
            if any(digit.variable == counter.name for _, digit in element.terms):
                operand = self._held(digits.seen.get(counter.name), visible)
                if operand is None:
                    return None
                dims = {d for leaf in digits.seen[counter.name].leaves for d in leaf.dims}
                lanes = self.counters.number(self._lanes(counter)) if counter.whole else None
                held[counter.name] = _Held(operand, frozenset(dims), counter.size, counter.whole, lanes)
        return element, held, self._bounds(access, counters, frozenset(held))

    def _lanes(self, counter: Counter) -> Operand:
        assert counter.lanes is not None
        return self.indices.definitions[counter.lanes].operands[1]

    def _bounded(self, access: Access) -> list[Counter]:
        """Counters that are within their size wherever the store is done."""
        known = {counter.form: counter for counter in self.counters.all}
        found: dict[Form, Counter] = {}
        for number, one in enumerate(self.accesses.ranges(access)):
            form = one.index
            upper = one.upper.constant if one.upper is not None else None
            lower = one.lower.constant if one.lower is not None else self.counters.least(form)
            if upper is None or lower is None or lower < 0:
                continue
            lanes = {leaf.value for leaf in form.leaves if leaf.dims}
            same = [c for f, c in known.items() if c.lanes in lanes and len(lanes) == 1 and _same_sum(f, form)]
            whole = bool(same) and same[0].whole and (same[0].most or 0) >= upper
            axis = next(iter(lanes)) if len(lanes) == 1 else None
            found[form] = Counter(f"range {number}", form, upper, axis, whole)
        bounded = list(found.values())
        for counter in self.counters.all:
            if counter.most is not None and not any(_same_sum(counter.form, form) for form in found):
                bounded.append(replace(counter, size=counter.most))
        return bounded

    def _held(self, form: Form | None, visible: Sequence[Value]) -> Value | None:
        """A value that stands before the store and is a form; the one of most dimensions."""
        found = [value for value in visible if form is not None and self.indices.form(value) == form]
        return max(found, key=lambda value: len(self.indices.shapes.of(value) or ()), default=None)

    def _bounds(self, access: Access, counters: Sequence[Counter], names: frozenset[str]) -> tuple[_Bound, ...]:
        found = []
        for part in _parts(access.operation.get("mask"), self.indices.definitions):
            used: set[str] = set()
            for condition in self.accesses.conditions(part):
                index = None
                if condition.form is not None:
                    index = Digits(counters).index(condition.form)
                used |= {digit.variable for _, digit in index.terms} if index is not None else names
            found.append(_Bound(part, frozenset(used)))
        return tuple(found)


def _same_sum(one: Form, other: Form) -> bool:
    """Whether two forms are the same wherever their lanes lie."""
    return str(_flat(one)) == str(_flat(other))


def _flat(form: Form) -> list[tuple[list[str], int]]:
    return sorted(([str(factor).partition("[")[0] for factor in product], c) for product, c in form.terms)


def _visible(region: Region, operation: Operation) -> Iterator[Value]:
    """Values that may be used just before an operation."""
    for one in region.operations:
        if one is operation:
            return
        inside = next((r for r in one.regions if any(o is operation for i in r.operations for o in i.walk())), None)
        if inside is not None:
            yield from inside.arguments
            yield from _visible(inside, operation)
            return
        yield from one.results


def _is_row(place: _Place, row: Counter) -> bool:
    """Whether a row of the second kernel lies along one dimension of the tile, alone there and whole."""
    digits = place.digits.get(row.name, ())
    names = {digit.variable for _, digit in digits}
    held = place.held.get(names.pop()) if len(names) == 1 else None
    if held is None or not held.whole or len(held.dims) != 1 or row.size != held.size:
        return False
    others = [
        one for name, one in place.held.items() if one is not held and any(name == d.variable for _, d in _all(place))
    ]
    return not any(held.dims & one.dims for one in others)


def _all(place: _Place) -> Iterator[tuple[int, Digit]]:
    for digits in place.digits.values():
        yield from digits


@dataclass(frozen=True)
class _Moved:
    """A value of the second kernel on the first's tile, and the dimensions that it runs along there."""

    operand: Operand
    dims: frozenset[int] = frozenset()


class _Transport:
    """The second kernel's work on what one store stores."""

    def __init__(self, reader: _Reader, place: _Place, edits: Rewriting, known: Mapping[Value, Value]) -> None:
        self.reader, self.place, self.edits = reader, place, edits
        self.known: dict[Operand, _Moved] = {value: _Moved(new) for value, new in known.items()}
        self.rows = list(reader.rows())
        self.store = place.store

    def run(self) -> None:
        """Do all that the second kernel does, just before the store."""
        for one in self.reader.operations:
            if one.kind == "store":
                self._stored(one)
            elif one.kind == "load":
                self.of(one.result)
            elif one.effect != Effect.PURE:
                raise UnfitError(f"a {one.kind} may not be done elsewhere")

    def _compute(self, kind: str, /, **parts: Operand) -> Operand:
        return self.edits.compute(self.store, kind, **parts)

    def _tuple(self, elements: Sequence[Operand]) -> Value:
        made = Operation("tuple", tuple(elements), ("element",) * len(elements), (self.edits.value(),))
        self.edits.before(self.store, made)
        return made.result

    def of(self, operand: Operand) -> _Moved:
        """A value on the tile."""
        if not isinstance(operand, Value):
            return _Moved(operand)
        if operand not in self.known:
            self.known[operand] = self._made(operand)
        return self.known[operand]

    def _made(self, value: Value) -> _Moved:
        form = self.reader.indices.form(value)
        index = self.reader.counters.index(form) if form is not None and form.leaves else None
        if index is not None:
            return self._index(index)
        one = self.reader.definitions.get(value)
        if one is None:
            raise UnfitError("a block size, a counter or the tensor itself is used as a value")
        if one.kind == "load":
            return self._loaded(one)
        if one.kind in _KEPT_SHAPE:
            return self.of(one.operands[0])
        if one.kind in _REDUCING:
            return self._reduced(one)
        if one.kind == "where":
            return self._where(one)
        if one.kind in ("full", "zeros"):
            return self._filled(one)
        plain = one.kind in POINTWISE or one.kind in ("scalar", "tuple", "getitem", "attribute", "zeros_like")
        plain |= one.kind.startswith(("libdevice.", "python.", "triton.")) or one.kind in ("rand", "randn", "randint")
        if not plain or one.kind in SCANNING:
            raise UnfitError(f"a {one.kind} is neither element by element nor row by row")
        return self._cloned(one, [self.of(operand) for operand in one.operands])

    def _cloned(self, one: Operation, moved: Sequence[_Moved]) -> _Moved:
        made = replace(one, operands=tuple(m.operand for m in moved), results=(self.edits.value(),))
        self.edits.before(self.store, made)
        return _Moved(made.result, frozenset().union(*(m.dims for m in moved)))

    def _filled(self, one: Operation) -> _Moved:
        value, dtype = one.get("value") or Constant("0"), one.get("dtype")
        assert dtype is not None
        if isinstance(value, Value) and self.reader.phases[value] != Phase.STATIC:
            return self.of(value)
        shape = self._tuple([Constant("1")] * len(self.place.shape))
        return _Moved(self._compute("full", shape=shape, value=self.of(value).operand, dtype=self.of(dtype).operand))

    def _index(self, index: Index) -> _Moved:
        """A sum of digits of the second kernel's counters, of what the first holds."""
        placed = Index.sum(((f * g, d) for f, digit in index.terms for g, d in self._digits(digit)), index.offset)
        if placed == self.place.element and (whole := self.place.held.get("element")) is not None:
            return _Moved(whole.operand, whole.dims)
        total: Operand | None = None
        dims: frozenset[int] = frozenset()
        for factor, digit in reversed(placed.terms):
            held = self.place.held[digit.variable]
            part, dims = self._digit(digit, held), dims | held.dims
            if factor != 1:
                part = self._compute("mul", lhs=Constant(str(factor)), rhs=part)
            total = part if total is None else self._compute("add", lhs=total, rhs=part)
        if total is None:
            return _Moved(Constant(str(placed.offset)))
        if placed.offset:
            sign = "add" if placed.offset > 0 else "sub"
            total = self._compute(sign, lhs=total, rhs=Constant(str(abs(placed.offset))))
        return _Moved(total, dims)

    def _digit(self, digit: Digit, held: _Held) -> Operand:
        found: Operand = held.operand
        if digit.step > 1:
            found = self._compute("floordiv", lhs=found, rhs=Constant(str(digit.step)))
        if digit.step * digit.size < held.size:
            found = self._compute("mod", lhs=found, rhs=Constant(str(digit.size)))
        return self._compute("sub", lhs=Constant(str(digit.size - 1)), rhs=found) if digit.reverse else found

    def _digits(self, digit: Digit) -> Iterator[tuple[int, Digit]]:
        """A digit of a counter of the second kernel as digits of what the first holds."""
        step, left, factor = digit.step, digit.size, 1
        found = []
        while left > 1:
            pieces = self.place.digits.get(digit.variable, ())
            place, piece = next(((s, d) for s, d in pieces if s <= step < s * d.size), (0, digit))
            inner = step // place if place else 0
            if not place or inner * place != step or piece.size % inner:
                raise UnfitError("a counter is not told by the element")
            size = min(piece.size // inner, left)
            if left % size or (piece.size // inner) % size:
                raise UnfitError("digits of the two kernels do not meet")
            found.append((factor, replace(piece, step=piece.step * inner, size=size)))
            step, left, factor = step * size, left // size, factor * size
        turned = [(f, replace(d, reverse=not d.reverse)) for f, d in found] if digit.reverse else found
        yield from turned

    def _where(self, one: Operation) -> _Moved:
        condition, x, y = one.operands
        parts = [p for p in _parts(condition, self.reader.definitions) if not self._always(p)]
        if not parts:
            return self.of(x)
        mask = self._joined([self._condition(part) for part in parts])
        return self._cloned(one, [mask, self.of(x), self.of(y)])

    def _condition(self, condition: Operand) -> _Moved:
        """A condition on the tile. Where it ends a row, lanes beyond the row may well stand for places before its end,
        as those of a row that is turned round do: there the tile's own end counts."""
        row = next((one for one in self.rows if self.reader.is_of(condition, one)), None)
        if row is None or not self.reader.is_implied(condition):
            return self.of(condition)
        if not self.reader.is_end(condition):
            raise UnfitError("a condition says more of a row than where it ends")
        return self._within(row)

    def _within(self, row: Counter) -> _Moved:
        """Which lanes of the tile lie within a row."""
        held = self._along(row)
        return _Moved(self._compute("lt", lhs=held.operand, rhs=Constant(str(held.size))), held.dims)

    def _always(self, condition: Operand) -> bool:
        """Whether a condition holds for all elements of the tile that count."""
        return self.reader.is_implied(condition) and not any(
            self.reader.is_of(condition, row) and not self._is_full(row) for row in self.rows
        )

    def _is_full(self, row: Counter) -> bool:
        """Whether the tile has no lanes beyond a row."""
        held = self._along(row)
        return held.lanes == held.size

    def _along(self, row: Counter) -> _Held:
        return self.place.held[self.place.digits[row.name][0][1].variable]

    def _joined(self, parts: Sequence[_Moved]) -> _Moved:
        total = parts[0]
        for part in parts[1:]:
            if part.operand != total.operand:
                both = self._compute("bitand", lhs=total.operand, rhs=part.operand)
                total = _Moved(both, total.dims | part.dims)
        return total

    def _loaded(self, one: Operation) -> _Moved:
        if id(one) in self.reader.loads:
            return self._element(one)
        pointer = self._address(one)
        names = {name for name, held in self.place.held.items() if held.dims & pointer.dims or not held.dims}
        bounds = [bound for bound in self.place.bounds if bound.counters & self._used(one) & names]
        mask = self._mask(one, bounds)
        parts = self._options(one, "pointer", "mask", "other")
        parts |= {"mask": mask} if mask is not None else {}
        other = one.get("other")
        parts |= (
            {"other": self.of(other).operand} if mask is not None and other not in _NONE and other is not None else {}
        )
        made = self.edits.make("load", pointer=pointer.operand, **parts)
        self.edits.before(self.store, made)
        return _Moved(made.result, pointer.dims)

    def _used(self, one: Operation) -> frozenset[str]:
        """What the first kernel holds that an address of the second depends on."""
        access = next(a for a in self.reader.accesses.all if a.operation is one)
        index = self.reader.counters.index(access.index) if access.index is not None else None
        if index is None:
            return frozenset(self.place.held)
        return frozenset(d.variable for _, digit in index.terms for _, d in self._digits(digit))

    def _address(self, one: Operation) -> _Moved:
        pointer = one.get("pointer")
        assert pointer is not None
        if one.get("boundary_check") is not None:
            raise UnfitError("a block pointer is used")
        return self.of(pointer)

    def _options(self, one: Operation, *but: str) -> dict[str, Operand]:
        pairs = zip(one.keys, one.operands, strict=True)
        return {key: self.of(operand).operand for key, operand in pairs if key not in but}

    def _mask(self, one: Operation, bounds: Iterable[_Bound]) -> Operand | None:
        own = [p for p in _parts(one.get("mask"), self.reader.definitions) if not self.reader.is_implied(p)]
        parts = [_Moved(bound.operand) for bound in bounds] + [self.of(part) for part in own]
        return self._joined(parts).operand if parts else None

    def _element(self, load: Operation) -> _Moved:
        """What is stored, rounded to the tensor's type; beyond the end of a row, what the second kernel finds there."""
        value = self.store.get("value")
        assert value is not None
        found = self._compute("cast", input=value, dtype=Constant(f"tl.{self.reader.tensor.dtype}"))
        dims = frozenset(range(-len(self.place.shape), 0))
        other = load.get("other")
        beyond = [p for p in _parts(load.get("mask"), self.reader.definitions) if not self._always(p)]
        if other is None or other in _NONE or not beyond:
            return _Moved(found, dims)
        mask = self._joined([self._condition(part) for part in beyond])
        return _Moved(self._compute("where", condition=mask.operand, x=found, y=self.of(other).operand), dims)

    def _reduced(self, one: Operation) -> _Moved:
        """A reduction along the dimension of the tile that has the row."""
        operands = self.reader.reduced(one)
        row = self.reader.along(operands[0], self.reader.dim(one, operands[0]))
        held = self._along(row)
        (dim,) = held.dims
        moved = [self._whole(self.of(operand), dim) for operand in operands]
        if row.most == row.size and held.lanes != held.size:
            moved = [self._neutral(one, row, moved)]
        dims = frozenset().union(*(m.dims for m in moved)) - {dim}
        given: Operand = moved[0].operand
        if len(moved) > 1:
            given = self._tuple([m.operand for m in moved])
        parts = self._options(one, one.keys[0], "axis", "keep_dims")
        parts["axis"] = Constant(str(len(self.place.shape) + dim))
        return _Moved(self._compute(one.kind, **{one.keys[0]: given}, **parts, keep_dims=Constant("True")), dims)

    def _whole(self, moved: _Moved, dim: int) -> _Moved:
        """A value with every element of the tile along a dimension."""
        if dim in moved.dims:
            return moved
        shape = self._tuple(self.place.shape)
        whole = self._compute("broadcast_to", input=moved.operand, shape=shape)
        return _Moved(whole, frozenset(range(-len(self.place.shape), 0)))

    def _neutral(self, one: Operation, row: Counter, moved: Sequence[_Moved]) -> _Moved:
        """A value that changes no result beyond the end of a row, where the second kernel has nothing."""
        neutral = _NEUTRAL.get(one.kind)
        integer = one.kind != "sum" and self.reader.indices.kinds.is_integer(one.operands[0])
        if neutral is None or len(moved) != 1 or integer:
            raise UnfitError(f"a {one.kind} over more lanes than a row has")
        mask = self._within(row).operand
        return _Moved(self._compute("where", condition=mask, x=moved[0].operand, y=neutral), moved[0].dims)

    def _stored(self, one: Operation) -> None:
        value = one.get("value")
        assert value is not None
        pointer, moved = self._address(one), self.of(value)
        gone = {
            name
            for row in self.rows
            for name, held in self.place.held.items()
            if held is self._along(row) and not held.dims & (pointer.dims | moved.dims)
        }
        bounds = [bound for bound in self.place.bounds if not bound.counters or not bound.counters <= gone]
        mask = self._mask(one, bounds)
        parts = self._options(one, "pointer", "value", "mask")
        parts |= {"mask": mask} if mask is not None else {}
        made = self.edits.make("store", pointer=pointer.operand, value=moved.operand, **parts)
        self.edits.before(self.store, made)
