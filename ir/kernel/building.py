"""Making regions: operations are numbered as they come, and computing that stands already is not made again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kernelwright.ir.kernel.analysis.phases import (
    Phase,
    branch_phases,
    carried_phase,
    is_inline,
    phase_of,
    result_phase,
)
from kernelwright.ir.kernel.values import Effect, Function, Operand, Operation, Region, Value
from kernelwright.ir.kernel.vocabulary import HINTS, LOOPS

_Key = tuple[object, ...]
_ANY = (Value(-1),)
_Mark = tuple[tuple[int, int], ...]


@dataclass
class _Frame:
    operations: list[Operation] = field(default_factory=list)
    known: dict[_Key, tuple[Value, ...]] = field(default_factory=dict)


class Builder:
    """A function in the making: open regions, and what is known of the values in them."""

    def __init__(self) -> None:
        self.phases: dict[Value, Phase] = {}
        self.definitions: dict[Value, Operation] = {}
        self._frames: list[_Frame] = [_Frame()]
        self._depths: dict[Value, int] = {}
        self._next = 0

    def value(self, phase: Phase) -> Value:
        """A new value of the open region."""
        made = Value(self._next)
        self._next += 1
        self.phases[made] = phase
        self._depths[made] = len(self._frames) - 1
        return made

    def phase(self, operand: Operand) -> Phase | None:
        """The phase of an operand."""
        return phase_of(operand, self.phases)

    def open(self) -> None:
        """Start a region inside the open one; its arguments are made next."""
        self._frames.append(_Frame())

    def close(self, arguments: Sequence[Value] = (), yields: Sequence[Operand] = ()) -> Region:
        """End the open region."""
        return Region(tuple(arguments), tuple(self._frames.pop().operations), tuple(yields))

    def mark(self) -> _Mark:
        """Where the builder stands."""
        return tuple((len(frame.operations), len(frame.known)) for frame in self._frames)

    def reset(self, mark: _Mark) -> None:
        """Take back what was added since, open regions too."""
        del self._frames[len(mark) :]
        for frame, (operations, known) in zip(self._frames, mark, strict=True):
            del frame.operations[operations:]
            for key in list(frame.known)[known:]:
                del frame.known[key]

    def emit(self, operation: Operation, count: int = 1, *, fresh: bool = False) -> tuple[Value, ...]:
        """Add an operation, but for its results, which are returned; a `fresh` one is not shared with earlier ones."""
        phases = self._result_phases(operation, count)
        inline = count == 1 and is_inline(operation.having(results=_ANY), phases[0])
        place = self._outermost(operation) if inline else len(self._frames) - 1
        shared = inline or (operation.effect == Effect.PURE and not operation.regions and operation.kind not in HINTS)
        key = fingerprint(operation) if shared else ()
        if shared and not fresh:
            for frame in self._frames[: place + 1]:
                if key in frame.known:
                    return frame.known[key]
        results = tuple(self.value(phase) for phase in phases)
        for result in results:
            self._depths[result] = place
            self.definitions[result] = operation
        made = operation.having(results=results)
        self._frames[place].operations.append(made)
        if shared and not fresh:
            self._frames[place].known[key] = results
        return results

    def forget(self, operand: Operand) -> None:
        """Keep what gave a value apart from the same computing that comes later."""
        for frame in self._frames:
            for key in [key for key, values in frame.known.items() if operand in values]:
                del frame.known[key]

    def _outermost(self, operation: Operation) -> int:
        return max((self._depths[value] for value in outer_values(operation)), default=0)

    def _result_phases(self, operation: Operation, count: int) -> list[Phase]:
        if operation.kind in LOOPS:
            return [carried_phase(operation.kind, self.phase(init)) for init in operation.inits]
        if operation.kind == "if":
            return branch_phases(operation, self.phases)
        return [result_phase(operation, self.phases)] * count if count else []


def outer_values(operation: Operation) -> list[Value]:
    """Values that an operation uses and that are not defined inside it, in the order of their first use."""
    found: dict[Value, None] = {}
    inner: set[Value] = set()

    def visit(one: Operation) -> None:
        found.update(dict.fromkeys(o for o in one.operands if isinstance(o, Value)))
        for region in one.regions:
            inner.update(region.arguments)
            for nested in region.operations:
                inner.update(nested.results)
                visit(nested)
            found.update(dict.fromkeys(o for o in region.yields if isinstance(o, Value)))

    visit(operation)
    return [value for value in found if value not in inner]


def fingerprint(operation: Operation) -> _Key:
    """What an operation computes, results left out; values inside its regions are numbered from within."""
    return _fingerprint(operation, {})


def _fingerprint(operation: Operation, inner: dict[Value, int]) -> _Key:
    operands = _renamed(operation.operands, inner)
    regions = []
    for region in operation.regions:
        for argument in region.arguments:
            inner[argument] = len(inner)
        body = []
        for one in region.operations:
            body.append(_fingerprint(one, inner))
            for result in one.results:
                inner[result] = len(inner)
        regions.append((len(region.arguments), tuple(body), _renamed(region.yields, inner)))
    return (operation.kind, operands, operation.keys, operation.text, len(operation.results), tuple(regions))


def _renamed(operands: Sequence[Operand], inner: Mapping[Value, int]) -> tuple[object, ...]:
    return tuple(inner.get(o, o) if isinstance(o, Value) else o for o in operands)


def effect_of(regions: Sequence[Region]) -> Effect:
    """The strongest effect of what stands in regions."""
    return max((operation.effect for region in regions for operation in region.operations), default=Effect.PURE)


def first_free(function: Function) -> int:
    """The lowest number that is above those of all values of a function."""
    values = [value.number for one in function.walk() for region in one.regions for value in region.arguments]
    values += [result.number for one in function.walk() for result in one.results]
    return max([value.number for value in function.body.arguments] + values, default=0) + 1
