"""Forms with as few quotients and remainders as possible.

A quotient or remainder by numbers is a digit, `form // step % size`, and the sum of neighbouring digits is one digit:

    x // n * n + x % n          x
    x % 12 // 4 * 4 + x % 4     x % 12
    x // n * m + x % n          x + x // n * (m - n)
    x % 12 % 4                  x % 4

These hold whether quotients of negative numbers are rounded down, as in Python, or towards 0, as in Triton. What holds
for some values alone asks for the least and the most that a form can be: `(n * a + b) // n` is `a` for `b` from 0 to
`n - 1` and an `a` that is not below 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from kernelwright.ir.kernel.analysis.digits import OPEN
from kernelwright.ir.kernel.analysis.forms import Division, Factor, Form, Product

#: The least and the most that a factor can be; None where that is open.
Bounds = tuple[int | None, int | None]


@dataclass(frozen=True)
class _Digit:
    """`form // step % size`."""

    form: Form
    step: int = 1
    size: int = OPEN

    def written(self) -> Form:
        """The digit as a form."""
        quotient = self.form.divided("floordiv", Form.number(self.step))
        return quotient if self.size == OPEN else quotient.divided("mod", Form.number(self.size))

    def follows(self, other: "_Digit") -> bool:
        """Whether it is the next higher digit of the same form."""
        return self.form == other.form and self.step == other.step * other.size


class Divisions:
    """`bounds` tells what a leaf, or a quotient or remainder that is not by numbers, can be."""

    def __init__(self, bounds: Callable[[Factor], Bounds]) -> None:
        self._given = bounds

    def fewest(self, form: Form) -> Form:
        """The form with as few quotients and remainders as possible."""
        total, groups = Form(), dict[Product, dict[_Digit, int]]()
        for product, coefficient in form.terms:
            divided = [one for one in product if isinstance(one, Division)]
            digit = self._digit(divided[0]) if len(divided) == 1 else None
            if digit is None:
                total = total.plus(Form.of({product: coefficient}))
                continue
            rest = tuple(one for one in product if one is not divided[0])
            group = groups.setdefault(rest, {})
            group[digit] = group.get(digit, 0) + coefficient
        for rest, group in groups.items():
            for digit, coefficient in _joined(group).items():
                total = total.plus(digit.written().times(Form.of({rest: coefficient})))
        return total if total == form else self.fewest(total)

    def _digit(self, division: Division) -> _Digit | None:
        """What a quotient or remainder is a digit of; None where its divisor is no number above 0."""
        number = division.divisor.constant
        if number is None or number <= 0:
            return None
        form = self._shortened(division.kind, self.fewest(division.form), number)
        if form is not None:
            return _Digit(form)
        inner, quotient = self._as_digit(self.fewest(division.form)), division.kind == "floordiv"
        if inner.size == OPEN:
            return _Digit(inner.form, inner.step * number) if quotient else _Digit(inner.form, inner.step, number)
        if number >= inner.size:
            return _Digit(Form()) if quotient else inner
        if inner.size % number:
            whole = inner.written()
            return _Digit(whole, number) if quotient else _Digit(whole, 1, number)
        size = inner.size // number
        return _Digit(inner.form, inner.step * number, size) if quotient else _Digit(inner.form, inner.step, number)

    def _as_digit(self, form: Form) -> _Digit:
        """The digit that a form is; of itself where it is no other."""
        (product, coefficient), *others = [*form.terms, ((), 0)]
        if coefficient == 1 and len(others) == 1 and len(product) == 1 and isinstance(product[0], Division):
            return self._digit(product[0]) or _Digit(form)
        return _Digit(form)

    def _shortened(self, kind: str, form: Form, number: int) -> Form | None:
        """The quotient or remainder of a sum whose parts are multiples of the divisor, or less than it."""
        whole = Form.of({p: c for p, c in form.terms if c % number == 0})
        rest = form.plus(whole, -1)
        (low, high), (least, _) = self.bounds(rest), self.bounds(whole)
        if low is None or low < 0 or least is None or least < 0:
            return None
        small = high is not None and high < number
        if not small and not whole.terms:
            return None
        if kind == "mod":
            return rest if small else rest.divided("mod", Form.number(number))
        quotient = Form() if small else rest.divided("floordiv", Form.number(number))
        return quotient.plus(Form.of({p: c // number for p, c in whole.terms}))

    def bounds(self, form: Form) -> Bounds:
        """The least and the most that a form can be."""
        low: int | None = 0
        high: int | None = 0
        for product, coefficient in form.terms:
            least, most = self._product(product)
            if coefficient < 0:
                least, most = most, least
            low = None if low is None or least is None else low + coefficient * least
            high = None if high is None or most is None else high + coefficient * most
        return low, high

    def _product(self, product: Product) -> Bounds:
        """A number, a factor, or factors that are not below 0; open for others."""
        bounds = [self._factor(factor) for factor in product]
        if len(bounds) == 1:
            return bounds[0]
        lows, highs = [low for low, _ in bounds if low is not None], [high for _, high in bounds if high is not None]
        if len(lows) < len(bounds) or any(low < 0 for low in lows):
            return None, None
        return prod(lows), prod(highs) if len(highs) == len(bounds) else None

    def _factor(self, factor: Factor) -> Bounds:
        if not isinstance(factor, Division):
            return self._given(factor)
        low, high = self.bounds(factor.form)
        number = factor.divisor.constant
        if number is None or number <= 0 or low is None or low < 0:
            return self._given(factor)
        if factor.kind == "mod":
            return 0, number - 1 if high is None else min(high, number - 1)
        return low // number, None if high is None else high // number


def _joined(group: Mapping[_Digit, int]) -> dict[_Digit, int]:
    """Digits and their coefficients, with neighbours put together."""
    found = {digit: coefficient for digit, coefficient in group.items() if coefficient}
    for low in sorted(found, key=lambda one: (str(one.form), one.step)):
        for high in found if low.size != OPEN else ():
            if not high.follows(low) or low not in found:
                continue
            weight, coefficient = found[low], found[high]
            if coefficient == weight * low.size:
                size = OPEN if high.size == OPEN else low.size * high.size
                rest = {one: c for one, c in found.items() if one not in (low, high)}
                joined = _Digit(low.form, low.step, size)
                return _joined(rest | {joined: rest.get(joined, 0) + weight})
            if high.size == OPEN:
                rest = {one: c for one, c in found.items() if one != low}
                joined = _Digit(low.form, low.step)
                rest |= {high: coefficient - weight * low.size, joined: rest.get(joined, 0) + weight}
                return _joined(rest)
    return found
