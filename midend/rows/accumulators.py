"""What a loop carries from turn to turn and reduces in the end: sums, maxima, minima, Welford's mean and variance."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from kernelwright.ir.kernel.analysis.forms import Form
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.merging.reading import UnfitError, conjuncts
from kernelwright.ir.kernel.text.parsing import parse_function
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Symbol, Value
from kernelwright.ir.kernel.vocabulary import COMMUTATIVE

#: What joins a value to an accumulator that is reduced so.
_JOINS = {"sum": "add", "max": "maximum", "min": "minimum"}
_OPTIONS = {"input", "axis", "combine_fn", "keep_dims"}
#: The number that joining changes nothing with, None where any number may be joined again.
_STARTS = {"sum": 0, "welford": 0, "add": 0, "mul": 1, "max": None, "min": None, "maximum": None, "minimum": None}
#: Types of accumulators that Triton and PyTorch have under one name.
_TYPES = (Constant("tl.float32"), Constant("tl.int64"))
#: What an accumulator of each kind is called, by what reduces it.
_NAMES = {
    "sum": ("sum",),
    "max": ("most",),
    "min": ("least",),
    "reduce": ("joined",),
    "welford": ("mean", "apart", "count"),
}


def _known(text: str) -> Function:
    return parse_function(f"@triton.jit\n{text}")


#: Welford's mean, sum of squares and weight: of two parts, and with one value more.
_COMBINE = _known("""def combine(mean, apart, weight, other_mean, other_apart, other_weight):
    delta = other_mean - mean
    total = weight + other_weight
    share = tl.where(total == 0.0, 0.0, other_weight / total)
    return mean + delta * share, apart + other_apart + delta * delta * weight * share, total
""")
_STEP = _known("""def step(mean, apart, weight, value):
    delta = value - mean
    total = weight + 1
    new = mean + delta / total
    return new, apart + delta * (value - new), total
