"""One element far beyond all others in a row, and inputs whose squares overflow, in programs that add numbers up."""

import pytest
import torch
from siblings import Sibling, find_right, tell_apart

from kernelwright.evaluation.inputs.kinds.spikes import SPIKE, spiked
from kernelwright.evaluation.judge.local import LocalEvaluator

X = "return [torch.randn(12, 48)]"
ROW = "torch.empty(x.shape[0], device=x.device)"
EARLIER = (
    "y = x * 0.0\nfor j in range(N):\n    w = tl.exp2(-tl.abs(i - j).to(tl.float32))\n"
    "    y += tl.where({}, w * tl.load(x_ptr + row * N + j), 0.0)"
)
TIMES = "t = torch.arange(48, device=x.device)\nd = t[:, None] - t\n"
RANK = (
    "c = i * 0\nfor j in range(N):\n    b = tl.load(x_ptr + row * N + j)\n"
    "    c += ((b < x) | ((b == x) & (j < i))).to(tl.int32)\n"
)
BISECTION = (
    "low = tl.min(tl.where(inside, x, float('inf')), axis=0)\n"
    "high = tl.max(tl.where(inside, x, -float('inf')), axis=0)\n"
    "for _ in range(40):\n    mid = 0.5 * low + 0.5 * high\n"
    "    enough = tl.sum((inside & (x <= mid)).to(tl.int32), axis=0) >= {0}\n"
    "    high = tl.where(enough, mid, high)\n    low = tl.where(enough, low, mid)\n"
    "y = tl.max(tl.where(inside & (x <= high), x, -float('inf')), axis=0)"
)
LARGEST = "m = tl.max(tl.where(inside, x, -float('inf')), axis=0)\n"
SQUARES = "s = tl.sqrt(tl.sum(tl.where(inside, x * x, 0.0), axis=0))\n"
CLIPPED = "y = tl.sum(tl.where(inside, {}, 0.0), axis=0) / N"


def ranked(name: str, forward: str, place: int) -> Sibling:
    """An element by its place in order; the wrong program halves the range of a row forty times."""
    right = RANK + f"y = tl.sum(tl.where(inside & (c == {place}), x, 0.0), axis=0)"
    return Sibling(name, f"return {forward}", X, right, BISECTION.format(place + 1), out=ROW, scalar=True)


SPIKED = [
    ranked("a median", "x.median(1).values", 23),
    ranked("a quarter", "x.kthvalue(12, 1).values", 11),
    ranked("an element in order", "x.sort(1).values[:, 30]", 30),
    Sibling("what decays", TIMES + "return x @ torch.where(d >= 0, 2.0 ** -d.abs(), 0.0).T", X,
            EARLIER.format("j <= i"), EARLIER.format("(j <= i) & (j > i - 28)")),
    Sibling("what is weighted by how far it is", TIMES + "return x @ 2.0 ** -d.abs().float()", X,
            EARLIER.format("j < N"), EARLIER.format("tl.abs(i - j) < 28")),
    Sibling("the second largest", "return x.topk(2, 1).values[:, 1]", X,
            RANK + "y = tl.sum(tl.where(inside & (c == N - 2), x, 0.0), axis=0)",
            LARGEST + "y = tl.max(tl.where(inside, tl.where(x == m, x - 1e9, x), -float('inf')), axis=0)",
            out=ROW, scalar=True),
    Sibling("a mean of clipped numbers", "return x.clamp(-2.0, 2.0).mean(1)", X,
            CLIPPED.format("tl.minimum(tl.maximum(x, -2.0), 2.0)"),
            CLIPPED.format("x - tl.maximum(x - 2.0, 0.0) - tl.minimum(x + 2.0, 0.0)"), out=ROW, scalar=True),
    Sibling("a share of a length", "return x / (1.0 + x.square().sum(1, keepdim=True).sqrt())", X,
            SQUARES + "y = x / (1.0 + s)", SQUARES + "y = x / (1.0 + tl.minimum(s, 1e12))"),
    Sibling("a share of the largest", "return x / (1.0 + x.amax(1, keepdim=True).abs())", X,
            LARGEST + "y = x / (1.0 + tl.abs(m))", LARGEST + "y = x / (1.0 + tl.minimum(tl.abs(m), 1e12))"),
]  # fmt: skip
SIZE = "m = tl.max(tl.where(inside, tl.abs(x), 0.0), axis=0)\nm = tl.where(m > 0, m, 1.0)\n"
SCALED = SIZE + "s = tl.sqrt(tl.sum(tl.where(inside, x / m * (x / m), 0.0), axis=0))\n"
SIZES = "m = x.abs().amax(1, keepdim=True)\nm = torch.where(m > 0, m, 1.0)\ns = (x / m).square()\n"


