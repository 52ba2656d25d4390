"""Integers as sums of products over what they are made of, with quotients and remainders for digits.

`300 * rows + (start + lanes)` is a `Form` with the terms 300·rows, start, lanes; `pixel // 5 % 5` is a remainder of a
quotient. Two spellings of one sum have one form. Overflow is not modelled: forms are equal as numbers without end.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kernelwright.ir.kernel.values import Value

#: Elements beyond which a 32-bit index would not do, with room for what blocks overshoot by.
INDEX_LIMIT = 2**31 - 2**16


@dataclass(frozen=True)
class Leaf:
    """A value that is not taken apart. `dims`: where its dimensions are in the tensor, from the right: -1, -2, …"""

    value: Value
    dims: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.value}{list(self.dims) if self.dims else ''}"


@dataclass(frozen=True)
class Division:
    """A quotient (`//`) or a remainder (`%`) of two forms."""

    kind: str
    form: "Form"
    divisor: "Form"

    def __str__(self) -> str:
        parts = [f"({form})" if len(form.terms) > 1 else str(form) for form in (self.form, self.divisor)]
        return f"({(' // ' if self.kind == 'floordiv' else ' % ').join(parts)})"


Factor = Leaf | Division
Product = tuple[Factor, ...]


@dataclass(frozen=True)
class Form:
    """A sum of products with integer coefficients, in a fixed order; the empty product is the number 1."""

    terms: tuple[tuple[Product, int], ...] = ()

    def __str__(self) -> str:
        parts = []
        for product, coefficient in self.terms:
            factors = [str(factor) for factor in product]
            if coefficient != 1 or not factors:
                factors.insert(0, str(coefficient))
            parts.append("·".join(factors))
        return " + ".join(parts) or "0"

    @classmethod
    def of(cls, terms: Mapping[Product, int]) -> "Form":
        """A form of these terms; those with coefficient 0 are left out."""
        kept = [(product, coefficient) for product, coefficient in terms.items() if coefficient]
        return cls(tuple(sorted(kept, key=lambda term: (len(term[0]), [str(factor) for factor in term[0]]))))

    @classmethod
    def number(cls, value: int) -> "Form":
        """A form of one number."""
        return cls.of({(): value})

    @property
    def constant(self) -> int | None:
        """The number that the form is; None where it is more than a number."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @cached_property
    def factors(self) -> frozenset[Factor]:
        """Every factor, those inside quotients and remainders too."""
        found: set[Factor] = set()
        for product, _ in self.terms:
            for factor in product:
                found.add(factor)
                if isinstance(factor, Division):
                    found |= factor.form.factors | factor.divisor.factors
        return frozenset(found)

    @property
    def leaves(self) -> frozenset[Leaf]:
        """What the form is made of."""
        return frozenset(factor for factor in self.factors if isinstance(factor, Leaf))

    def coefficient(self, factor: Factor) -> "Form | None":
        """What a factor is multiplied with; None where the form is not linear in it."""
        found: dict[Product, int] = {}
        for product, number in self.terms:
            if factor in product:
                rest = list(product)
                rest.remove(factor)
                found[tuple(rest)] = number
        inside = (one for one in self.factors if isinstance(one, Division))
        leaves = {factor} if isinstance(factor, Leaf) else set()
        if any(factor in rest for rest in found) or any(
            leaves & (one.form.leaves | one.divisor.leaves) for one in inside
        ):
            return None
        return Form.of(found)

    def plus(self, other: "Form", times: int = 1) -> "Form":
        """The sum with a multiple of another form."""
        terms = dict(self.terms)
        for product, coefficient in other.terms:
            terms[product] = terms.get(product, 0) + times * coefficient
        return Form.of(terms)

    def times(self, other: "Form") -> "Form":
        """The product, multiplied out."""
        terms: dict[Product, int] = {}
        for one, first in self.terms:
            for two, second in other.terms:
                product = tuple(sorted((*one, *two), key=str))
                terms[product] = terms.get(product, 0) + first * second
        return Form.of(terms)

    def divided(self, kind: str, divisor: "Form") -> "Form":
        """The quotient or remainder; exact where every coefficient is a multiple of the divisor."""
        number = divisor.constant
        if number == 1:
            return self if kind == "floordiv" else Form()
        own = self.constant
        if own is not None and own >= 0 and number is not None and number > 0:
            return Form.number(own // number if kind == "floordiv" else own % number)
        if number and all(coefficient % number == 0 for _, coefficient in self.terms):
            return Form.of({p: c // number for p, c in self.terms}) if kind == "floordiv" else Form()
        return Form.of({(Division(kind, self, divisor),): 1})

    def multiple_of(self, other: "Form") -> "Form | None":
        """What times `other`, a single product, is this form; None where nothing is."""
        if len(other.terms) != 1:
            return None
        (divisor, number), terms = other.terms[0], {}
        for product, coefficient in self.terms:
            left = list(product)
            for factor in divisor:
                if factor not in left:
                    return None
                left.remove(factor)
            if coefficient % number:
                return None
            terms[tuple(left)] = coefficient // number
        return Form.of(terms)

    def without(self, other: "Form") -> "tuple[int, Form]":
        """How many times another form, which is not 0, is in this one whole, and what is left; 0 times where it is
        not."""
        terms = dict(self.terms)
        (first, number), *_ = other.terms
        factor, left = divmod(terms.get(first, 0), number)
        if left or any(terms.get(product) != factor * coefficient for product, coefficient in other.terms):
            return 0, self
        return factor, self.plus(other, -factor)

    def moved(self, axis: int, rank: int) -> "Form":
        """The form of a tensor with a new dimension at `axis`; `rank` counts it."""

        def place(dim: int) -> int:
            index = dim + rank - 1
            return (index if index < axis else index + 1) - rank

        def move(factor: Factor) -> Factor:
            if isinstance(factor, Leaf):
                return Leaf(factor.value, tuple(map(place, factor.dims)))
            return Division(factor.kind, factor.form.moved(axis, rank), factor.divisor.moved(axis, rank))

        return Form.of({tuple(sorted(map(move, product), key=str)): c for product, c in self.terms})
