"""The second kernel's work, done where the first one has what it stores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelwright.ir.kernel.analysis.axes import SCANNING
from kernelwright.ir.kernel.analysis.counters import Counter
from kernelwright.ir.kernel.analysis.digits import Digit, Index
from kernelwright.ir.kernel.analysis.phases import Phase
from kernelwright.ir.kernel.analysis.shapes import POINTWISE
from kernelwright.ir.kernel.merging.placing import Bound, Held, Place
from kernelwright.ir.kernel.merging.reading import NO_MASK, REDUCING, Reader, UnfitError, conjuncts
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Effect, Operand, Operation, Value
from kernelwright.ir.kernel.vocabulary import HINTS

_KEPT_SHAPE = frozenset({"expand_dims", "broadcast_to"}) | HINTS
_NEUTRAL = {"sum": Constant("0"), "max": Constant('-float("inf")'), "min": Constant('float("inf")')}


@dataclass(frozen=True)
class _Moved:
    """A value of the second kernel on the first's tile, and the dimensions that it runs along there."""

    operand: Operand
    dims: frozenset[int] = frozenset()


class Transport:
    """The second kernel's work on what one store stores."""

    def __init__(self, reader: Reader, place: Place, edits: Rewriting, known: Mapping[Value, Value]) -> None:
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
        if one.kind in REDUCING:
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
        subtracted = _are_subtracted(placed)
        last = [term for term in reversed(placed.terms) if subtracted and term[1].reverse]
        for factor, digit in [*(term for term in reversed(placed.terms) if term not in last), *last]:
            held, less = self.place.held[digit.variable], subtracted and digit.reverse
            part, dims = self._digit(replace(digit, reverse=False) if less else digit, held), dims | held.dims
            if factor != 1:
                part = self._compute("mul", lhs=Constant(str(factor)), rhs=part)
            total = part if total is None else self._compute("sub" if less else "add", lhs=total, rhs=part)
        if total is None:
            return _Moved(Constant(str(placed.offset)))
        if placed.offset and not subtracted:
            sign = "add" if placed.offset > 0 else "sub"
            total = self._compute(sign, lhs=total, rhs=Constant(str(abs(placed.offset))))
        return _Moved(total, dims)

    def _digit(self, digit: Digit, held: Held) -> Operand:
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
        parts = [p for p in conjuncts(condition, self.reader.definitions) if not self._always(p)]
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

    def _along(self, row: Counter) -> Held:
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
            {"other": self.of(other).operand} if mask is not None and other not in NO_MASK and other is not None else {}
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

    def _mask(self, one: Operation, bounds: Iterable[Bound]) -> Operand | None:
        own = [p for p in conjuncts(one.get("mask"), self.reader.definitions) if not self.reader.is_implied(p)]
        parts = [_Moved(bound.operand) for bound in bounds] + [self.of(part) for part in own]
        return self._joined(parts).operand if parts else None

    def _element(self, load: Operation) -> _Moved:
        """What is stored, rounded to the tensor's type; beyond the end of a row, what the second kernel finds there."""
        value = self.store.get("value")
        assert value is not None
        found = self._compute("cast", input=value, dtype=Constant(f"tl.{self.reader.tensor.dtype}"))
        dims = frozenset(range(-len(self.place.shape), 0))
        other = load.get("other")
        beyond = [p for p in conjuncts(load.get("mask"), self.reader.definitions) if not self._always(p)]
        if other is None or other in NO_MASK or not beyond:
            return _Moved(found, dims)
        mask = self._joined([self._condition(part) for part in beyond])
        return _Moved(self._compute("where", condition=mask.operand, x=found, y=self.of(other).operand), dims)

    def _reduced(self, one: Operation) -> _Moved:
        """A reduction along the dimension of the tile that has the row."""
        operands = self.reader.reduced(one)
        row = self.reader.along(operands[0], self.reader.dim(one, operands[0]))
        held = self._along(row)
        (dim,) = held.dims
        moved = [self.of(operand) for operand in operands]
        along = frozenset({dim}).union(*(m.dims for m in moved))
        moved = [self._whole(one, along) for one in moved]
        if row.most == row.size and held.lanes != held.size:
            moved = [self._neutral(one, row, moved)]
        dims = frozenset().union(*(m.dims for m in moved)) - {dim}
        given: Operand = moved[0].operand
        if len(moved) > 1:
            given = self._tuple([m.operand for m in moved])
        parts = self._options(one, one.keys[0], "axis", "keep_dims")
        parts["axis"] = Constant(str(len(self.place.shape) + dim))
        return _Moved(self._compute(one.kind, **{one.keys[0]: given}, **parts, keep_dims=Constant("True")), dims)

    def _whole(self, moved: _Moved, dims: frozenset[int]) -> _Moved:
        """A value with every element of the tile along these dimensions."""
        if dims <= moved.dims:
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


def _are_subtracted(index: Index) -> bool:
    """Whether an index is a sum less its digits that are counted down: their ends and the offset cancel out."""
    ends = sum(factor * (digit.size - 1) for factor, digit in index.terms if digit.reverse)
    return index.offset == -ends < 0 and not all(digit.reverse for _, digit in index.terms)
