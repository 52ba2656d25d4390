"""Rows of inputs and weights that are next to nothing, where inputs have few rows too."""

import pytest
from siblings import Sibling, find_right, tell_apart

from kernelwright.evaluation.judge.local import LocalEvaluator

ONE, RECORDING, X = (f"return [torch.randn({shape})]" for shape in ("1, 64", "64", "16, 64"))
LENGTH = "y = x / tl.maximum(tl.sqrt(tl.sum(x * x, axis=0)), {})"
LEVEL = "y = x * (0.9 / tl.maximum(tl.max(tl.abs(x), axis=0), {}))"
CLASSES = "v = tl.load(w_ptr + row * N + i)\ny = x * v / tl.maximum(tl.sqrt(tl.sum(v * v, axis=0)), {})"
PROGRAMS = [
    Sibling("the direction of one vector", "return F.normalize(x, dim=-1)", ONE, LENGTH.format("1e-12"),
            LENGTH.format("1e-8")),
    Sibling("the level of one recording", "return x * (0.9 / x.abs().max().clamp(min=1e-12))", RECORDING,
            LEVEL.format("1e-12"), LEVEL.format("1e-8")),
    Sibling("class vectors", "return x * F.normalize(self.w, dim=1)", X, CLASSES.format("1e-12"),
            CLASSES.format("1e-7"), held=("w",), init="self.w = nn.Parameter(torch.randn(16, 64))"),
]  # fmt: skip
#: Sizes that the reference adds hide what is next to nothing, and so does the rounding of 1.
RIGHT = [
    Sibling("a logarithm", "return torch.log1p(x * x)", ONE, "y = tl.log(1 + x * x)", "y = tl.log(x * x + 1.0)"),
    Sibling("a root mean square", "return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5)", ONE,
            "y = x * tl.rsqrt(tl.sum(x * x, axis=0) / N + 1e-5)", "y = x / tl.sqrt(tl.sum(x * x, axis=0) / N + 1e-5)"),
    Sibling("a softmax", "return torch.softmax(x, -1)", ONE,
            "e = tl.where(inside, tl.exp(x - tl.max(x, axis=0)), 0.0)\ny = e / tl.sum(e, axis=0)",
            "e = tl.where(inside, tl.exp2((x - tl.max(x, axis=0)) * 1.4426950408889634), 0.0)\n"
            "y = e / tl.sum(e, axis=0)"),
]  # fmt: skip


@pytest.mark.parametrize("one", PROGRAMS, ids=lambda one: one.name)
def test_floors_of_sizes_are_found(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        tell_apart(one, evaluator)


@pytest.mark.parametrize("one", RIGHT, ids=lambda one: one.name)
def test_what_next_to_nothing_leaves_of_larger_numbers_decides_nothing(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        find_right(one, evaluator)
