"""Inputs of which a program rounds numbers that lie just between two others, or compares equal numbers."""

import pytest
from siblings import Sibling, find_right, tell_apart

from kernelwright.evaluation.judge.local import LocalEvaluator

X = "return [torch.randn(16, 64)]"
CODES = {"out": "torch.empty(x.shape, device=x.device, dtype=torch.int8)"}
BOUND = "y = tl.minimum(tl.maximum(v, -127.0), 127.0).to(tl.int8)"
EVEN = "v = libdevice.rint(u)\n" + BOUND
UP = "v = tl.floor(u + 0.5)\n" + BOUND
AWAY = "v = tl.where(u < 0, -tl.floor(0.5 - u), tl.floor(u + 0.5))\n" + BOUND
LARGEST = "s = tl.max(tl.abs(tl.where(inside, x, 0.0)), axis=0) / 127.0\n"
ROUNDED = "return torch.round(x / {}).clamp(-127, 127).to(torch.int8)"
BY_ROW = "s = x.abs().amax(1, keepdim=True) / 127\n" + ROUNDED.format("s")
LEARNED, BY_STEP = ROUNDED.format("self.s.abs().clamp(min=1e-6)"), "u = x / tl.maximum(tl.abs(s), 1e-6)\n"
TIED = [
    Sibling("a fixed step", ROUNDED.format("0.0625"), X, "u = x / 0.0625\n" + EVEN, "u = x / 0.0625\n" + UP, **CODES),
    Sibling("a learned step", LEARNED, X, BY_STEP + EVEN, BY_STEP + AWAY, held=("s",),
            init="self.s = nn.Parameter(torch.full((64,), 0.0625))", **CODES),
    Sibling("a part of the largest", BY_ROW, X, LARGEST + "u = x / s\n" + EVEN, LARGEST + "u = x / s\n" + UP, **CODES),
    Sibling("whole steps", "return torch.floor(x * 4)", X, "y = tl.floor(x * 4)", "y = tl.ceil(x * 4) - 1"),
    Sibling("a threshold of what is computed", "return (x * 0.25 + 0.5 > 0.75).float()", X,
            "y = tl.where(x * 0.25 + 0.5 > 0.75, 1.0, 0.0)", "y = tl.where(x * 0.25 + 0.5 >= 0.75, 1.0, 0.0)"),
]  # fmt: skip
#: Another right order of a computation makes no tie of what is none in fp64.
RIGHT = [
    Sibling("a reciprocal", ROUNDED.format("0.1"), X, "u = x / 0.1\n" + EVEN, "u = x * 10.0\n" + EVEN, **CODES),
    Sibling("a reciprocal of a learned step", LEARNED, X, BY_STEP + EVEN,
            "u = x * (1.0 / tl.maximum(tl.abs(s), 1e-6))\n" + EVEN, held=("s",),
            init="self.s = nn.Parameter(torch.full((64,), 0.1))", **CODES),
    Sibling("a reciprocal of a row", BY_ROW, X, LARGEST + "u = x / s\n" + EVEN,
            LARGEST.replace("/ 127.0", "* 0.007874015748") + "u = x * (1.0 / s)\n" + EVEN, **CODES),
    Sibling("two steps", "return torch.round(torch.round(x / 0.125) * 0.3)", X,
            "y = libdevice.rint(libdevice.rint(x / 0.125) * 0.3)",
            "y = libdevice.rint(libdevice.rint(x * 8.0) * 3.0 * 0.1)"),
    Sibling("a mean", "return torch.round((x - x.mean(1, keepdim=True)) * 4)", X,
            "y = libdevice.rint((x - tl.sum(x, axis=0) / N) * 4)",
            "y = libdevice.rint(x * 4 - tl.sum(4 * x, axis=0) / N)"),
]  # fmt: skip


@pytest.mark.parametrize("one", TIED, ids=lambda one: one.name)
def test_the_rule_for_ties_is_found(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        right = tell_apart(one, evaluator)
    assert "ties" in right.caliber["draws"]["made"]


@pytest.mark.parametrize("one", RIGHT, ids=lambda one: one.name)
def test_rounding_on_the_way_makes_no_tie(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        find_right(one, evaluator)
