"""The normal form: whether two kernels say the same, however sums, masks and independent statements are spelt.

Two kernels of one normal form compute the same values with the same roundings and touch memory in the same order.
Beside what parsing is blind to already, the form does not know: helpers (their bodies count), the order of commuting
operands and of loads between two stores, how index sums and masks are put together, how a loop counts blocks, a pointer
that a loop moves in place of an index. It is a digest; `dump` shows where two functions part.
"""

import hashlib
from collections.abc import Mapping, Sequence

from kernelwright.ir.kernel.analysis.accesses import Accesses, Condition
from kernelwright.ir.kernel.analysis.forms import Division, Factor, Form, Leaf
from kernelwright.ir.kernel.text.inlining import self_contained
from kernelwright.ir.kernel.values import (
    Constant,
    Effect,
    Function,
    Operand,
    Operation,
    Region,
    Symbol,
    Undefined,
    Value,
)
from kernelwright.ir.kernel.vocabulary import COMMUTATIVE, LOOPS

_FLIPPED = {"gt": "lt", "ge": "le"}
_MASKS = frozenset({"lt", "le", "gt", "ge", "expand_dims", "broadcast_to"})


def normal_form(function: Function, functions: Mapping[str, Function] | None = None) -> str:
    """The digest of a function's normal form; `functions`: helpers by symbol, itself or not."""
    whole = self_contained(function, functions or {})
    return _Normal(whole, functions or {}).digest()


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


