"""Rows may begin with -inf, as padding on the left makes them: a first block of a row may hold no number."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.evaluation.judge.local import LocalEvaluator

X = "return [torch.randn(16, 32)]"
ROW = "torch.empty(x.shape[0], device=x.device)"
#: Goes over the row in blocks of 8: the largest, and the sum of the exponentials beside it.
ONLINE = """m = float("-inf")
d = 0.0
for start in range(0, N, 8):
    v = {sign}tl.load(x_ptr + row * N + start + tl.arange(0, 8)){scale}
    n = tl.maximum(m, tl.max(v, axis=0))
{shift}
    d = d * tl.exp(m - s) + tl.sum(tl.exp(v - s), axis=0)
    m = n
"""
SAFE, RAW = '    s = tl.where(n == float("-inf"), 0.0, n)', "    s = n"


def online(name: str, forward: str, end: str, sign: str = "", scale: str = "", scalar: bool = False) -> Sibling:
    parts = {"sign": sign, "scale": scale}
    right, wrong = (ONLINE.format(shift=shift, **parts) + end for shift in (SAFE, RAW))
    out = ROW if scalar else "torch.empty_like(x)"
    return Sibling(name, f"return {forward}", X, right, wrong, out=out, scalar=scalar)


TABLE = [
    online("softmax", "torch.softmax(x, 1)", "y = tl.exp(x - m) / d"),
    online("log_softmax", "torch.log_softmax(x, 1)[:, 16:].exp().sum(1)",
           "y = tl.sum(tl.where(i >= 16, tl.exp(x - m) / d, 0.0), axis=0)", scalar=True),
    online("logsumexp", "torch.logsumexp(x, 1)", "y = m + tl.log(d)", scalar=True),
    online("softmax of a scale", "torch.softmax(x * 0.25, 1)", "y = tl.exp(x * 0.25 - m) / d", scale=" * 0.25"),
    online("the largest weight", "torch.softmax(x, 1).amax(1)", "y = 1 / d", scalar=True),
    online("softmax and a gate", "torch.softmax(x, 1) * torch.sigmoid(x)",
           "y = tl.exp(x - m) / d / (1 + tl.exp(-x))"),
    online("softmax squared", "torch.softmax(x, 1).square()", "y = tl.exp(x - m) / d\ny = y * y"),
    online("weights of exponentials", "(torch.softmax(x, 1) * x.exp()).sum(1)",
           "y = tl.sum(tl.where(inside, tl.exp(x - m) / d * tl.exp(x), 0.0), axis=0)", scalar=True),
    online("sum of powers", "torch.logsumexp(2 * x, 1) / 2", "y = (m + tl.log(d)) / 2", scale=" * 2.0", scalar=True),
]  # fmt: skip


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one.name)
def test_a_first_block_without_a_number_is_drawn(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)
