"""The first of two kernels: where it stores the tensor, and what its tile says of an element."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelwright.ir.kernel.analysis.accesses import Access
from kernelwright.ir.kernel.analysis.counters import Counter, Counters, Digits
from kernelwright.ir.kernel.analysis.digits import OPEN, Digit, Index, paired
from kernelwright.ir.kernel.analysis.forms import Division, Form
from kernelwright.ir.kernel.merging.reading import NO_MASK, Part, Reader, Tensor, UnfitError, conjuncts
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import (
    Constant,
    Effect,
    Operand,
    Operation,
    Region,
    Value,
)

#: Stores of one kernel into which another's work is copied.
MOST_STORES = 16


@dataclass(frozen=True)
class Bound:
    """A condition of the store's mask, and the counters that it bounds."""

    operand: Operand
    counters: frozenset[str]


@dataclass(frozen=True)
class Held:
    """What the first kernel holds of a counter: the value, the dimensions that it runs along, how many values there
    are. `whole`: all of them are in one block, which has so many lanes."""

    operand: Operand
    dims: frozenset[int]
    size: int
    whole: bool = False
    lanes: int | None = None


@dataclass(frozen=True)
class Place:
    """A store of the tensor: what is stored, and each digit of the second kernel's counters in terms of what is held.

    `digits`: for each counter, step, size and the digit that it is.
    """

    store: Operation
    shape: tuple[Operand, ...]
    held: Mapping[str, Held]
    bounds: tuple[Bound, ...]
    digits: Mapping[str, Sequence[tuple[int, Digit]]]
    element: Index


class Writer:
    """The first kernel: where it stores the tensor, and what its tile says of an element; or the second kernel, and
    where it loads the tensor, where `loaded`."""

    def __init__(self, part: Part, tensor: Tensor, *, loaded: bool = False) -> None:
        self.function, self.tensor, self._open_grid = part.function, tensor, part.open_grid
        self.counters = Counters(part.function, part.launches, part.blocks, tuned=True)
        self.indices = self.counters.indices
        self.accesses = self.counters.axes.accesses
        self.stores = self._loads() if loaded else self._stores()

    def _loads(self) -> list[Access]:
        argument = self.function.argument(self.tensor.read)
        found = [access for access in self.accesses.all if access.base == argument]
        if not found or any(one.operation.kind != "load" or one.index is None for one in found):
            raise UnfitError("the tensor is not just loaded, or at a place that is not known")
        return found

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

    def place(self, access: Access, reader: Reader, edits: Rewriting) -> Place:
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
            place = Place(access.operation, self._shape(access), held, bounds, digits, element)
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

    def _by_element(self, access: Access, edits: Rewriting) -> tuple[Index, dict[str, Held], tuple[Bound, ...]] | None:
        mask = access.operation.get("mask")
        offsets = self._offsets(access.operation.get("pointer"), access.base)
        if not offsets:
            return None
        total = offsets[0]
        for other in offsets[1:]:
            total = edits.compute(access.operation, "add", lhs=total, rhs=other)
        dims = frozenset(range(-len(self._shape(access)), 0))
        held = {"element": Held(total, dims, self.tensor.numel)}
        bounds = () if mask is None or mask in NO_MASK else (Bound(mask, frozenset(("element",))),)
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

    def _by_counters(self, access: Access) -> tuple[Index, dict[str, Held], tuple[Bound, ...]] | None:
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
                held[counter.name] = Held(operand, frozenset(dims), counter.size, counter.whole, lanes)
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
            if upper is None or lower is None or (one.lower is None and lower < 0):
                continue
            begin = lower if one.lower is not None else 0
            lanes = {leaf.value for leaf in form.leaves if leaf.dims}
            same = [c for f, c in known.items() if c.lanes in lanes and len(lanes) == 1 and _same_sum(f, form)]
            whole = bool(same) and same[0].whole and (same[0].most or 0) >= upper and not begin
            axis = next(iter(lanes)) if len(lanes) == 1 else None
            found[form] = Counter(f"range {number}", form.plus(Form.number(-begin)), upper - begin, axis, whole)
        bounded = list(found.values())
        for counter in self.counters.all:
            if counter.most is not None and not any(_same_sum(counter.form, form) for form in found):
                is_open = self._open_grid and counter in self.counters.programs
                bounded.append(replace(counter, size=OPEN if is_open else counter.most))
        return [*bounded, *self._parts(access)]

    def _parts(self, access: Access) -> Iterator[Counter]:
        """Quotients and remainders of programs' numbers by something that launch options say: no end of them is
        known."""
        factors = sorted(access.index.factors, key=str) if access.index is not None else []
        for number, one in enumerate(factors):
            form = Form.of({(one,): 1})
            given = one.divisor.constant if isinstance(one, Division) else 1
            if given is None and not any(leaf.dims for leaf in form.leaves) and self.counters.least(form) == 0:
                yield Counter(f"part {number}", form, OPEN)

    def _held(self, form: Form | None, visible: Sequence[Value]) -> Value | None:
        """A value that stands before the store and is a form; the one of most dimensions."""
        found = [value for value in visible if form is not None and self.indices.form(value) == form]
        return max(found, key=lambda value: len(self.indices.shapes.of(value) or ()), default=None)

    def _bounds(self, access: Access, counters: Sequence[Counter], names: frozenset[str]) -> tuple[Bound, ...]:
        found = []
        for part in conjuncts(access.operation.get("mask"), self.indices.definitions):
            used: set[str] = set()
            for condition in self.accesses.conditions(part):
                index = None
                if condition.form is not None:
                    index = Digits(counters).index(condition.form)
                used |= {digit.variable for _, digit in index.terms} if index is not None else names
            found.append(Bound(part, frozenset(used)))
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


def _is_row(place: Place, row: Counter) -> bool:
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


def _all(place: Place) -> Iterator[tuple[int, Digit]]:
    for digits in place.digits.values():
        yield from digits