def long(name: str, forward: str, right: str, wrong: str, scalar: bool = False) -> Sibling:
    """What needs the length of a row; the wrong program adds up squares that overflow."""
    out = ROW if scalar else "torch.empty_like(x)"
    return Sibling(name, SIZES + f"return {forward}", X, SCALED + right, SQUARES + wrong, out=out, scalar=scalar)


OVERFLOWING = [
    long("rows of length one", "x / m / s.sum(1, keepdim=True).sqrt().clamp_min(1e-30)",
         "y = x / m / tl.maximum(s, 1e-30)", "y = x / tl.maximum(s, 1e-30)"),
    long("a length", "m[:, 0] * s.sum(1).sqrt()", "y = m * s", "y = s", True),
    long("the size of a row", "m[:, 0] * s.mean(1).sqrt()", "y = m * s / tl.sqrt(N.to(tl.float32))",
         "y = s / tl.sqrt(N.to(tl.float32))", True),
    long("the largest part of a length", "1.0 / (1e-30 + s.sum(1).sqrt())", "y = 1.0 / (1e-30 + s)",
         SIZE + "y = m / (1e-30 + s)", True),
]  # fmt: skip


@pytest.mark.parametrize("one", [*SPIKED, *OVERFLOWING], ids=lambda one: one.name)
def test_one_element_may_be_far_beyond_all_others(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator)


CENTRED = "d = tl.where(inside, x - tl.sum(tl.where(inside, x, 0.0), axis=0) / N, 0.0)\n"
#: In each pair both are right: where eager overflows or loses digits, other orders of a sum may.
RIGHT = [
    Sibling("a variance", "return F.layer_norm(x, (48,))", X,
            CENTRED + "y = d * tl.rsqrt(tl.sum(d * d, axis=0) / N + 1e-5)",
            CENTRED + "y = d / tl.sqrt(tl.sum(d * (d / N), axis=0) + 1e-5)"),
    Sibling("a norm", "return F.normalize(x)", X, SQUARES + "y = x / tl.maximum(s, 1e-12)",
            "s = tl.sum(tl.where(inside, x * x, 0.0), axis=0)\ny = x * tl.rsqrt(tl.maximum(s, 1e-24))"),
    Sibling("a softmax", "return torch.softmax(x, 1)", X,
            LARGEST + "e = tl.where(inside, tl.exp(x - m), 0.0)\ny = e / tl.sum(e, axis=0)",
            LARGEST + "e = tl.where(inside, tl.exp2(1.4426950408889634 * (x - m)), 0.0)\ny = e / tl.sum(e, axis=0)"),
    Sibling("a product", "return x * x.mean(1, keepdim=True)", X,
            "y = x * (tl.sum(tl.where(inside, x, 0.0), axis=0) / N)",
            "y = tl.sum(tl.where(inside, x / N, 0.0), axis=0) * x"),
]  # fmt: skip


@pytest.mark.parametrize("one", RIGHT, ids=lambda one: one.name)
def test_right_programs_may_add_up_in_other_ways(one: Sibling, evaluator: LocalEvaluator) -> None:
    find_right(one, evaluator)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (5, 1), (9, 33), (2, 3, 4)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_spikes_fit_all_inputs(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    made = spiked(torch.randn(shape, dtype=dtype), (SPIKE,)).to(dtype)
    assert made.shape == shape and made.isfinite().all()
    if shape == (9, 33):
        far = made.abs().double() > 1e4
        assert (far.sum(1) == torch.tensor([1, 1, 1, 0, 1, 1, 1, 0, 1])).all()
