"""When a value is known: while the kernel compiles, or only as it runs.

Triton's `x = value` makes a tensor of a number that is known at compile time, and `f(value)` does not. So the
difference is part of what a kernel says: such an assignment is the operation `scalar`, and a value that may be known at
compile time never gets a name of its own when it is printed.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from types import MappingProxyType

from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Region, Symbol, Undefined, Value
from kernelwright.ir.kernel.vocabulary import (
    ARITHMETIC,
    ARITHMETIC_FUNCTIONS,
    COMPARING,
    FUNCTIONS,
    HINTS,
    OPERATORS,
    TYPE_ATTRIBUTES,
)

#: Functions whose analyses are kept: passes of one search ask the same of the same kernels again and again.
REMEMBERED = 1024


class Phase(IntEnum):
    """When a value is known.

    STATIC: a number at compile time. META: a type, string or None, which no assignment changes. MIXED: known or not, as
    the caller has it. ARGUMENT: a tensor, but a launch may fix it where it is 1 or None. RUNTIME: a tensor.
    """

    STATIC = 0
    META = 1
    MIXED = 2
    ARGUMENT = 3
    RUNTIME = 4


def phase_of(operand: Operand, known: Mapping[Value, Phase]) -> Phase | None:
    """The phase of an operand; None where it is undefined."""
    match operand:
        case Value():
            return known[operand]
        case Constant(text=text):
            numeric = operand.number is not None or text in ("True", "False")
            return Phase.STATIC if numeric else Phase.META
        case Symbol():
            return Phase.STATIC
        case Undefined():
            return None


def join(phases: Sequence[Phase | None]) -> Phase:
    """The phase of a value that is one of several."""
    found = {phase for phase in phases if phase is not None}
    if len(found) == 1:
        return found.pop()
    return Phase.RUNTIME if found <= {Phase.RUNTIME, Phase.ARGUMENT} else Phase.MIXED


def result_phase(operation: Operation, known: Mapping[Value, Phase]) -> Phase:
    """The phase of an operation's results, those of its operands (and regions' yields) being known."""
    kind = operation.kind
    phases = [phase_of(operand, known) for operand in operation.operands]
    if kind == "attribute":
        if operation.text in TYPE_ATTRIBUTES:
            return Phase.META
        return Phase.RUNTIME if operation.text == "T" else Phase.STATIC
    if kind in ("is", "is_not", "in", "not_in", "constexpr", "python.isinstance", "python.len"):
        return Phase.STATIC
    if kind.startswith("method.is_"):
        return Phase.STATIC
    if kind in COMPARING | {"and", "or"}:
        return _compared(kind, phases)
    if kind in ARITHMETIC or kind in ARITHMETIC_FUNCTIONS or kind.startswith("python.") or kind == "getitem":
        return _computed(phases[:1] if kind == "getitem" else phases)
    if kind in ("tuple", "slice"):
        return join(phases) if phases else Phase.STATIC
    if kind == "call":
        return Phase.RUNTIME if operation.text == "runtime" else Phase.MIXED
    if kind == "opaque":
        return Phase.RUNTIME if operation.effect else Phase.MIXED
    if kind == "opaque_statement":
        return Phase.RUNTIME
    if kind == "pointer_type":
        return Phase.META
    if kind in HINTS and phases[0] is not None:
        return phases[0]
    assert kind in FUNCTIONS or kind in OPERATORS or "." in kind or kind in ("scalar", "return", "assert"), kind
    return Phase.RUNTIME


def _compared(kind: str, phases: list[Phase | None]) -> Phase:
    """A comparison of arguments may be known at compile time, and branches on it then vanish."""
    found = set(phases)
    if found <= {Phase.STATIC, Phase.META}:
        return Phase.STATIC
    if kind in ("and", "or"):
        return Phase.RUNTIME if found == {Phase.RUNTIME} else Phase.MIXED
    return Phase.RUNTIME if Phase.RUNTIME in found else Phase.MIXED


def _computed(phases: list[Phase | None]) -> Phase:
    found = {phase for phase in phases if phase is not None}
    if Phase.RUNTIME in found:
        return Phase.RUNTIME
    if found <= {Phase.STATIC, Phase.META}:
        return Phase.STATIC
    return Phase.ARGUMENT if found <= {Phase.STATIC, Phase.META, Phase.ARGUMENT} else Phase.MIXED


def carried_phase(kind: str, init: Phase | None) -> Phase:
    """The phase of a loop's carried value: tensors, but an unrolled loop may carry what is known at compile time."""
    if kind != "static_for" or init is None or init >= Phase.ARGUMENT:
        return Phase.RUNTIME
    return Phase.MIXED


def branch_phases(operation: Operation, known: Mapping[Value, Phase]) -> list[Phase]:
    """The phases of an `if`'s results."""
    condition = phase_of(operation.operands[0], known)
    given = [[phase_of(y, known) for y in region.yields] for region in operation.regions]
    return [Phase.RUNTIME if condition == Phase.RUNTIME else join(pair) for pair in zip(*given, strict=True)]


def parameter_phases(function: Function) -> dict[Value, Phase]:
    """The phases of a function's parameters."""
    open_ = Phase.ARGUMENT if function.entry else Phase.MIXED
    pairs = zip(function.parameters, function.body.arguments, strict=True)
    return {value: Phase.STATIC if parameter.is_constexpr else open_ for parameter, value in pairs}


@lru_cache(maxsize=REMEMBERED)
def phases(function: Function) -> Mapping[Value, Phase]:
    """The phase of every value of a function."""
    known = parameter_phases(function)
    _region(function.body, known)
    return MappingProxyType(known)


def _region(region: Region, known: dict[Value, Phase]) -> None:
    for operation in region.operations:
        if operation.kind in ("for", "static_for", "while"):
            inits = [carried_phase(operation.kind, phase_of(init, known)) for init in operation.inits]
            counter = [Phase.STATIC if operation.kind == "static_for" else Phase.RUNTIME]
            for body in operation.regions:
                known |= zip(body.arguments, inits if operation.kind == "while" else counter + inits, strict=True)
                _region(body, known)
            known |= zip(operation.results, inits, strict=True)
        elif operation.kind == "if":
            for body in operation.regions:
                _region(body, known)
            known |= zip(operation.results, branch_phases(operation, known), strict=True)
        elif operation.results:
            known |= dict.fromkeys(operation.results, result_phase(operation, known))


def is_inline(operation: Operation, phase: Phase) -> bool:
    """Whether an operation has no place of its own: it is pure, and is written where its result is used."""
    if operation.effect or len(operation.results) != 1:
        return False
    return operation.kind == "tuple" or (phase <= Phase.MIXED and operation.kind not in ("for", "static_for", "while"))
