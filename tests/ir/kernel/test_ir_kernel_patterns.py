"""Patterns tell expressions of one value, however they are spelt, and nothing else."""

import pytest

from kernelwright.ir.kernel.patterns import Pattern
from kernelwright.ir.kernel.text.parsing import parse_function
from kernelwright.ir.kernel.values import Operand

SILU = Pattern("gate = 1.0 / (1.0 + tl.exp(-x))", "x * gate")
CLIPPED = Pattern("tl.where(x < 0.0, 0.0, x)")


def argument(pattern: Pattern, lines: str) -> tuple[Operand | None, Operand]:
    """What the pattern finds of the value that is stored, and the value that is loaded."""
    body = "".join(f"    {line}\n" for line in lines.split("; "))
    function = parse_function(
        f"@triton.jit\ndef kernel(a_ptr, b_ptr):\n    a = tl.load(a_ptr)\n    b = tl.load(b_ptr)\n{body}"
        "    tl.store(a_ptr, found)\n    tl.store(b_ptr, b + 1)\n"
    )
    made = {one.result: one for one in function.walk() if len(one.results) == 1}
    stored = next(one for one in function.walk() if one.kind == "store")
    value = stored.get("value")
    assert value is not None
    loads = [one.result for one in function.walk() if one.kind == "load"]
    return pattern.argument(value, made), loads[0]


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        (SILU, "found = a * (1.0 / (1.0 + tl.exp(-a)))"),
        (SILU, "e = tl.exp(-a); down = e + 1; found = 1 / down * a"),
        (CLIPPED, "found = tl.where(0 > a, 0.0, a)"),
    ],
)
def test_an_expression_is_found_however_it_is_spelt(pattern: Pattern, lines: str) -> None:
    found, loaded = argument(pattern, lines)
    assert found == loaded


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        (SILU, "found = b * (1.0 / (1.0 + tl.exp(-a)))"),
        (SILU, "found = a * (1.0 / (2.0 + tl.exp(-a)))"),
        (SILU, "found = a * ((1.0 + tl.exp(-a)) / 1.0)"),
        (CLIPPED, "found = tl.where(a < 0.0, a, 0.0)"),
        (CLIPPED, "found = tl.where(a > 0.0, 0.0, a)"),
        (CLIPPED, "found = a"),
    ],
)
def test_another_expression_is_not(pattern: Pattern, lines: str) -> None:
    assert argument(pattern, lines)[0] is None