""")


@dataclass(frozen=True)
class Accumulator:
    """What a loop reduces `value` into. `by`: the kind of the operation that reduces it in the end, or welford;
    `combine`: the function that this combines two values with, None where the kind says it; `carried`: the places of
    its parts among what the loop carries, in the order in which `combine` takes them; `start`: what changes nothing, of
    `dtype`; `dim`: the dimension that is reduced, from the right; `conditions`: those under which a value is joined."""

    by: str
    combine: Symbol | None
    carried: tuple[int, ...]
    value: Value
    start: Constant
    dtype: Constant
    dim: int
    conditions: tuple[Operand, ...]
    names: tuple[str, ...]

    def ends(self, is_end: Callable[[Operand], bool], definitions: Mapping[Value, Operation]) -> bool:
        """Whether nothing is joined, or what changes nothing, where a condition that `is_end` names does not hold."""
        made = definitions.get(self.value)
        mask, other = None, None
        if made is not None and made.kind == "where":
            mask, other = made.get("condition"), made.get("y")
        if made is not None and made.kind == "load":
            mask, other = made.get("mask"), made.get("other")
        neutral = self.by != "welford" and isinstance(other, Constant) and other.number == self.start.number
        return any(map(is_end, self.conditions)) or (neutral and any(map(is_end, conjuncts(mask, definitions))))


def accumulators(function: Function, loop: Operation, functions: Mapping[str, Function]) -> tuple[Accumulator, ...]:
    """All that a loop carries. Raises UnfitError where it carries more, or does not reduce it in a known way."""
    reading = _Loop(function, loop, functions)
    found: list[Accumulator] = []
    taken: dict[str, int] = {}
    for reduction in reading.reductions():
        one = reading.accumulator(reduction)
        names = []
        for name in one.names:
            taken[name] = taken.get(name, -1) + 1
            names.append(f"{name}_{taken[name]}" if taken[name] else name)
        found.append(replace(one, names=tuple(names)))
    if sorted(number for one in found for number in one.carried) != list(range(len(loop.results))) or not found:
        raise UnfitError("the loop carries more than it reduces")
    return tuple(found)


@dataclass(frozen=True)
class _Loop:
    function: Function
    loop: Operation
    functions: Mapping[str, Function]

    @cached_property
    def indices(self) -> Indices:
        return Indices(self.function)

    @cached_property
    def definitions(self) -> Mapping[Value, Operation]:
        return self.indices.definitions

    def reductions(self) -> list[Operation]:
        """The operations that reduce what the loop carries: all that use it."""
        users, found = self.function.uses(), list[Operation]()
        for result in self.loop.results:
            uses = users.get(result, [])
            if len(uses) == 1 and uses[0].kind == "tuple":
                uses = users.get(uses[0].result, [])
            if len(uses) != 1 or uses[0].kind not in ("sum", "max", "min", "reduce"):
                raise UnfitError("what the loop carries is not just reduced after the loop")
            if not any(uses[0] is one for one in found):
                found.append(uses[0])
        return found

    def accumulator(self, reduction: Operation) -> Accumulator:
        """What a reduction reduces."""
        given = reduction.operands[0]
        made = self.definitions.get(given) if isinstance(given, Value) else None
        parts = made.operands if made is not None and made.kind == "tuple" else (given,)
        places = tuple(self.loop.results.index(one) for one in parts if one in self.loop.results)
        if len(places) != len(parts):
            raise UnfitError("what the loop carries is reduced together with something else")
        combine, (start, dtype) = reduction.get("combine_fn"), self._start(places)
        helper = combine if isinstance(combine, Symbol) else None
        kind = reduction.kind
        if len(places) == 3 and helper is not None:
            value, kind = self._welford(helper, places), "welford"
        elif len(places) == 1 and (kind == "reduce") == (helper is not None):
            value = self._joined(kind, helper, places[0])
        else:
            raise UnfitError("it reduces several values together, but not to a mean and variance")
        if not self._changes_nothing(kind, helper, start):
            raise UnfitError(f"an accumulator starts with {start}")
        conditions = tuple({one: None for number in places for one in self._given(number)[1]})
        return Accumulator(kind, helper, places, value, start, dtype, self._dim(reduction), conditions, _NAMES[kind])

    def _dim(self, reduction: Operation) -> int:
        """The dimension that is reduced, from the right."""
        shape = self.indices.shapes.of(self.loop.inits[0])
        axis = reduction.get("axis")
        number = axis.number if isinstance(axis, Constant) else None
        if not shape or (number is None and len(shape) > 1) or not set(reduction.keys) <= _OPTIONS:
            raise UnfitError("it reduces along a dimension that is not known")
        return -1 if number is None else int(number) % len(shape) - len(shape)

    def _changes_nothing(self, kind: str, combine: Symbol | None, start: Constant) -> bool:
        """Whether it does not matter how often the first value of an accumulator is joined."""
        if combine is not None and kind == "reduce":
            kind = next((one.kind for one in self.functions[combine.name].walk() if one.kind in _STARTS), "")
        return kind in _STARTS and _STARTS[kind] in (None, start.number)

    def _start(self, places: tuple[int, ...]) -> tuple[Constant, Constant]:
        """The number that accumulators start with, and its type."""
        found = set()
        for init in (self.loop.inits[number] for number in places):
            made = self.definitions.get(init) if isinstance(init, Value) else None
            value, dtype = None, None
            if made is not None and made.kind in ("full", "zeros"):
                value, dtype = made.get("value") or Constant("0"), made.get("dtype")
            if not isinstance(value, Constant) or not isinstance(dtype, Constant) or dtype not in _TYPES:
                raise UnfitError("an accumulator does not start with a number of float32 or int64")
            found.add((value, dtype))
        if len(found) != 1:
            raise UnfitError("accumulators that belong together start with several numbers")
        return found.pop()

    def _given(self, number: int) -> tuple[Operand, tuple[Operand, ...]]:
        """What a turn makes of an accumulator, and the conditions under which it does."""
        body = self.loop.regions[0]
        value, before = body.yields[number], body.arguments[1 + number]
        made = self.definitions.get(value) if isinstance(value, Value) else None
        if made is not None and made.kind == "where" and made.operands[2] == before:
            return made.operands[1], tuple(conjuncts(made.operands[0], self.definitions))
        return value, ()

    def _joined(self, kind: str, combine: Symbol | None, number: int) -> Value:
        """The value that is joined to an accumulator."""
        given, _ = self._given(number)
        own = self.loop.regions[0].arguments[1 + number]
        if combine is None:
            made = self.definitions.get(given) if isinstance(given, Value) else None
            others = [one for one in made.operands if one != own] if made is not None else []
            if made is None or made.kind != _JOINS[kind] or len(others) != 1 or not isinstance(others[0], Value):
                raise UnfitError(f"the loop does not join values as its {kind} does")
            return others[0]
        helper = self.functions[combine.name]
        if len(helper.body.arguments) != 2 or len([one for one in helper.walk() if one.kind != "scalar"]) != 1:
            raise UnfitError("it reduces by a function of more than one operation")
        first, second = helper.body.arguments
        bound: dict[Operand, Operand] = {first: own}
        if not same(helper, helper.body.yields[0], given, self.definitions, bound, frozenset({second})):
            raise UnfitError("the loop does not join values as its reduction does")
        value = bound.get(second)
        if not isinstance(value, Value):
            raise UnfitError("the loop joins no value")
        return value

    def _welford(self, combine: Symbol, places: tuple[int, ...]) -> Value:
        """The value that is joined to a mean, a sum of squares and a weight."""
        helper, body = self.functions[combine.name], self.loop.regions[0]
        known: dict[Operand, Operand] = {}
        known.update(zip(_COMBINE.body.arguments, helper.body.arguments, strict=False))
        definitions = {one.result: one for one in helper.walk() if len(one.results) == 1}
        if len(helper.body.arguments) != 6 or not same(
            _COMBINE, _COMBINE.body.yields[0], helper.body.yields[0], definitions, known, frozenset()
        ):
            raise UnfitError("it reduces several values together, but not to a mean and variance")
        given = [self._given(number)[0] for number in places]
        branch = self.definitions.get(given[0]) if isinstance(given[0], Value) else None
        if branch is not None and branch.kind == "if" and set(given) <= set(branch.results):
            numbers = [branch.results.index(one) for one in given]
            self._check_first(branch, numbers)
            given = [branch.regions[1].yields[number] for number in numbers]
        own = [body.arguments[1 + number] for number in places]
        *carried, value = _STEP.body.arguments
        bound: dict[Operand, Operand] = {}
        bound.update(zip(carried, own, strict=True))
        results = next(one for one in _STEP.walk() if one.kind == "tuple").operands
        free = frozenset({value})
        if not all(
            same(_STEP, want, one, self.definitions, bound, free) for want, one in zip(results, given, strict=True)
        ):
            raise UnfitError("the loop does not take a mean and variance value by value")
        if branch is not None and branch.kind == "if" and branch.regions[0].yields[numbers[0]] != bound[value]:
            raise UnfitError("the first turn of the loop takes another value")
        found = bound[value]
        assert isinstance(found, Value)
        return found

    def _check_first(self, branch: Operation, numbers: list[int]) -> None:
        """Raise where a branch is not the loop's first turn, or does not begin with one value."""
        made = self.definitions.get(branch.operands[0]) if isinstance(branch.operands[0], Value) else None
        turn = self.loop.regions[0].arguments[0]
        first = made is not None and made.kind == "eq" and turn in made.operands
        first = first and any(self.indices.form(one) == Form() for one in made.operands)  # type: ignore[union-attr]
        _, apart, weight = (branch.regions[0].yields[number] for number in numbers)
        if not first or not self._is_number(apart, 0) or not self._is_number(weight, 1):
            raise UnfitError("the loop does more in a branch than begin")

    def _is_number(self, operand: Operand, number: int) -> bool:
        made = self.definitions.get(operand) if isinstance(operand, Value) else None
        if made is not None and made.kind in ("zeros", "zeros_like"):
            return number == 0
        value = made.get("value") if made is not None and made.kind == "full" else operand
        return isinstance(value, Constant) and value.number == number


