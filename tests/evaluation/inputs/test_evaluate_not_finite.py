"""Results that are not finite: where infinities and NaN stand has to be the reference's, where eager and gold agree."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.evaluation.judge.local import LocalEvaluator

X = "return [torch.randn(16, 24)]"
PAIR = "return [torch.randn(16, 24), torch.randn(16, 24)]"
HALF = "return [torch.randn(16, 24, dtype=torch.float16)]"
MASKED = "return [torch.randn(16, 24), torch.rand(16, 24) > 0.5]"
SHARES = "return [torch.softmax(torch.randn(16, 24), 1)]"
ROW = "torch.empty(x.shape[0], device=x.device)"
SUM = "s = tl.sum(tl.where(inside, {}, 0.0), axis=0)\n"
TABLE = [
    Sibling("a logarithm of zero", "return x.abs().log()", X, "y = tl.log(tl.abs(x))",
            "y = tl.log(tl.maximum(tl.abs(x), 1e-38))"),
    Sibling("a reciprocal of zero", "return 1 / x", X, "y = 1 / x", "y = tl.where(x == 0, 0.0, 1 / x)"),
    Sibling("a large exponential", "return x.exp()", X, "y = tl.exp2(x * 1.4426950408889634)",
            "y = tl.exp(tl.minimum(x, 88.0))"),
    Sibling("more than 16 bits hold", "return x * 100", HALF, "y = (x.to(tl.float32) * 100).to(tl.float16)",
            "y = tl.minimum(tl.maximum(x.to(tl.float32) * 100, -65504.0), 65504.0)"),
    Sibling("a quotient of zeros", "return x / b", PAIR, "y = x / b", "y = tl.where(x == 0, 0.0, x / b)",
            rows=("x", "b")),
    Sibling("a row that is masked off", "return x.masked_fill(~b, 0.0).sum(1) / b.sum(1)", MASKED,
            SUM.format("tl.where(b, x, 0.0)") + "n = tl.sum(tl.where(inside & b, 1.0, 0.0), axis=0)\ny = s / n",
            SUM.format("tl.where(b, x, 0.0)") + "n = tl.sum(tl.where(inside & b, 1.0, 0.0), axis=0)\n"
            "y = s / tl.maximum(n, 1.0)", rows=("x", "b"), out=ROW, scalar=True),
    Sibling("a mean of nothing but NaN", "return x.nanmean(1)", X,
            SUM.format("tl.where(x == x, x, 0.0)") + "n = tl.sum(tl.where(inside & (x == x), 1.0, 0.0), axis=0)\n"
            "y = s / n",
            SUM.format("tl.where(x == x, x, 0.0)") + "n = tl.sum(tl.where(inside & (x == x), 1.0, 0.0), axis=0)\n"
            "y = s / tl.maximum(n, 1.0)", out=ROW, scalar=True),
    Sibling("a quotient that overflows", "return x / b.square()", PAIR, "y = x / (b * b)",
            "y = x / tl.maximum(b * b, 1e-36)", rows=("x", "b")),
    Sibling("an entropy of shares", "return torch.special.entr(x).sum(1)", SHARES,
            SUM.format("tl.where(x > 0, -x * tl.log(x), 0.0)") + "y = s", SUM.format("-x * tl.log(x)") + "y = s",
            out=ROW, scalar=True),
]  # fmt: skip


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one.name)
def test_where_results_are_not_finite_is_compared(one: Sibling) -> None:
    with LocalEvaluator(seeds=1, seed=3, timeout_s=120, memory_gb=4, use_gpu=False) as evaluator:
        tell_apart(one, evaluator)
