"""Forms with fewer quotients and remainders: the same numbers, whichever way quotients are rounded."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelwright.ir.kernel.analysis.divisions import Divisions
from kernelwright.ir.kernel.analysis.forms import Division, Factor, Form, Leaf
from kernelwright.ir.kernel.values import Value

X, Y, STRIDE = (Form.of({(Leaf(Value(number)),): 1}) for number in range(3))


def div(form: Form, number: int) -> Form:
    return form.divided("floordiv", Form.number(number))


def mod(form: Form, number: int) -> Form:
    return form.divided("mod", Form.number(number))


def times(form: Form, number: int) -> Form:
    return form.times(Form.number(number))


def open_(_: Factor) -> tuple[int | None, int | None]:
    """Nothing is known of a number."""
    return None, None


def natural(factor: Factor) -> tuple[int | None, int | None]:
    """The first is a block of sixteen, the others are not below 0."""
    return (0, 15) if factor == Leaf(Value(0)) else (0, None)


def floored(one: int, other: int) -> tuple[int, int]:
    return divmod(one, other)


def truncated(one: int, other: int) -> tuple[int, int]:
    quotient = abs(one) // other * (1 if one >= 0 else -1)
    return quotient, one - quotient * other


def value(form: Form, values: tuple[int, ...], rounded: Callable[[int, int], tuple[int, int]]) -> int:
    def factor(one: Factor) -> int:
        if isinstance(one, Leaf):
            return values[one.value.number]
        parts = rounded(value(one.form, values, rounded), value(one.divisor, values, rounded))
        return parts[one.kind == "mod"]

    total = 0
    for product, coefficient in form.terms:
        for one in product:
            coefficient *= factor(one)
        total += coefficient
    return total


def count(form: Form) -> int:
    return sum(isinstance(factor, Division) for factor in form.factors)


ALWAYS = {
    "put together": (times(div(X, 6), 6).plus(mod(X, 6)), X),
    "of quotients": (times(mod(div(X, 5), 3), 5).plus(mod(X, 5)), mod(X, 15)),
    "three digits": (times(div(X, 15), 15).plus(times(mod(div(X, 5), 3), 5)).plus(mod(X, 5)), X),
    "with another stride": (times(div(X, 6), 7).plus(mod(X, 6)), X.plus(div(X, 6))),
    "times a number": (times(div(X, 6), 6).plus(mod(X, 6)).times(STRIDE), X.times(STRIDE)),
    "digit of a digit": (mod(mod(X, 12), 4), mod(X, 4)),
    "quotient of a digit": (div(mod(X, 12), 4), mod(div(X, 4), 3)),
    "quotient of a quotient": (div(div(X, 3), 4), div(X, 12)),
    "digit within another": (mod(mod(X, 4), 12), mod(X, 4)),
    "nothing left": (div(mod(X, 4), 12), Form()),
    "digits that do not meet": (mod(mod(X, 12), 5), mod(mod(X, 12), 5)),
    "another form": (times(div(X, 6), 6).plus(mod(Y, 6)), times(div(X, 6), 6).plus(mod(Y, 6))),
}


@pytest.mark.parametrize(("before", "after"), ALWAYS.values(), ids=ALWAYS)
def test_digits_of_any_numbers(before: Form, after: Form) -> None:
    assert Divisions(open_).fewest(before) == after


BOUNDED = {
    "a block's part": (div(times(Y, 16).plus(X), 16), Y),
    "a block's rest": (mod(times(Y, 32).plus(X), 32), X),
    "less than the divisor": (mod(X, 20), X),
    "several blocks": (div(times(Y, 16).plus(X), 8), times(Y, 2).plus(div(X, 8))),
    "not less": (mod(X, 12), mod(X, 12)),
}


@pytest.mark.parametrize(("before", "after"), BOUNDED.values(), ids=BOUNDED)
def test_what_bounds_allow(before: Form, after: Form) -> None:
    assert Divisions(natural).fewest(before) == after
    assert Divisions(open_).fewest(before) == before


NUMBERS = st.sampled_from([2, 3, 4, 6, 8, 12, 16, 24])
FORMS = st.recursive(
    st.sampled_from([X, Y]),
    lambda inner: st.one_of(
        st.builds(div, inner, NUMBERS),
        st.builds(mod, inner, NUMBERS),
        st.builds(lambda a, b, n: a.plus(b, n), inner, inner, st.sampled_from([1, 2, 4, 6, 12, -1])),
        st.builds(times, inner, NUMBERS),
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(FORMS, st.integers(-200, 200), st.integers(-200, 200))
def test_the_numbers_stay_the_same(form: Form, x: int, y: int) -> None:
    made = Divisions(open_).fewest(form)
    assert count(made) <= count(form)
    for rounded in (floored, truncated):
        assert value(made, (x, y, 1), rounded) == value(form, (x, y, 1), rounded)


@settings(max_examples=300, deadline=None)
@given(FORMS, st.integers(0, 15), st.integers(0, 200))
def test_the_numbers_within_bounds_stay_the_same(form: Form, x: int, y: int) -> None:
    made = Divisions(natural).fewest(form)
    for rounded in (floored, truncated):
        assert value(made, (x, y, 1), rounded) == value(form, (x, y, 1), rounded)
