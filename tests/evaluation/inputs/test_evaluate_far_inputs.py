"""Inputs, weights and modes beyond those that a program starts with: what a kernel leaves out for them shows."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.evaluation.judge.local import LocalEvaluator

X = "return [torch.randn(16, 24)]"
PAIR = "return [torch.randn(16, 24), torch.randn(16, 24)]"
NARROW = "return [torch.randn(16, 64, dtype=torch.bfloat16)]"
GAIN = "self.w = nn.Parameter(torch.{}(24))"
NORM = "n = tl.sqrt(tl.sum(tl.where(inside, x * x, 0.0), axis=0))\n"
COUNT = "y = (x * 0).to(tl.int64)\nfor j in range(N):\n    y += (x {} tl.load(w_ptr + j)).to(tl.int64)"
SHIFTED = "e = tl.where(inside, tl.exp({0} - tl.max(tl.where(inside, {0}, -float('inf')), axis=0)), 0.0)\n"
PLAIN = "e = tl.where(inside, tl.exp({0}), 0.0)\n"
BEYOND = [
    Sibling("a norm that is at least 1e-12", "return F.normalize(x)", X,
            NORM + "y = x / tl.maximum(n, 1e-12)", NORM + "y = x / tl.where(n == 0, 1.0, n)"),
    Sibling("a similarity of short rows", "return x / x.norm(dim=1, keepdim=True).clamp_min(1e-8)", X,
            NORM + "y = x / tl.maximum(n, 1e-8)", NORM + "y = x / tl.maximum(n, 1e-12)"),
    Sibling("a column of zeros", "return x / (x.abs().sum(0, keepdim=True) + 1e-9)", X,
            "s = x * 0.0\nfor j in range(16):\n    s += tl.abs(tl.load(x_ptr + j * N + i, mask=inside, other=0.0))\n"
            "y = x / (s + 1e-9)",
            "s = x * 0.0\nfor j in range(16):\n    s += tl.abs(tl.load(x_ptr + j * N + i, mask=inside, other=0.0))\n"
            "y = x / s"),
    Sibling("scores below what masks are made of",
            "return torch.softmax(x.masked_fill(torch.arange(24, device=x.device) % 2 == 0, -torch.inf), 1)", X,
            "x = tl.where(i % 2 == 0, -float('inf'), x)\n" + SHIFTED.format("x") + "y = e / tl.sum(e, axis=0)",
            "x = tl.where(i % 2 == 0, -1e9, x)\n" + SHIFTED.format("x") + "y = e / tl.sum(e, axis=0)"),
    Sibling("a softmax of weights", "return x * torch.softmax(self.w, 0)", X,
            SHIFTED.format("w") + "y = x * e / tl.sum(e, axis=0)", PLAIN.format("w") + "y = x * e / tl.sum(e, axis=0)",
            held=("w",), init=GAIN.format("randn")),
    Sibling("weights in a range", "return x * self.w.clamp(-8.0, 8.0)", X,
            "y = x * tl.minimum(tl.maximum(w, -8.0), 8.0)", "y = x * w", held=("w",), init=GAIN.format("ones")),
    Sibling("a norm of weights", "return x * F.normalize(self.w, dim=0)", X,
            "n = tl.sqrt(tl.sum(tl.where(inside, w * w, 0.0), axis=0))\ny = x * w / tl.maximum(n, 1e-12)",
            "n = tl.sqrt(tl.sum(tl.where(inside, w * w, 0.0), axis=0))\ny = x * w / n",
            held=("w",), init=GAIN.format("randn")),
    Sibling("a number at an edge", "return torch.bucketize(x, self.w)", X, COUNT.format(">"), COUNT.format(">="),
            held=("w",), init="self.register_buffer('w', torch.linspace(-1, 1, 24))",
            out="torch.empty(x.shape, dtype=torch.int64, device=x.device)"),
    Sibling("a small part of two", "return x + 0.0005 * b",
            "return [torch.randn(16, 64, dtype=torch.bfloat16), torch.randn(16, 64, dtype=torch.bfloat16)]",
            "y = x + 0.0005 * b", "y = x", rows=("x", "b")),
    Sibling("a percent of 16 bits", "return x * 0.7071", NARROW, "y = x * 0.7071", "y = x * 0.7"),
    Sibling("a tail of 16 bits", "return F.gelu(x)", NARROW,
            "v = x.to(tl.float32)\ny = 0.5 * v * (1 + tl.erf(v * 0.7071067811865476))",
            "v = x.to(tl.float32)\ny = v / (1 + tl.exp(-1.702 * v))"),
    Sibling("a table's last row", "return self.w[x]", "return [torch.randint(0, 24, (16, 24)) // 2]",
            "y = tl.load(w_ptr + tl.where(x < 0, x + 24, x), mask=inside)",
            "y = tl.where(x == 23, 0.0, tl.load(w_ptr + tl.where(x < 0, x + 24, x), mask=inside))",
            held=("w",), init=GAIN.format("randn"), out="torch.empty(x.shape, device=x.device)"),
]  # fmt: skip


@pytest.mark.parametrize("one", BEYOND, ids=lambda one: one.name)
def test_what_far_inputs_and_weights_show(one: Sibling) -> None:
    with LocalEvaluator(seeds=1, seed=3, timeout_s=120, memory_gb=4, use_gpu=False) as evaluator:
        tell_apart(one, evaluator)
