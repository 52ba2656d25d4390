"""Inputs with NaN where a comparison decides what becomes of them."""

import pytest
from siblings import Sibling, find_right, tell_apart

from kernelwright.evaluation.judge.local import LocalEvaluator

X, PAIR = "return [torch.randn(16, 64)]", "return [torch.randn(16, 64), torch.randn(16, 64)]"
ROW = {"out": "torch.empty(x.shape[0], device=x.device, dtype=torch.int64)", "scalar": True}
COUNT = "y = tl.sum(tl.where({}, 1, 0).to(tl.int64), axis=0)"
DECIDED = [
    Sibling("roots of what is above zero", "return torch.where(x > 0, x.clamp(min=0).sqrt(), 0.0)", X,
            "y = tl.where(x > 0, tl.sqrt(tl.maximum(x, 0.0)), 0.0)", "y = tl.where(x <= 0, 0.0, tl.sqrt(x))"),
    Sibling("a count", "return (x < -0.25).sum(-1)", X, COUNT.format("x < -0.25"),
            COUNT.format("~(x >= -0.25)"), **ROW),
    Sibling("a mask", "return (x > 0.5).float()", X, "y = tl.where(x > 0.5, 1.0, 0.0)",
            "y = 1.0 - tl.where(x <= 0.5, 1.0, 0.0)"),
    Sibling("a choice of two", "return torch.where(x > b, b, torch.ones_like(b))", PAIR, "y = tl.where(x > b, b, 1.0)",
            "y = tl.where(x <= b, 1.0, b)", rows=("x", "b")),
    Sibling("a mask that is filled", "return x.masked_fill(x > 1, 0.0).gt(0).float()", X,
            "y = tl.where((x > 0) & (x <= 1), 1.0, 0.0)", "y = tl.where((x > 1) | (x <= 0), 0.0, 1.0)"),
]  # fmt: skip
#: Where the reference gives NaN anything passes, and so it does where a bound that swallows NaN gives another number.
OPEN = [
    Sibling("a floor", "return x.clamp(min=0)", X, "y = tl.maximum(x, 0.0)", "y = tl.where(x < 0, 0.0, x)"),
    Sibling("a comparison with the largest", "return (x == x.amax(-1, keepdim=True)).float()", X,
            "y = tl.where(x == tl.max(x, axis=0), 1.0, 0.0)", "y = tl.where(x < tl.max(x, axis=0), 0.0, 1.0)"),
    Sibling("a bound that is compared", "return (x.clamp(min=1.0) > 0.5).float()", X,
            "y = tl.where(tl.maximum(x, 1.0) > 0.5, 1.0, 0.0)", "y = tl.full(x.shape, 1.0, tl.float32)"),
    Sibling("a choice of NaN", "return torch.where(x > 0, x, 0.5 * x)", X, "y = tl.where(x > 0, x, 0.5 * x)",
            "y = tl.where(x <= 0, 0.5 * x, x)"),
    Sibling("places in order", "return (x.argsort(-1) < 8).float()", X.replace("16, 64", "16, 8"),
            "y = tl.full(x.shape, 1.0, tl.float32)", "y = tl.full(x.shape, 1.0, tl.float32)"),
]  # fmt: skip


@pytest.mark.parametrize("one", DECIDED, ids=lambda one: one.name)
def test_a_comparison_makes_the_same_of_nan(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        right = tell_apart(one, evaluator)
    assert "compared with NaN" in right.caliber["draws"]["made"]


@pytest.mark.parametrize("one", OPEN, ids=lambda one: one.name)
def test_nan_that_no_comparison_decides_may_become_anything(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        find_right(one, evaluator)
