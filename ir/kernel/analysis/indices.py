"""Integers of a kernel as sums of products over what they are made of, with quotients and remainders for digits.

`300 * rows + (start + lanes)` is a `Form` with the terms 300·rows, start, lanes; `pixel // 5 % 5` is a remainder of a
quotient. Two spellings of one sum have one form. Overflow is not modelled: forms are equal as numbers without end.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.analysis.phases import Phase, phases
from kernelwright.ir.kernel.analysis.shapes import Shapes
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Region, Undefined, Value
from kernelwright.ir.kernel.vocabulary import HINTS, LOOPS

#: Elements beyond which a 32-bit index would not do, with room for what blocks overshoot by.
INDEX_LIMIT = 2**31 - 2**16
_SOURCES = frozenset({"program_id", "num_programs", "arange", "argmax", "argmin", "cdiv", "python.int", "python.len"})
_SOURCES |= {"triton.cdiv", "triton.next_power_of_2"}
_EXACT = frozenset({"add", "sub", "mul", "floordiv", "mod", "neg", "maximum", "minimum", "python.min", "python.max"})
_MOVING = frozenset({"expand_dims", "broadcast_to", "scalar", "reshape", "view", "trans", "permute"}) | HINTS
_COMPARISONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
_INTEGER_TYPES = {Constant(f"tl.{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)}
#: What gives integers of 32 or 64 bits.
_WIDE = frozenset({"arange", "program_id", "num_programs", "cdiv", "triton.cdiv", "for", "while"})
_WIDE_TYPES = (Constant("tl.int32"), Constant("tl.int64"))
_ROUNDS = 20


@dataclass(frozen=True)
class Leaf:
    """A value that is not taken apart. `dims`: where its dimensions are in the tensor, from the right: -1, -2, …"""

    value: Value
    dims: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.value}{list(self.dims) if self.dims else ''}"


@dataclass(frozen=True)
class Division:
    """A quotient (`//`) or a remainder (`%`) of two forms."""

    kind: str
    form: "Form"
    divisor: "Form"

    def __str__(self) -> str:
        parts = [f"({form})" if len(form.terms) > 1 else str(form) for form in (self.form, self.divisor)]
        return f"({(' // ' if self.kind == 'floordiv' else ' % ').join(parts)})"


Factor = Leaf | Division
Product = tuple[Factor, ...]


@dataclass(frozen=True)
class Form:
    """A sum of products with integer coefficients, in a fixed order; the empty product is the number 1."""

    terms: tuple[tuple[Product, int], ...] = ()

    def __str__(self) -> str:
        parts = []
        for product, coefficient in self.terms:
            factors = [str(factor) for factor in product]
            if coefficient != 1 or not factors:
                factors.insert(0, str(coefficient))
            parts.append("·".join(factors))
        return " + ".join(parts) or "0"

    @classmethod
    def of(cls, terms: Mapping[Product, int]) -> "Form":
        """A form of these terms; those with coefficient 0 are left out."""
        kept = [(product, coefficient) for product, coefficient in terms.items() if coefficient]
        return cls(tuple(sorted(kept, key=lambda term: (len(term[0]), [str(factor) for factor in term[0]]))))

    @classmethod
    def number(cls, value: int) -> "Form":
        """A form of one number."""
        return cls.of({(): value})

    @property
    def constant(self) -> int | None:
        """The number that the form is; None where it is more than a number."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @cached_property
    def factors(self) -> frozenset[Factor]:
        """Every factor, those inside quotients and remainders too."""
        found: set[Factor] = set()
        for product, _ in self.terms:
            for factor in product:
                found.add(factor)
                if isinstance(factor, Division):
                    found |= factor.form.factors | factor.divisor.factors
        return frozenset(found)

    @property
    def leaves(self) -> frozenset[Leaf]:
        """What the form is made of."""
        return frozenset(factor for factor in self.factors if isinstance(factor, Leaf))

    def coefficient(self, factor: Factor) -> "Form | None":
        """What a factor is multiplied with; None where the form is not linear in it."""
        found: dict[Product, int] = {}
        for product, number in self.terms:
            if factor in product:
                rest = list(product)
                rest.remove(factor)
                found[tuple(rest)] = number
        inside = (one for one in self.factors if isinstance(one, Division))
        leaves = {factor} if isinstance(factor, Leaf) else set()
        if any(factor in rest for rest in found) or any(
            leaves & (one.form.leaves | one.divisor.leaves) for one in inside
        ):
            return None
        return Form.of(found)

    def plus(self, other: "Form", times: int = 1) -> "Form":
        """The sum with a multiple of another form."""
        terms = dict(self.terms)
        for product, coefficient in other.terms:
            terms[product] = terms.get(product, 0) + times * coefficient
        return Form.of(terms)

    def times(self, other: "Form") -> "Form":
        """The product, multiplied out."""
        terms: dict[Product, int] = {}
        for one, first in self.terms:
            for two, second in other.terms:
                product = tuple(sorted((*one, *two), key=str))
                terms[product] = terms.get(product, 0) + first * second
        return Form.of(terms)

    def divided(self, kind: str, divisor: "Form") -> "Form":
        """The quotient or remainder; exact where every coefficient is a multiple of the divisor."""
        number = divisor.constant
        if number == 1:
            return self if kind == "floordiv" else Form()
        own = self.constant
        if own is not None and own >= 0 and number is not None and number > 0:
            return Form.number(own // number if kind == "floordiv" else own % number)
        if number and all(coefficient % number == 0 for _, coefficient in self.terms):
            return Form.of({p: c // number for p, c in self.terms}) if kind == "floordiv" else Form()
        return Form.of({(Division(kind, self, divisor),): 1})

    def multiple_of(self, other: "Form") -> "Form | None":
        """What times `other`, a single product, is this form; None where nothing is."""
        if len(other.terms) != 1:
            return None
        (divisor, number), terms = other.terms[0], {}
        for product, coefficient in self.terms:
            left = list(product)
            for factor in divisor:
                if factor not in left:
                    return None
                left.remove(factor)
            if coefficient % number:
                return None
            terms[tuple(left)] = coefficient // number
        return Form.of(terms)

    def without(self, other: "Form") -> "tuple[int, Form]":
        """How many times another form, which is not 0, is in this one whole, and what is left; 0 times where it is
        not."""
        terms = dict(self.terms)
        (first, number), *_ = other.terms
        factor, left = divmod(terms.get(first, 0), number)
        if left or any(terms.get(product) != factor * coefficient for product, coefficient in other.terms):
            return 0, self
        return factor, self.plus(other, -factor)

    def moved(self, axis: int, rank: int) -> "Form":
        """The form of a tensor with a new dimension at `axis`; `rank` counts it."""

        def place(dim: int) -> int:
            index = dim + rank - 1
            return (index if index < axis else index + 1) - rank

        def move(factor: Factor) -> Factor:
            if isinstance(factor, Leaf):
                return Leaf(factor.value, tuple(map(place, factor.dims)))
            return Division(factor.kind, factor.form.moved(axis, rank), factor.divisor.moved(axis, rank))

        return Form.of({tuple(sorted(map(move, product), key=str)): c for product, c in self.terms})


class Kinds:
    """Which values are pointers and which are integers: no text says so, but their uses do.

    A pointer is what memory is accessed at, and what that is computed from; what is added to a pointer is an integer.
    Launches tell which parameters are which.
    """

    def __init__(self, function: Function, launches: Launches | None = None) -> None:
        self.integers: set[Value] = set()
        self.pointers: set[Value] = set()
        if launches is not None:
            for parameter, value in zip(function.parameters, function.body.arguments, strict=True):
                if launches.tensors(parameter.name):
                    self.pointers.add(value)
                elif launches.is_integer(parameter.name):
                    self.integers.add(value)
        self._phases = phases(function)
        self._definitions = {result: one for one in function.walk() for result in one.results}
        operations = list(function.walk())
        for self._guesses in (False, True):
            for _ in range(_ROUNDS):
                before = len(self.integers) + len(self.pointers)
                for operation in operations:
                    self._visit(operation)
                if len(self.integers) + len(self.pointers) == before:
                    break
        self.pointers -= self.integers

    def is_integer(self, operand: Operand | None) -> bool:
        """Whether an operand certainly is an integer, or a tensor of them."""
        if isinstance(operand, Constant):
            return isinstance(operand.number, int)
        return operand in self.integers

    def _integer(self, *operands: Operand | None) -> None:
        self.integers.update(o for o in operands if isinstance(o, Value))

    def _pointer(self, *operands: Operand | None) -> None:
        self.pointers.update(o for o in operands if isinstance(o, Value) and o not in self.integers)

    def _visit(self, operation: Operation) -> None:
        kind, operands = operation.kind, operation.operands
        if kind in _SOURCES:
            self._integer(*operation.results)
        if kind == "arange":
            self._integer(*operands)
        if kind == "scalar" and self.is_integer(operands[0]):
            self._integer(*operation.results)
        if kind in ("full", "cast") and operation.get("dtype") in _INTEGER_TYPES:
            self._integer(*operation.results)
        if operation.get("pointer") is not None:
            self._pointer(operation.get("pointer"))
        if kind in LOOPS:
            self._loop(operation)
        elif kind == "if":
            for result, pair in zip(
                operation.results, zip(*(r.yields for r in operation.regions), strict=True), strict=True
            ):
                self._same(result, *pair)
        elif kind in _MOVING:
            self._same(operation.result, operands[0])
        elif kind == "where":
            self._same(operation.result, *operands[1:])
        elif kind in _EXACT and len(operands) <= 2:
            self._exact(operation)
        elif kind in _COMPARISONS and any(self._is_index(o) for o in operands):
            self._integer(*(o for o in operands if isinstance(o, Value) and self._phases[o] <= Phase.ARGUMENT))

    def _is_index(self, operand: Operand) -> bool:
        return isinstance(operand, Value) and operand in self.integers

    def _same(self, *operands: Operand) -> None:
        """Values of one kind."""
        values = [operand for operand in operands if not isinstance(operand, Undefined)]
        if any(self._is_index(o) for o in values):
            self._integer(*values)
        elif any(o in self.pointers for o in values):
            self._pointer(*values)

    def _loop(self, operation: Operation) -> None:
        for body in operation.regions:
            skip = len(body.arguments) - len(operation.results)
            self._integer(*body.arguments[:skip])
        self._integer(*(operation.get(key) for key in ("start", "end", "step")))
        body = operation.regions[-1]
        for index, result in enumerate(operation.results):
            arguments = [
                region.arguments[len(region.arguments) - len(operation.results) + index] for region in operation.regions
            ]
            self._same(result, operation.inits[index], body.yields[index], *arguments)

    def _exact(self, operation: Operation) -> None:
        """Integer arithmetic, or a pointer moved by an integer."""
        result, operands = operation.result, operation.operands
        if result in self.integers:
            self._integer(*operands)
        elif all(self.is_integer(operand) for operand in operands):
            self._integer(result)
        elif operation.kind in ("add", "sub") and (
            result in self.pointers or any(o in self.pointers for o in operands)
        ):
            self._pointer(result)
            moved = self._moved(operands if operation.kind == "add" else operands[:1])
            if moved is not None:
                self._pointer(moved)
                self._integer(*(o for o in operands if o != moved))

    def _moved(self, operands: tuple[Operand, ...]) -> Operand | None:
        """Which operand of a sum that is a pointer is the pointer; None where that is open still."""
        able = [o for o in operands if self._can_point(o)]
        known = [o for o in able if o in self.pointers]
        if len(known) == 1 or len(able) == 1:
            return (known or able)[0]
        if not self._guesses or not able:
            return None
        return min(able, key=self._root)  # between two parameters: launches pass pointers first

    def _root(self, operand: Operand) -> int:
        """The first parameter that an operand may be a pointer from."""
        made = self._definitions.get(operand) if isinstance(operand, Value) else None
        if made is None or made.kind not in ("add", "sub", *_MOVING):
            return operand.number if isinstance(operand, Value) else 0
        return min(map(self._root, filter(self._can_point, made.operands)), default=0)

    def _can_point(self, operand: Operand) -> bool:
        """Whether an operand may be a pointer: a parameter, or what is computed from one without multiplying it."""
        if not isinstance(operand, Value) or operand in self.integers or self._phases[operand] < Phase.MIXED:
            return False
        made = self._definitions.get(operand)
        if made is None or made.kind in ("where", "if", "call", "getitem", "cast") or made.kind in LOOPS:
            return True
        if made.kind == "add":
            return any(map(self._can_point, made.operands))
        if made.kind == "sub" or made.kind in _MOVING:
            return self._can_point(made.operands[0])
        return False


class Indices:
    """Forms of the integers of a function; what launches always pass is a number in them."""

    def __init__(self, function: Function, launches: Launches | None = None) -> None:
        self.kinds = Kinds(function, launches)
        self.shapes = Shapes(function)
        self.definitions: dict[Value, Operation] = {one: o for o in function.walk() for one in o.results}
        self._carried: dict[Value, tuple[Operation, int]] = {}
        self._forms: dict[Value, Form | None] = {}
        if launches is not None:
            for parameter, argument in zip(function.parameters, function.body.arguments, strict=True):
                number = launches.number(parameter.name)
                if number is not None:
                    self._forms[argument] = Form.number(number)
        #: What loops count with.
        self.counters: set[Value] = set()
        for operation in function.walk():
            if operation.kind in ("for", "static_for"):
                self.counters.add(operation.regions[0].arguments[0])
            for body in operation.regions if operation.kind == "for" else ():
                self._carried |= {a: (operation, index) for index, a in enumerate(body.arguments[1:])}

    def form(self, operand: Operand | None) -> Form | None:
        """The form of an integer; None for what is none, or not known to be one."""
        if isinstance(operand, Constant):
            return Form.number(operand.number) if isinstance(operand.number, int) else None
        if not isinstance(operand, Value) or not self.kinds.is_integer(operand):
            return None
        if operand not in self._forms:
            self._forms[operand] = None  # a value that is carried around a loop meets itself
            self._forms[operand] = self._found(operand) or self._leaf(operand)
        return self._forms[operand]

    def step(self, argument: Operand) -> tuple[Operand, Form] | None:
        """For what a loop carries and moves by the same amount each turn: where it starts, and how far it has come."""
        if not isinstance(argument, Value) or argument not in self._carried:
            return None
        loop, index = self._carried[argument]
        body = loop.regions[0]
        given = body.yields[index]
        made = self.definitions.get(given) if isinstance(given, Value) else None
        if made is None or made.kind != "add" or made.operands[0] != argument:
            return None
        amount = self.form(made.operands[1])
        if amount is None or any(leaf.value in _inside(body) for leaf in amount.leaves):
            return None
        counter, start, width = (self.form(o) for o in (body.arguments[0], loop.get("start"), loop.get("step")))
        if counter is None or start is None or width is None:
            return None
        passed = counter.plus(start, -1)
        each = amount.multiple_of(width)
        return loop.inits[index], passed.times(each) if each else passed.divided("floordiv", width).times(amount)

    def spans(self, form: Form, operand: Operand) -> bool:
        """Whether a form, written out in the rank of a value, has its shape: it runs along each of its dimensions but
        those of one element, and none of them is only broadcast."""
        shape = self.shapes.of(operand)
        if shape is None:
            return False
        long = {place - len(shape) for place, extent in enumerate(shape) if extent != Constant("1")}
        return long == {dim for leaf in form.leaves for dim in leaf.dims}

    def is_wide(self, form: Form) -> bool:
        """Whether nothing in a sum certainly or possibly has fewer than 32 bits, which a constant could make overflow,
        or is unsigned."""
        made = (self.definitions.get(leaf.value) for leaf in form.leaves)
        return all(one is None or one.kind in _WIDE or one.get("dtype") in _WIDE_TYPES for one in made)

    def _leaf(self, value: Value) -> Form:
        shape = self.shapes.of(value)
        return Form.of({(Leaf(value, tuple(range(-len(shape or ()), 0))),): 1})

    def _found(self, value: Value) -> Form | None:
        operation = self.definitions.get(value)
        if operation is None:
            moved = self.step(value)
            start = self.form(moved[0]) if moved else None
            return start.plus(moved[1]) if moved and start is not None else None
        kind = operation.kind
        if kind == "full":
            return self.form(operation.get("value"))
        forms = [self.form(operand) for operand in operation.operands[:2]]
        if kind in HINTS or kind == "scalar":
            return forms[0]
        if forms[0] is None:
            return None
        if kind == "neg":
            return Form().plus(forms[0], -1)
        if kind == "expand_dims":
            return self._expanded(operation, forms[0])
        if kind == "broadcast_to":
            return forms[0] if self.shapes.of(value) else None
        if len(forms) < 2 or forms[1] is None or len(operation.operands) > 2:
            return None
        return _combined(kind, forms[0], forms[1])

    def _expanded(self, operation: Operation, form: Form) -> Form | None:
        shape, axis = self.shapes.of(operation.operands[0]), operation.get("axis")
        number = axis.number if isinstance(axis, Constant) else None
        if shape is None or not isinstance(number, int):
            return None
        rank = len(shape) + 1
        return form.moved(number % rank, rank)


def _combined(kind: str, one: Form, other: Form) -> Form | None:
    if kind in ("add", "sub"):
        return one.plus(other, 1 if kind == "add" else -1)
    if kind == "mul":
        return one.times(other)
    if kind in ("floordiv", "mod"):
        return one.divided(kind, other)
    return None


def _inside(region: Region) -> set[Value]:
    """Values that a region defines, inner ones too."""
    found = set(region.arguments)
    for operation in region.operations:
        found.update(operation.results)
        for body in operation.regions:
            found |= _inside(body)
    return found
