"""Patterns of pure expressions. A pattern finds out whether a value is a given expression of `x`, and what `x` is."""

from collections.abc import Iterator, Mapping

from kernelwright.ir.kernel.text.parsing import parse_function
from kernelwright.ir.kernel.values import Constant, Operand, Operation
from kernelwright.ir.kernel.vocabulary import COMMUTATIVE

_FLIPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_ANY = None  # every x will do


class Pattern:
    """An expression of `x` in Triton: assignments, and the expression as the last line.

    Names, temporaries and swapped operands do not matter.
    """

    def __init__(self, *lines: str) -> None:
        body = "\n".join(f"    {line}" for line in (*lines[:-1], f"return {lines[-1]}"))
        function = parse_function(f"@triton.jit\ndef pattern(x):\n{body}")
        self._x = function.body.arguments[0]
        self._result = function.body.yields[0]
        self._made: Mapping[Operand, Operation] = {one.result: one for one in function.walk()}

    def argument(self, value: Operand, made: Mapping[Operand, Operation]) -> Operand | None:
        """The operand that is `x` if a value is this expression; `made`: operations by their only result."""
        found = self._arguments(self._result, value, made, {})
        return next(iter(found)) if found is not _ANY and len(found) == 1 else None

    def _arguments(
        self,
        want: Operand,
        value: Operand,
        made: Mapping[Operand, Operation],
        known: dict[tuple[Operand, Operand], frozenset[Operand] | None],
    ) -> frozenset[Operand] | None:
        """What `x` may be so that a part of the expression is this value."""
        want, value = _plain(want, self._made), _plain(value, made)
        if want == self._x:
            return frozenset({value})
        if isinstance(want, Constant):
            equal = isinstance(value, Constant) and (value == want or value.number == want.number is not None)
            return _ANY if equal else frozenset()
        if (want, value) not in known:
            part, one = self._made[want], made.get(value)
            found: frozenset[Operand] | None = frozenset()
            for kind, operands in _readings(one) if one is not None else ():
                if found is not _ANY and kind == part.kind and len(operands) == len(part.operands):
                    pairs = zip(part.operands, operands, strict=True)
                    both = _all([self._arguments(inner, given, made, known) for inner, given in pairs])
                    found = _ANY if both is _ANY else found | both
            known[want, value] = found
        return known[want, value]


def _plain(operand: Operand, made: Mapping[Operand, Operation]) -> Operand:
    """What an assignment was given, where that may be known when the kernel is compiled."""
    while operand in made and made[operand].kind == "scalar":
        operand = made[operand].operands[0]
    return operand


def _readings(one: Operation) -> Iterator[tuple[str, tuple[Operand, ...]]]:
    """The kinds and operands as which an operation may be read."""
    yield one.kind, one.operands
    if one.kind in COMMUTATIVE or one.kind in _FLIPPED:
        yield _FLIPPED.get(one.kind, one.kind), one.operands[::-1]


def _all(found: list[frozenset[Operand] | None]) -> frozenset[Operand] | None:
    """What suits every part."""
    some = [one for one in found if one is not _ANY]
    return frozenset.intersection(*some) if some else _ANY
