"""Indices as sums of digits of variables: exact, so that two ways to count the same elements can be compared."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

#: The size of a digit that has no end.
OPEN = 1 << 62


@dataclass(frozen=True)
class Digit:
    """`variable // step % size`; `reverse`: counted down, `size - 1` minus that."""

    variable: str
    step: int
    size: int
    reverse: bool = False


@dataclass(frozen=True)
class Index:
    """`offset`, which may be below 0, and the sum of `factor * digit`: factors are above 0, digits have more than one
    value."""

    terms: tuple[tuple[int, Digit], ...] = ()
    offset: int = 0

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
                follows = replace(last, step=last.step * last.size, size=digit.size) == digit
                if follows and below * last.size == factor:
                    size = OPEN if digit.size == OPEN else last.size * digit.size
                    merged[-1] = (below, replace(last, size=size))
                    continue
            merged.append((factor, digit))
        return cls(tuple(merged), offset)

    @property
    def count(self) -> int:
        """One more than the largest value."""
        return self.offset + 1 + sum(factor * (digit.size - 1) for factor, digit in self.terms)

    def scaled(self, factor: int) -> "Index":
        """The product with a number; below 0, digits are counted down, which those without end cannot be."""
        if factor >= 0:
            return Index.sum(((factor * f, d) for f, d in self.terms), factor * self.offset) if factor else Index()
        lowest = sum(factor * f * (d.size - 1) for f, d in self.terms)
        turned = ((-factor * f, replace(d, reverse=not d.reverse)) for f, d in self.terms)
        return Index.sum(turned, factor * self.offset + lowest)

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
                low.append((factor, replace(digit, size=inner)))
                high.append((1, replace(digit, step=digit.step * inner, size=size)))
            else:
                low.append((factor, digit))
        remainder = Index.sum(low, self.offset % by)
        return (Index.sum(high, self.offset // by), remainder) if remainder.count <= by else None


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
            found.append((weight, replace(rest, size=inner)))
            rest, weight = replace(rest, step=rest.step * inner, size=rest.size // inner), boundary
        found.append((weight, rest))
    return found


def size_of(terms: Iterable[tuple[int, Digit]]) -> int:
    """How many values the digits have together."""
    return prod(digit.size for _, digit in terms)


def paired(one: Index, other: Index, total: int) -> list[tuple[Digit, Digit]] | None:
    """The digits that two ways to count every number below `total` have for the same places, cut to be as long; None
    where one of them does not give every number once, or their places do not meet."""
    pairs = []
    for index in (one, other):
        if index.offset or not counts_up([(f, d.size) for f, d in index.terms], total):
            return None
    first, second = (cut(a.terms, [f for f, _ in b.terms]) for a, b in ((one, other), (other, one)))
    if first is None or second is None:
        return None
    if len(first) != len(second):
        return None
    for (weight, digit), (place, same) in zip(sorted(first, key=_weight), sorted(second, key=_weight), strict=True):
        if weight != place or digit.size != same.size:
            return None
        pairs.append((digit, same))
    return pairs


def _weight(term: tuple[int, Digit]) -> int:
    return term[0]
