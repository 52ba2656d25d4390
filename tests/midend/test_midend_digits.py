"""Sums of digits: exact where they say something, and silent where a sign would matter."""

import ast

import pytest

from kernelwright.ir.kernel.analysis.digits import Index
from kernelwright.midend.analysis.digits import index_of

KNOWN = {"pixel": Index.whole("pixel", 42), "column": Index.whole("column", 64)}


def index(text: str) -> Index | None:
    return index_of(ast.parse(text, mode="eval").body, KNOWN)


def value(found: Index, values: dict[str, int]) -> int:
    return found.offset + sum(f * (values[d.variable] // d.step % d.size) for f, d in found.terms)


@pytest.mark.parametrize(
    "text",
    [
        "pixel % 7 * 3 + pixel // 7",
        "2 * (pixel % 7) + column // 16 % 2 - 1",
        "(64 * pixel + column) // 16 % 4",
        "(pixel + 42) % 42",
        "5 - 7",
    ],
)
def test_what_is_found_is_what_the_text_computes(text: str) -> None:
    found = index(text)
    assert found is not None
    for pixel in (0, 1, 6, 7, 41):
        for column in (0, 15, 16, 63):
            values = {"pixel": pixel, "column": column}
            assert value(found, values) == eval(text, {}, values)
            assert found.offset <= value(found, values) < found.count


@pytest.mark.parametrize(
    "text", ["(pixel - 1) // 7", "(pixel - 1) % 7", "pixel * (3 - 5)", "pixel // 0", "1 - pixel", "pixel * pixel"]
)
def test_what_signs_or_products_decide_is_left_alone(text: str) -> None:
    assert index(text) is None
