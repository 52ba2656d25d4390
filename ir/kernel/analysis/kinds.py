"""Which values of a kernel are pointers and which are integers."""

from collections.abc import Collection
from functools import lru_cache

from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.analysis.phases import REMEMBERED, Phase, phases
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Undefined, Value
from kernelwright.ir.kernel.vocabulary import HINTS, LOOPS

_SOURCES = frozenset({"program_id", "num_programs", "arange", "argmax", "argmin", "cdiv", "python.int", "python.len"})
_SOURCES |= {"triton.cdiv", "triton.next_power_of_2"}
_EXACT = frozenset({"add", "sub", "mul", "floordiv", "mod", "neg", "maximum", "minimum", "python.min", "python.max"})
_MOVING = frozenset({"expand_dims", "broadcast_to", "scalar", "reshape", "view", "trans", "permute"}) | HINTS
_COMPARISONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
_INTEGER_TYPES = {Constant(f"tl.{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)}
_ROUNDS = 20


class Kinds:
    """Which values are pointers and which are integers: no text says so, but their uses do.

    A pointer is what memory is accessed at, and what that is computed from; what is added to a pointer is an integer.
    Of some parameters it is known which they are.
    """

    def __init__(self, function: Function, pointers: Collection[Value] = (), integers: Collection[Value] = ()) -> None:
        self.integers = set(integers)
        self.pointers = set(pointers)
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


def kinds(function: Function, launches: Launches | None = None) -> Kinds:
    """The kinds of a function's values, found once; launches tell which parameters are which."""
    if launches is None:
        return _kinds(function)
    pairs = list(zip(function.parameters, function.body.arguments, strict=True))
    pointers = frozenset(value for one, value in pairs if launches.tensors(one.name))
    integers = frozenset(value for one, value in pairs if launches.is_integer(one.name))
    return _kinds(function, pointers, integers - pointers)


@lru_cache(maxsize=REMEMBERED)
def _kinds(
    function: Function, pointers: frozenset[Value] = frozenset(), integers: frozenset[Value] = frozenset()
) -> Kinds:
    return Kinds(function, pointers, integers)
