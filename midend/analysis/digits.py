"""Indices as sums of digits of variables: exact, so that two ways to count the same elements can be compared."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from kernelwright.midend.analysis.launches import called

#: The size of a digit that has no end.
OPEN = 1 << 62


@dataclass(frozen=True)
class Digit:
    """`variable // step % size`."""

    variable: str
    step: int
    size: int


@dataclass(frozen=True)
class Index:
    """`offset`, which may be below 0, and the sum of `factor * digit`: factors are above 0, digits have more than one
    value."""

    terms: tuple[tuple[int, Digit], ...] = ()
    offset: int = 0

    @classmethod
    def of(cls, node: ast.expr, known: Mapping[str, "Index"]) -> "Index | None":
        """What integer arithmetic gives, where names have these values; None where that is no sum of digits."""
        match node:
            case ast.Constant(int() as value) if value >= 0 and not isinstance(value, bool):
                return cls(offset=value)
            case ast.Name(name):
                return known.get(name)
            case ast.BinOp(left, operator, right):
                one, other = cls.of(left, known), cls.of(right, known)
                return None if one is None or other is None else _combined(one, operator, other)
            case ast.Call(func=ast.Attribute(value, "to"), args=[kind]) if ast.unparse(kind) in (
                "tl.int32",
                "tl.int64",
            ):
                return cls.of(value, known)
            case ast.Call(args=[value, _]) if called(node, "tl.broadcast_to"):
                return cls.of(value, known)
        return None

    @classmethod
    def whole(cls, variable: str, size: int) -> "Index":
        """A variable that has so many values, from 0 on."""
        return cls(((1, Digit(variable, 1, size)),)) if size > 1 else cls()

    @classmethod
    def sum(cls, terms: Iterable[tuple[int, Digit]], offset: int = 0) -> "Index":
        """The terms in the order of their factors, neighbours made one where they are parts of one digit."""
        merged: list[tuple[int, Digit]] = []
        for factor, digit in sorted((t for t in terms if t[1].size > 1), key=lambda t: (t[0], t[1].step)):
            if merged:
                below, last = merged[-1]
                follows = Digit(last.variable, last.step * last.size, digit.size) == digit
                if follows and below * last.size == factor:
                    size = OPEN if digit.size == OPEN else last.size * digit.size
                    merged[-1] = (below, Digit(last.variable, last.step, size))
                    continue
            merged.append((factor, digit))
        return cls(tuple(merged), offset)

    @property
    def count(self) -> int:
        """One more than the largest value."""
        return self.offset + 1 + sum(factor * (digit.size - 1) for factor, digit in self.terms)

    def scaled(self, factor: int) -> "Index":
        """The product with a number."""
        return Index.sum(((factor * f, d) for f, d in self.terms), factor * self.offset) if factor else Index()

    def divided(self, by: int) -> "tuple[Index, Index] | None":
        """Quotient and remainder; None where a digit would have to be computed, or a sign would matter."""
        if self.offset < 0:
            return None
        high, low = list[tuple[int, Digit]](), list[tuple[int, Digit]]()
        for factor, digit in self.terms:
            inner = by // factor
            if factor % by == 0:
                high.append((factor // by, digit))
            elif inner * factor == by and inner < digit.size and (digit.size == OPEN or digit.size % inner == 0):
                size = OPEN if digit.size == OPEN else digit.size // inner
                low.append((factor, Digit(digit.variable, digit.step, inner)))
                high.append((1, Digit(digit.variable, digit.step * inner, size)))
            else:
                low.append((factor, digit))
        remainder = Index.sum(low, self.offset % by)
        return (Index.sum(high, self.offset // by), remainder) if remainder.count <= by else None


def _combined(one: Index, operator: ast.operator, other: Index) -> Index | None:
    match operator:
        case ast.Add():
            return Index.sum((*one.terms, *other.terms), one.offset + other.offset)
        case ast.Sub() if not other.terms:
            return Index(one.terms, one.offset - other.offset)
        case ast.Mult() if not one.terms or not other.terms:
            many, factor = (one, other.offset) if not other.terms else (other, one.offset)
            return many.scaled(factor) if factor >= 0 else None
        case ast.FloorDiv() | ast.Mod() if not other.terms and other.offset > 0:
            parts = one.divided(other.offset)
            return None if parts is None else parts[isinstance(operator, ast.Mod)]
    return None


def counts_up(places: Iterable[tuple[int, int]], total: int) -> bool:
    """Whether digits with these weights and sizes give every number below `total` once."""
    expected = 1
    for weight, size in sorted(places):
        if weight != expected:
            return False
        expected *= size
    return expected == total


def cut(terms: Iterable[tuple[int, Digit]], boundaries: Sequence[int]) -> list[tuple[int, Digit]] | None:
    """The terms with digits cut in two wherever their values reach a boundary; None where they do not meet it."""
    found = []
    for factor, digit in terms:
        rest, weight = digit, factor
        for boundary in sorted(b for b in boundaries if factor < b < factor * digit.size):
            inner = boundary // weight
            if inner * weight != boundary or rest.size % inner:
                return None
            found.append((weight, Digit(rest.variable, rest.step, inner)))
            rest, weight = Digit(rest.variable, rest.step * inner, rest.size // inner), boundary
        found.append((weight, rest))
    return found


def text_of(terms: Iterable[tuple[int, Digit]], sizes: Mapping[str, int]) -> str:
    """The terms as text; a digit that is a variable's last needs no remainder, where `sizes` has the variable's."""
    texts = []
    for factor, digit in terms:
        part = digit.variable if digit.step == 1 else f"{digit.variable} // {digit.step}"
        last = digit.step * digit.size == sizes.get(digit.variable)
        part = part if last else f"{part} % {digit.size}"
        plain = part == digit.variable
        texts.append(part if factor == 1 and plain else (f"{factor} * {part}" if plain else f"{factor} * ({part})"))
    texts = [text.removeprefix("1 * ") for text in texts]
    return " + ".join(texts) or "0"


def size_of(terms: Iterable[tuple[int, Digit]]) -> int:
    """How many values the digits have together."""
    return prod(digit.size for _, digit in terms)
