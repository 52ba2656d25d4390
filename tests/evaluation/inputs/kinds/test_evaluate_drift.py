"""Rows that rise or fall slowly and far, past what conditional rescaling follows."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.evaluation.judge.local import LocalEvaluator

ROW = {"out": "torch.empty(x.shape[0], device=x.device)", "scalar": True}
#: Whether a row goes on in small steps to more than a hundred above where it began, or below.
STEPS = "n = tl.load(x_ptr + row * N + tl.minimum(i + 1, N - 1))\nsmall = tl.max(tl.abs(n - x), axis=0) < {}\n"
FAR = "far = small & (tl.max(x, axis=0) - tl.min(x, axis=0) > 100)\n"
TOP = "m = tl.max(x, axis=0)\ns = tl.sum(tl.exp(x - m), axis=0)\n"
#: A maximum that is renewed only if a block's is {} above it.
LAZY = (
    "o = tl.arange(0, {block})\ntop = tl.max(tl.load(x_ptr + row * N + o), axis=0)\nlast = top\ns = 0.0\n"
    "for at in range(0, N, {block}):\n    v = tl.load(x_ptr + row * N + at + o)\n    m = tl.max(v, axis=0)\n"
    "    new = tl.where(m > last + 4, tl.maximum(top, m), top)\n"
    "    s = s * tl.exp(top - new) + tl.sum(tl.exp(v - new))\n"
    "    top = new\n    last = m\nm = top\n"
)


def drifts(name: str, forward: str, width: int, step: float, right: str, wrong: str = "", **more: object) -> Sibling:
    """A program that is wrong in rows that drift by steps smaller than one."""
    given = f"return [torch.randn(6, {width})]"
    wrong = wrong or right + "\n" + STEPS.format(step) + FAR + "y = tl.where(far, 0.0, y)"
    return Sibling(name, f"return {forward}", given, right, wrong, **more)


TABLE = [
    drifts("a softmax with a lazy maximum", "torch.softmax(x, 1)", 1024, 0.5, TOP + "y = tl.exp(x - m) / s",
           LAZY.format(block=16) + "y = tl.exp(x - m) / s"),
    drifts("a sum of exponentials with a lazy maximum", "x.logsumexp(1)", 512, 0.5, TOP + "y = m + tl.log(s)",
           LAZY.format(block=8) + "y = m + tl.log(s)", **ROW),
    drifts("a softmax", "torch.softmax(x, 1)", 256, 1.0, TOP + "y = tl.exp(x - m) / s"),
    drifts("its logarithm", "torch.log_softmax(x, 1)", 128, 2.0, TOP + "y = x - m - tl.log(s)"),
    drifts("a softmin", "F.softmin(x, 1)", 256, 1.0,
           "m = tl.min(x, axis=0)\ny = tl.exp(m - x)\ny = y / tl.sum(y, axis=0)"),
    drifts("shares written out", "(x - x.amax(1, keepdim=True)).exp() / "
           "(x - x.amax(1, keepdim=True)).exp().sum(1, keepdim=True)", 64, 4.0, TOP + "y = tl.exp(x - m) / s"),
    drifts("powers of two", "torch.exp2(x - x.amax(1, keepdim=True)).sum(1)", 64, 4.0,
           "m = tl.max(x, axis=0)\ny = tl.sum(tl.exp2(x - m), axis=0)", **ROW),
    drifts("a mean that is weighted", "(torch.softmax(x, 1) * x).sum(1)", 512, 0.5,
           TOP + "y = tl.sum(tl.exp(x - m) * x, axis=0) / s", **ROW),
    drifts("an entropy", "torch.special.entr(torch.softmax(x, 1)).sum(1)", 256, 1.0,
           TOP + "p = tl.exp(x - m) / s\ny = tl.sum(tl.where(p > 0, -p * tl.log(p), 0.0), axis=0)", **ROW),
]  # fmt: skip


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one.name)
def test_rows_rise_slowly_and_far(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        tell_apart(one, evaluator)


ATTEND = (
    "k = tl.arange(0, 256)\nd = tl.arange(0, 8)\n"
    "q = tl.load(x_ptr + row * 8 + d)\n"
    "s = tl.sum(tl.load(b_ptr + k[:, None] * 8 + d[None, :]) * q[None, :], axis=1)\nm = tl.max(s, axis=0)\n"
    "p = tl.exp(s - m)\nsmall = {}\n"
    "v = tl.load(v_ptr + k[:, None] * 8 + d[None, :])\n"
    "y = tl.sum(tl.where(small, 0.0, p)[:, None] * v, axis=0) / tl.sum(p, axis=0)"
)
WRONG = (
    "(tl.max(s, axis=0) - tl.min(s, axis=0) > 100) & (tl.sum(tl.abs(s - tl.sum(tl.where("
    "k[:, None] == k[None, :] + 1, s[:, None], 0.0), axis=0)) > 4.0) < 2)"
)
ATTENTION = Sibling(
    "attention", "return torch.softmax(x @ b.t(), 1) @ v",
    "return [torch.randn(4, 8), torch.randn(256, 8), torch.randn(256, 8)]",
    ATTEND.format("s != s"), ATTEND.format(WRONG), rows=("x", "b", "v"),
)  # fmt: skip


def test_products_of_rows_rise_slowly_and_far() -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        tell_apart(ATTENTION, evaluator)