def same(
    known: Function,
    want: Operand,
    value: Operand,
    definitions: Mapping[Value, Operation],
    bound: dict[Operand, Operand],
    free: frozenset[Operand],
) -> bool:
    """Whether a value is what `want` is in a known function, whatever operands of commutative operations come first.

    `bound`: the known function's arguments, and what they are here; those that are `free` are found.
    """
    made = {one.result: one for one in known.walk() if len(one.results) == 1}

    def plain(operand: Operand, among: Mapping[Value, Operation]) -> Operand:
        while isinstance(operand, Value) and operand in among and among[operand].kind == "scalar":
            operand = among[operand].operands[0]
        return operand

    def equal(want: Operand, value: Operand) -> bool:
        want, value = plain(want, made), plain(value, definitions)
        if want in bound:
            return bound[want] == value
        if want in free:
            bound[want] = value
            return True
        if not isinstance(want, Value) or not isinstance(value, Value):
            numbers = [one.number for one in (want, value) if isinstance(one, Constant)]
            return want == value or (len(numbers) == 2 and numbers[0] == numbers[1] is not None)
        one, other = made.get(want), definitions.get(value)
        if one is None or other is None or (one.kind, one.keys, one.text) != (other.kind, other.keys, other.text):
            return False
        orders = [other.operands]
        if one.kind in COMMUTATIVE:
            orders.append((*other.operands[1::-1], *other.operands[2:]))
        for operands in orders:
            before = dict(bound)
            if all(equal(a, b) for a, b in zip(one.operands, operands, strict=True)):
                return True
            bound.clear()
            bound.update(before)
        return False

    return equal(want, value)
