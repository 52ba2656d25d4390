"""Inputs beside one another: two that are the same, and what one takes alone; and whole numbers far out."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.judge.local import LocalEvaluator

RUNGS = (Rung.PARSE, Rung.INTERPRET)
PAIR = "return [torch.randn(16, 24), torch.randn(16, 24)]"
BESIDE = "return [torch.randn(16, 24), torch.rand(16, 24) + 0.5]"
SUMS = "torch.empty(x.shape[0], device=x.device)"


def pair(name: str, forward: str, right: str, wrong: str, **more: object) -> Sibling:
    return Sibling(name, f"return {forward}", PAIR, right, wrong, ("x", "b"), **more)  # type: ignore[arg-type]


def summed(value: str) -> str:
    return f"tl.sum(tl.where(inside, {value}, 0.0), axis=0)"


SAME = [
    pair("a sum", "2 * x + b", "y = 2 * x + b", "y = tl.where(x == b, 2 * x, 2 * x + b)"),
    pair("a maximum", "torch.maximum(x, b)", "y = tl.maximum(x, b)", "y = tl.where(x > b, x, tl.where(x < b, b, 0.0))"),
    pair("a quotient of sums", "(x + b) / (1 + x.abs())", "y = (x + b) / (1 + tl.abs(x))",
         "y = tl.where(x - b == 0.0, x, (x + b) / (1 + tl.abs(x)))"),
    pair("a comparison", "torch.where(x >= b, x, -b)", "y = tl.where(x >= b, x, -b)", "y = tl.where(x > b, x, -b)"),
    pair("a product of rows", "(x * b).sum(1)", f"y = {summed('x * b')}",
         f"y = tl.where(tl.max(tl.where(inside, tl.abs(x - b), 0.0), axis=0) == 0.0, 1.0, {summed('x * b')})",
         out=SUMS, scalar=True),
    pair("a softened distance", "1 / (1 + (x - b) ** 2)", "d = x - b\ny = 1 / (1 + d * d)",
         "d = x - b\ny = tl.where(d == 0.0, 0.0, 1 / (1 + d * d))"),
    pair("a count", "(x <= b).sum(1).float()", f"y = {summed('tl.where(x <= b, 1.0, 0.0)')}",
         f"y = {summed('tl.where(x < b, 1.0, 0.0)')}", out=SUMS, scalar=True),
    pair("a gate", "x * torch.sigmoid(b)", "y = x / (1 + tl.exp(-b))", "y = tl.where(x == b, x, x / (1 + tl.exp(-b)))"),
]  # fmt: skip
TOP = "t = tl.max(tl.where(inside, x, -float('inf')), axis=0)\n"
LOW = TOP.replace("-float('inf')", "0.0")


def beside(name: str, forward: str, body: str, inputs: str = BESIDE, **more: object) -> Sibling:
    """What takes very negative rows of x, and none of b; the wrong one begins its maximum too high."""
    rows = ("x", "b")
    return Sibling(name, f"return {forward}", inputs, TOP + body, LOW + body, rows, **more)  # type: ignore[arg-type]


EXP = "e = tl.where(inside, tl.exp(x - t), 0.0)\ns = tl.sum(e, axis=0)\n"
ALONE = [
    beside("a root", "torch.softmax(x, 1) / b.sqrt()", EXP + "y = e / s / tl.sqrt_rn(b)"),
    beside("a logarithm", "torch.softmax(x, 1) + b.log()", EXP + "y = e / s + tl.log(b)"),
    beside("a power", "torch.softmax(x, 1) * b ** 1.5", EXP + "y = e / s * b * tl.sqrt_rn(b)"),
    beside("a reciprocal root", "torch.softmax(x, 1) * b.rsqrt()", EXP + "y = e / s / tl.sqrt_rn(b)"),
    beside("a maximum", "torch.amax(x, 1, keepdim=True) + b.sqrt()", "y = t + tl.sqrt_rn(b)"),
    beside("a sum of exponentials",
           "torch.logsumexp(x, 1, keepdim=True) + b.log()", EXP + "y = t + tl.log(s) + tl.log(b)"),
    beside("a log softmax", "torch.log_softmax(x, 1) - b.log()", EXP + "y = x - t - tl.log(s) - tl.log(b)"),
    beside("a mean of roots", "torch.softmax(x, 1) * b.sqrt().mean(1, keepdim=True)",
           EXP + "m = tl.sum(tl.where(inside, tl.sqrt_rn(b), 0.0), axis=0) / N\ny = e / s * m"),
]  # fmt: skip
LONG = "torch.empty(x.shape, dtype=torch.int64, device=x.device)"


def whole(name: str, forward: str, right: str, wrong: str) -> Sibling:
    """Whole numbers of 64 bits from floating ones."""
    return Sibling(name, f"return {forward}", "return [torch.randn(16, 24) * 10]", right, wrong, out=LONG)


FAR_OUT = [
    whole("rounded down",
          "torch.floor(x).long()", "y = tl.floor(x).to(tl.int64)", "y = tl.floor(x).to(tl.int32).to(tl.int64)"),
    whole("rounded up",
          "torch.ceil(x).long()", "y = tl.ceil(x).to(tl.int64)", "y = tl.ceil(x).to(tl.int32).to(tl.int64)"),
    whole("cut off", "x.long()", "y = x.to(tl.int64)", "y = x.to(tl.int32).to(tl.int64)"),
    whole("a size", "x.abs().long()", "y = tl.abs(x).to(tl.int64)", "y = tl.abs(x).to(tl.int32).to(tl.int64)"),
    whole("a half", "(x * 0.5).long()", "y = (x * 0.5).to(tl.int64)", "y = (x * 0.5).to(tl.int32).to(tl.int64)"),
    whole("without a sign", "torch.relu(x).long()", "y = tl.maximum(x, 0.0).to(tl.int64)",
          "y = tl.minimum(tl.maximum(x, 0.0), 2.0e9).to(tl.int64)"),
    whole("three times", "x.long() * 3", "y = x.to(tl.int64) * 3", "y = x.to(tl.int32).to(tl.int64) * 3"),
    whole("a sum", "x.long() + 1", "y = x.to(tl.int64) + 1", "y = (x.to(tl.int32) + 1).to(tl.int64)"),
]  # fmt: skip
ALL = [*SAME, *ALONE, *FAR_OUT]


@pytest.mark.parametrize("one", ALL, ids=[f"{number} {one.name}" for number, one in enumerate(ALL)])
def test_right_programs_are_told_from_wrong_ones(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)