class _Normal:
    def __init__(self, function: Function, functions: Mapping[str, Function]) -> None:
        self.function, self.functions = function, functions
        self.accesses = Accesses(function)
        self.by_operation = {id(one.operation): one for one in self.accesses.all}
        self.indices = self.accesses.indices
        self.known: dict[Operand, str] = {}
        self.state = "memory"

    def digest(self) -> str:
        function = self.function
        for place, (parameter, value) in enumerate(zip(function.parameters, function.body.arguments, strict=True)):
            self.known[value] = _hash("parameter", str(place), "constexpr" if parameter.is_constexpr else "")
        acts = self.region(function.body, 0)
        return _hash(*acts, self.state, *(self.of(operand) for operand in function.body.yields))

    def of(self, operand: Operand) -> str:
        """The digest of an operand."""
        match operand:
            case Value():
                form = self.indices.form(operand)
                return self.form(form) if form is not None else self.known[operand]
            case Symbol(name=name) if name in self.functions:
                return _hash("helper", normal_form(self.functions[name], self.functions))
            case Constant() if isinstance(operand.number, int):
                return self.form(Form.number(operand.number))
            case Undefined():
                return "undefined"
        return str(operand)

    def form(self, form: Form) -> str:
        """The digest of an integer's form."""
        terms = [f"{coefficient} {' '.join(sorted(map(self.factor, product)))}" for product, coefficient in form.terms]
        return _hash("form", *sorted(terms))

    def factor(self, factor: Factor) -> str:
        match factor:
            case Leaf(value=value, dims=dims):
                return _hash(self.known[value], str(dims))
            case Division(kind=kind, form=form, divisor=divisor):
                return _hash(kind, self.form(form), self.form(divisor))

    def conditions(self, mask: Operand) -> str:
        """The digest of a mask: what holds, in no order."""
        return _hash("mask", *sorted({self.condition(one) for one in self.accesses.conditions(mask)}))

    def condition(self, condition: Condition) -> str:
        if condition.form is not None:
            return _hash("below zero", self.form(condition.form))
        assert condition.value is not None
        return self.of(condition.value)

    def region(self, region: Region, depth: int) -> list[str]:
        """Digests of what a region does, in order."""
        acts = []
        for operation in region.operations:
            digest = self.operation(operation, depth)
            if operation.effect == Effect.WRITE:
                acts.append(digest)
                self.state = _hash(self.state, digest)
        return acts

    def operation(self, operation: Operation, depth: int) -> str:
        if operation.kind in LOOPS:
            return self.loop(operation, depth)
        if operation.kind == "if":
            return self.branch(operation, depth)
        digest = self.plain(operation)
        for index, result in enumerate(operation.results):
            self.known[result] = digest if len(operation.results) == 1 else _hash(digest, str(index))
        return digest

    def plain(self, operation: Operation) -> str:
        """The digest of an operation without regions."""
        kind, operands = operation.kind, operation.operands
        seen = self.state if operation.effect else ""
        access = self.by_operation.get(id(operation))
        if access is not None and access.index is not None:
            where = [self.of(access.base), self.form(access.index)]
            mask = [self.conditions(o) for o in [operation.get("mask")] if o not in (None, Constant("None"))]
            pairs = zip(operation.keys, operands, strict=True)
            rest = [f"{key}={self.of(o)}" for key, o in pairs if key not in ("pointer", "mask")]
            return _hash(kind, seen, *where, *mask, *rest)
        if kind == "bitand" or (kind in _MASKS and self._bounds(operation.result)):
            return self.conditions(operation.result)
        if kind in _FLIPPED:
            kind, operands = _FLIPPED[kind], operands[::-1]
        parts = [self.of(operand) for operand in operands]
        if kind in COMMUTATIVE and len(parts) == 2:
            parts.sort()
        keys = operation.keys if kind not in ("call",) else ()
        return _hash(kind, seen, operation.text, *keys, *parts)

    def _bounds(self, mask: Operand) -> bool:
        """Whether a value is a mask that bounds an index."""
        return any(one.form is not None for one in self.accesses.conditions(mask))

    def loop(self, operation: Operation, depth: int) -> str:
        head = [self.of(o) for o, key in zip(operation.operands, operation.keys, strict=True) if key != "init"]
        head += [key for key in operation.keys if key != "init"]
        body = operation.regions[-1]
        skip = len(body.arguments) - len(operation.results)
        steps = [self.indices.step(argument) is not None for argument in body.arguments[skip:]]
        kept = [index for index, one in enumerate(steps) if not one]
        before = self.state
        inside = _hash("loop", str(depth), before) if operation.effect == Effect.WRITE else before
        colors = {index: _hash("carried", str(depth), self.of(operation.inits[index])) for index in kept}
        acts: list[str] = []
        given: dict[int, str] = {}
        for turn in range(len(kept) + 2):
            acts = []
            for region in operation.regions:
                self.known |= {argument: _hash("counter", str(depth)) for argument in region.arguments[:skip]}
                self.known |= {region.arguments[skip + index]: color for index, color in colors.items()}
                for index, one in enumerate(steps):
                    if one:
                        self.known[region.arguments[skip + index]] = _hash("moved", self.of(operation.inits[index]))
                self.state = inside
                acts += self.region(region, depth + 1)
                if operation.kind == "while" and region is operation.regions[0]:
                    acts.append(self.of(region.yields[0]))
            given = {index: self.of(body.yields[index]) for index in kept}
            new = {index: _hash(colors[index], given[index]) for index in kept}
            if turn and len(set(new.values())) == len(set(colors.values())):
                break
            colors = new
        self.state = before
        slots = sorted(_hash(colors[index], given[index]) for index in kept)
        digest = _hash(operation.kind, before, str(depth), *head, *slots, "acts", *acts)
        for index, result in enumerate(operation.results):
            self.known[result] = _hash(digest, colors[index] if index in colors else self.of(operation.inits[index]))
        return digest

    def branch(self, operation: Operation, depth: int) -> str:
        before = self.state
        acts: list[str] = []
        given: list[Sequence[str]] = []
        for region in operation.regions:
            self.state = before
            acts += ["branch", *self.region(region, depth + 1)]
            given.append([self.of(operand) for operand in region.yields])
        self.state = before
        condition = self.of(operation.operands[0])
        digest = _hash("if", condition, *acts)
        for result, pair in zip(operation.results, zip(*given, strict=True), strict=True):
            self.known[result] = _hash(digest, *pair)
        return digest
