"""A generic text of a function for people who debug: one operation a line, with the memory that it sees and leaves."""

from collections.abc import Iterator

from kernelwright.ir.kernel.analysis.memory import MemoryOrder
from kernelwright.ir.kernel.analysis.phases import Phase, phases
from kernelwright.ir.kernel.analysis.shapes import shapes
from kernelwright.ir.kernel.values import Function, Operation, Region, Undefined, Value


def dump(function: Function) -> str:
    """The function's operations, with shapes and phases of results, and states of memory: `m0 -> m1`."""
    return "\n".join(_Dump(function).lines())


class _Dump:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.shapes = shapes(function)
        self.phases = phases(function)
        self.memory = MemoryOrder(function)

    def lines(self) -> Iterator[str]:
        function = self.function
        pairs = zip(function.body.arguments, function.parameters, strict=True)
        parameters = ", ".join(f"{value} = {parameter.name}{self._type(value)}" for value, parameter in pairs)
        yield f"{'kernel' if function.entry else 'helper'} @{function.symbol}({parameters})"
        yield from self._region(function.body, 1)

    def _region(self, region: Region, depth: int) -> Iterator[str]:
        for operation in region.operations:
            yield "  " * depth + self._line(operation)
            for body in operation.regions:
                arguments = ", ".join(f"{argument}{self._type(argument)}" for argument in body.arguments)
                yield "  " * depth + f"  ({arguments}):"
                yield from self._region(body, depth + 2)
        if region.yields:
            yield "  " * depth + "give " + ", ".join(map(str, region.yields))

    def _line(self, operation: Operation) -> str:
        results = ", ".join(f"{result}{self._type(result)}" for result in operation.results)
        pairs = zip(operation.keys, operation.operands, strict=True)
        operands = ", ".join(f"{key}={operand}" if key else str(operand) for key, operand in pairs)
        text = f" {operation.text!r}" if operation.text else ""
        access = self.memory.of(operation)
        memory = ""
        if access is not None:
            memory = f"  m{access.sees}" if access.sees == access.leaves else f"  m{access.sees} -> m{access.leaves}"
        return f"{results}{' = ' if results else ''}{operation.kind}{text} {operands}".rstrip() + memory

    def _type(self, value: Value) -> str:
        phase = self.phases[value]
        if phase < Phase.ARGUMENT:
            return f": {phase.name.lower()}"
        shape = self.shapes.of(value)
        if shape is None:
            return ": ?"
        return f": [{', '.join('?' if isinstance(e, Undefined) else str(e) for e in shape)}]" if shape else ""
