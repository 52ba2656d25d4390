"""Shapes of values, with symbolic extents.

An extent is an operand: a literal, or a value known at compile time such as a block size; `Undefined` where it is
unknown. A shape is a tuple of extents, `()` for a scalar (a pointer or a number); None where the rank is unknown.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from kernelwright.ir.kernel.analysis.phases import REMEMBERED, Phase, phases
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Region, Undefined, Value
from kernelwright.ir.kernel.vocabulary import ARITHMETIC_FUNCTIONS, HINTS, LOOPS, OPERATORS

Shape = tuple[Operand, ...] | None

ONE = Constant("1")
_REDUCTIONS = frozenset({"sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce_or", "reduce"})
_SAME = frozenset({"cumsum", "cumprod", "associative_scan", "sort", "flip", "softmax", "load", "zeros_like"}) | HINTS
_SAME |= {"scalar", "advance", "atomic_cas", "rand", "randn", "randint"}
_SHAPED = {
    "broadcast_to": "shape",
    "reshape": "shape",
    "view": "shape",
    "full": "shape",
    "make_block_ptr": "block_shape",
}
#: Kinds that work element by element.
POINTWISE = (
    frozenset(OPERATORS)
    | ARITHMETIC_FUNCTIONS
    | frozenset(
        """abs add sub mul ceil cos erf exp exp2 floor log log2 rsqrt sin sqrt sqrt_rn sigmoid div_rn fdiv fma clamp
        maximum minimum umulhi where broadcast cast""".split()
    )
)
_SCALARS = frozenset({"program_id", "num_programs", "python.len", "python.float", "python.int", "python.isinstance"})


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The shape of a pointwise result; extents that differ and are not 1 are unknown."""
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    rank = max(map(len, known), default=0)
    found: list[Operand] = []
    for axis in range(rank):
        extents = {shape[len(shape) - rank + axis] for shape in known if len(shape) - rank + axis >= 0} - {ONE}
        found.append(extents.pop() if len(extents) == 1 else Undefined() if extents else ONE)
    return tuple(found)


class Shapes:
    """Shapes of every value of a function."""

    def __init__(self, function: Function) -> None:
        self._of: dict[Value, Shape] = {}
        self._tuples: dict[Value, tuple[Operand, ...]] = {}
        self._phases = phases(function)
        for parameter, value in zip(function.parameters, function.body.arguments, strict=True):
            self._of[value] = () if function.entry or parameter.is_constexpr else None
        self._region(function.body)

    def of(self, operand: Operand) -> Shape:
        """The shape of an operand."""
        if isinstance(operand, Value):
            return self._of.get(operand)
        return ()

    def _region(self, region: Region) -> None:
        for operation in region.operations:
            if operation.kind in LOOPS:
                inits = [self.of(init) if not isinstance(init, Undefined) else None for init in operation.inits]
                for body in operation.regions:
                    skip = len(body.arguments) - len(inits)
                    self._of |= dict.fromkeys(body.arguments[:skip], ())
                    self._of |= zip(body.arguments[skip:], inits, strict=True)
                    self._region(body)
                self._of |= zip(operation.results, inits, strict=True)
            elif operation.kind == "if":
                for body in operation.regions:
                    self._region(body)
                for result, pair in zip(
                    operation.results, zip(*(r.yields for r in operation.regions), strict=True), strict=True
                ):
                    found = [self.of(one) for one in pair if not isinstance(one, Undefined)]
                    self._of[result] = next((shape for shape in found if shape), found[0] if found else None)
            else:
                if operation.kind == "tuple":
                    self._tuples[operation.result] = operation.operands
                elif operation.kind == "attribute" and operation.text == "shape":
                    shape = self.of(operation.operands[0])
                    if shape is not None and not any(isinstance(extent, Undefined) for extent in shape):
                        self._tuples[operation.result] = shape
                for result in operation.results:
                    self._of[result] = self._result(operation, result)

    def _listed(self, operand: Operand | None) -> Shape:
        if isinstance(operand, Value) and operand in self._tuples:
            return self._tuples[operand]
        if operand is None or (isinstance(operand, Value) and self._phases[operand] != Phase.STATIC):
            return None
        return (operand,)

    def _result(self, operation: Operation, result: Value) -> Shape:
        kind, operands = operation.kind, operation.operands
        if kind in POINTWISE:
            return broadcast(
                [self.of(operand) for operand in operands if operand != Constant("None")][: _value_count(operation)]
            )
        if kind in _SAME:
            return self.of(operands[0])
        if kind in _SHAPED:
            return self._listed(operation.get(_SHAPED[kind]))
        if kind in _REDUCTIONS:
            return self._reduced(operation)
        if kind == "arange":
            return (operands[1] if operands[0] == Constant("0") else Undefined(),)
        if kind in _SCALARS or self._phases[result] == Phase.STATIC:
            return ()
        if kind.startswith(("libdevice.", "python.", "triton.")):
            return broadcast([self.of(operand) for operand in operands])
        return self._moved(operation)

    def _moved(self, operation: Operation) -> Shape:
        first = self.of(operation.operands[0]) if operation.operands else None
        if first is None:
            return None
        match operation.kind:
            case "expand_dims":
                axis = _axis(operation.get("axis"), len(first) + 1)
                return None if axis is None else (*first[:axis], ONE, *first[axis:])
            case "trans" | "permute":
                dims = self._listed(operation.get("dims"))
                order = [1, 0] if dims is None else [_axis(dim, len(first)) for dim in dims]
                return tuple(first[axis] for axis in order if axis is not None) if len(order) == len(first) else None
            case "dot":
                other = self.of(operation.operands[1])
                return (*first[:-1], other[-1]) if other else None
            case "join":
                return (*first, Constant("2"))
            case "gather":
                return self.of(operation.operands[1])
        if operation.kind.startswith("atomic_"):
            return first
        return None

    def _reduced(self, operation: Operation) -> Shape:
        first = self.of(operation.operands[0])
        if first is None or operation.get("return_indices") is not None or operation.operands[0] in self._tuples:
            return None
        kept = operation.get("keep_dims") not in (None, Constant("False"))
        given = operation.get("axis")
        if given is None or given == Constant("None"):
            return (ONE,) * len(first) if kept else ()
        axis = _axis(given, len(first))
        if axis is None:
            return None
        return (*first[:axis], *((ONE,) if kept else ()), *first[axis + 1 :])


@lru_cache(maxsize=REMEMBERED)
def shapes(function: Function) -> Shapes:
    """The shapes of a function's values, found once."""
    return Shapes(function)


def _value_count(operation: Operation) -> int:
    """How many of the operands of pointwise work are values; the others are options."""
    counts: Mapping[str, int] = {
        "cast": 1,
        "clamp": 3,
        "maximum": 2,
        "minimum": 2,
        "add": 2,
        "sub": 2,
        "mul": 2,
        "fdiv": 2,
    }
    return counts.get(operation.kind, len(operation.operands))


def _axis(operand: Operand | None, rank: int) -> int | None:
    number = operand.number if isinstance(operand, Constant) else None
    if not isinstance(number, int) or not -rank <= number < rank:
        return None
    return number % rank
