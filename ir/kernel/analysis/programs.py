"""Which values differ from program to program, and which are the same in all of them."""

from collections.abc import Iterable

from kernelwright.ir.kernel.values import Effect, Function, Operand, Operation, Region, Value
from kernelwright.ir.kernel.vocabulary import LOOPS


def varying_values(function: Function) -> frozenset[Value]:
    """Values that may differ between programs: those computed of a program's number, and what comes from memory.

    A value counts by what it is computed of, not by the branch that it is computed in.
    """
    found: set[Operand] = set()
    while True:
        before = len(found)
        _region(function.body, found)
        if len(found) == before:
            return frozenset(value for value in found if isinstance(value, Value))


def _region(region: Region, found: set[Operand]) -> None:
    for operation in region.operations:
        if operation.kind == "program_id" or (operation.effect != Effect.PURE and not operation.regions):
            found.update(operation.results)
        elif not operation.regions:
            _spread(operation.operands, operation.results, found)
        else:
            _slots(operation, found)
            for body in operation.regions:
                _region(body, found)


def _slots(operation: Operation, found: set[Operand]) -> None:
    """What a loop carries, and what a branch gives."""
    head = [o for o, key in zip(operation.operands, operation.keys, strict=True) if key != "init"]
    if operation.kind == "while":
        head += operation.regions[0].yields
    body = operation.regions[-1]
    if operation.kind not in LOOPS:
        given = zip(operation.results, *(region.yields for region in operation.regions), strict=True)
        for result, *ends in given:
            _spread((*head, *ends), (result,), found)
        return
    skip = len(body.arguments) - len(operation.results)
    _spread(head, body.arguments[:skip], found)
    for index, result in enumerate(operation.results):
        slot = [
            result,
            *(region.arguments[len(region.arguments) - len(operation.results) + index] for region in operation.regions),
        ]
        _spread((*head, operation.inits[index], body.yields[index]), slot, found)


def _spread(sources: Iterable[Operand], targets: Iterable[Value], found: set[Operand]) -> None:
    if any(source in found for source in sources):
        found.update(targets)
