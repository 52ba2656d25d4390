"""What every function obeys, whoever made it: values are defined once and before their use, regions have their form."""

from collections.abc import Iterator

from kernelwright.ir.kernel.building import effect_of
from kernelwright.ir.kernel.values import Function, Operand, Operation, Region, Value
from kernelwright.ir.kernel.vocabulary import (
    ARITHMETIC,
    BUILTINS,
    COMPARING,
    DEVICE_FUNCTIONS,
    FUNCTIONS,
    LOOPS,
    METHODS,
    OPERATORS,
    REGION_KINDS,
)

#: How many regions each kind has.
_REGIONS = {"if": 2, "for": 1, "static_for": 1, "while": 2}
_OTHERS = frozenset(
    {"scalar", "tuple", "getitem", "attribute", "call", "return", "assert", "opaque", "opaque_statement"}
)
KINDS = (
    FUNCTIONS.keys()
    | OPERATORS.keys()
    | ARITHMETIC
    | COMPARING
    | REGION_KINDS
    | _OTHERS
    | {f"method.{name}" for name in METHODS}
    | {f"python.{name}" for name in BUILTINS}
    | {f"libdevice.{name}" for name in DEVICE_FUNCTIONS}
    | {"triton.cdiv", "triton.next_power_of_2"}
)


def verify_function(function: Function) -> tuple[str, ...]:
    """Complaints about a function, each naming the operation; () for a sound one."""
    return tuple(f"@{function.symbol}: {complaint}" for complaint in _complaints(function))


def _complaints(function: Function) -> Iterator[str]:
    if len(function.parameters) != len(function.body.arguments):
        yield f"{len(function.parameters)} parameters, but {len(function.body.arguments)} arguments of the body"
    if len(function.body.yields) > 1:
        yield "it returns more than one value; return a tuple"
    defined: set[Value] = set()
    yield from _region(function.body, frozenset(), defined)


def _region(region: Region, visible: frozenset[Value], defined: set[Value]) -> Iterator[str]:
    known = set(visible)

    def define(values: tuple[Value, ...], what: str) -> Iterator[str]:
        for value in values:
            if value in defined:
                yield f"{what} defines {value} a second time"
            defined.add(value)
            known.add(value)

    yield from define(region.arguments, "a region")
    for operation in region.operations:
        yield from (
            f"{operation.kind} uses {value} before it is defined" for value in _unknown(operation.operands, known)
        )
        yield from _operation(operation)
        for body in operation.regions:
            yield from _region(body, frozenset(known), defined)
        yield from define(operation.results, operation.kind)
    yield from (f"a region gives {value}, which it does not know" for value in _unknown(region.yields, known))


def _unknown(operands: tuple[Operand, ...], known: set[Value]) -> Iterator[Value]:
    return (operand for operand in operands if isinstance(operand, Value) and operand not in known)


def _operation(operation: Operation) -> Iterator[str]:
    kind = operation.kind
    if kind not in KINDS:
        yield f"no operation is called {kind}"
        return
    if len(operation.operands) != len(operation.keys):
        yield f"{kind} has {len(operation.operands)} operands, but {len(operation.keys)} keys"
    if len(operation.regions) != _REGIONS.get(kind, 0):
        yield f"{kind} has {len(operation.regions)} regions"
        return
    if kind in FUNCTIONS and kind not in ("add", "sub", "mul"):
        signature = FUNCTIONS[kind]
        yield from (f"{kind} takes no {key}" for key in operation.keys if key not in signature.parameters)
        needed = [name for name in signature.parameters if name not in {*signature.defaults, signature.variadic}]
        yield from (f"{kind} needs {name}" for name in needed if name not in operation.keys)
        if operation.effect != signature.effect:
            yield f"{kind} has the effect {signature.effect.name}, not {operation.effect.name}"
    if operation.regions:
        yield from _form(operation)


def _form(operation: Operation) -> Iterator[str]:
    kind, count = operation.kind, len(operation.results)
    if operation.effect != effect_of(operation.regions):
        yield f"{kind} has the effect {operation.effect.name}, its regions {effect_of(operation.regions).name}"
    if kind in LOOPS and len(operation.inits) != count:
        yield f"{kind} carries {len(operation.inits)} values in, but {count} out"
    for index, region in enumerate(operation.regions):
        arguments = 0 if kind == "if" else count if kind == "while" else count + 1
        if len(region.arguments) != arguments:
            yield f"{kind} has a region with {len(region.arguments)} arguments, not {arguments}"
        yields = 1 if kind == "while" and index == 0 else count
        if len(region.yields) != yields:
            yield f"{kind} has a region that gives {len(region.yields)} values, not {yields}"
