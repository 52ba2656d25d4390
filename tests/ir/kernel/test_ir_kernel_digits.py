"""Sums of digits: exact where they say something, and silent where a sign would matter."""

import pytest

from kernelwright.ir.kernel.analysis.accesses import Accesses
from kernelwright.ir.kernel.analysis.counters import Counter, Digits
from kernelwright.ir.kernel.analysis.digits import Index
from kernelwright.ir.kernel.analysis.forms import Form, Leaf
from kernelwright.ir.kernel.text.parsing import parse_function

SIZES = {"pixel": 42, "column": 64}


def index(text: str) -> Index | None:
    """The index of a store at `text`, which counts by two numbers of a program."""
    function = parse_function(
        "@triton.jit\ndef kernel(x):\n    pixel = tl.program_id(0)\n    column = tl.program_id(1)\n"
        f"    tl.store(x + pixel + column, 0.0)\n    tl.store(x + ({text}), 0.0)"
    )
    programs = [one.result for one in function.walk() if one.kind == "program_id"]
    counters = [
        Counter(name, Form.of({(Leaf(value),): 1}), size)
        for (name, size), value in zip(SIZES.items(), programs, strict=True)
    ]
    form = Accesses(function).all[-1].index
    assert form is not None
    return Digits(counters).index(form)


def value(found: Index, values: dict[str, int]) -> int:
    """What an index comes to."""
    total = found.offset
    for factor, digit in found.terms:
        part = values[digit.variable] // digit.step % digit.size
        total += factor * (digit.size - 1 - part if digit.reverse else part)
    return total


@pytest.mark.parametrize(
    "text",
    [
        "pixel % 7 * 3 + pixel // 7",
        "2 * (pixel % 7) + column // 16 % 2 - 1",
        "(64 * pixel + column) // 16 % 4",
        "(pixel + 42) % 42",
        "1 - pixel",
        "pixel * (3 - 5)",
    ],
)
def test_what_is_found_is_what_the_text_computes(text: str) -> None:
    found = index(text)
    assert found is not None
    for pixel in (0, 1, 6, 7, 41):
        for column in (0, 15, 16, 63):
            values = {"pixel": pixel, "column": column}
            assert value(found, values) == eval(text, {}, values)
            assert value(found, values) < found.count


@pytest.mark.parametrize("text", ["(pixel - 1) // 7", "(pixel - 1) % 7", "pixel // (column - 3)", "pixel * pixel"])
def test_what_signs_or_products_decide_is_left_alone(text: str) -> None:
    assert index(text) is None
