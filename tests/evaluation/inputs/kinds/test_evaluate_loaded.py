"""Saved buffers that hold what files may put there: zeros, negative numbers and integers, another order and number."""

import pytest
from siblings import Sibling, find_right, tell_apart

from kernelwright.evaluation.judge.local import LocalEvaluator

X = "return [torch.randn(16, 64)]"
BUFFER = "self.register_buffer('w', torch.{})"
ONES, COUNTS = "ones(64)", "zeros(64, dtype=torch.int64)"
ROW = {"out": "torch.empty(x.shape[0], device=x.device)", "scalar": True}
SIGN = "y = tl.where(w > 0, x, tl.where(w < 0, -x, 0.0))"
FLOOR = "q = w // 4\ny = x + tl.where((w % 4 != 0) & (w < 0), q - 1, q)"


def held(name: str, forward: str, right: str, wrong: str, buffer: str, **more: object) -> Sibling:
    """What a program makes of a saved buffer `w`."""
    return Sibling(name, f"return {forward}", X, right, wrong, held=("w",), init=BUFFER.format(buffer), **more)


TABLE = [
    held("a deviation of zero", "x / torch.where(self.w == 0, torch.ones_like(self.w), self.w)",
         "y = x / tl.where(w == 0, 1.0, w)", "y = x / w", ONES),
    held("a node without neighbours", "x * self.w.pow(-0.5).masked_fill(self.w == 0, 0.0)",
         "y = tl.where(w == 0, 0.0, x / tl.sqrt(w))", "y = x / tl.sqrt(w)", ONES),
    held("a negative gain in a maximum", "(x * self.w).amax(1)", "y = tl.max(x * w, axis=0)",
         "y = tl.max(x * tl.abs(w), axis=0)", ONES, **ROW),
    held("a sign", "x * self.w.sign()", SIGN, "y = x", ONES),
    held("a gain that is taken into a bound", "x.clamp(min=0) * self.w", "y = tl.maximum(x, 0.0) * w",
         "y = tl.maximum(x * w, 0.0)", "linspace(2.0, 0.5, 64)"),
    held("the last of an order", "self.w.amax() - x", "y = tl.max(w, axis=0) - x", "y = tl.load(w_ptr + N - 1) - x",
         "linspace(-2.0, 2.0, 64)"),
    held("shares that sum to something else", "(x * self.w).sum(1) / self.w.abs().sum()",
         "y = tl.sum(x * w, axis=0) / tl.sum(tl.abs(w), axis=0)", "y = tl.sum(x * w, axis=0)",
         "arange(1, 65) / 2080", **ROW),
    held("halves that differ", "x * self.w", "y = x * w", "y = x * tl.load(w_ptr + i % 32)",
         "cat([torch.linspace(-1, 1, 32)] * 2)"),
    held("a mask of another size", "(x * self.w).sum(1) / self.w.sum().clamp(min=1)",
         "y = tl.sum(x * w, axis=0) / tl.maximum(tl.sum(w, axis=0), 1.0)", "y = tl.sum(x * w, axis=0) / 21.0",
         "arange(64) % 3 // 2 * 1.0", **ROW),
    held("a step that is rounded down", "x + torch.div(self.w, 4, rounding_mode='floor')", FLOOR, "y = x + w // 4",
         COUNTS),
    held("what is left of a negative number", "x + torch.remainder(self.w, 8)", "y = x + (w % 8 + 8) % 8",
         "y = x + w % 8", COUNTS),
    held("a zero point below zero", "x + self.w", "y = x + w", "y = x + w.to(tl.uint32, bitcast=True).to(tl.float32)",
         "zeros(64, dtype=torch.int32)"),
    held("a zero point of 8 bits", "x + self.w", "y = x + w", "y = x + w.to(tl.uint8, bitcast=True).to(tl.float32)",
         "zeros(64, dtype=torch.int8)"),
    held("a lag below zero", "torch.where(self.w >= 0, x, 0.0)", "y = tl.where(w >= 0, x, 0.0)", "y = x", COUNTS),
    held("the size of a count", "x * self.w.abs()", "y = x * tl.abs(w)", "y = x * w", COUNTS),
    held("a count that is bounded", "x * self.w.clamp(min=0)", "y = x * tl.maximum(w, 0)", "y = x * w", COUNTS),
    held("half of a count", "x + (self.w >> 1)", "y = x + (w >> 1)", "y = x + w // 2", COUNTS),
    held("signs of a table", "x * self.w.sign()", SIGN, "y = x", "arange(64) * 3 % 7 + 1"),
]  # fmt: skip
#: Right as far as the reference gives numbers, or takes it; both bodies are.
RIGHT = [
    held("a variance", "x / torch.sqrt(self.w + 1e-5)", "y = x / tl.sqrt(w + 1e-5)",
         "y = x / tl.sqrt(tl.abs(w) + 1e-5)", ONES),
    held("a logarithm", "x + self.w.log()", "y = x + tl.log(w)", "y = x + tl.log(tl.abs(w))", ONES),
    held("a divisor", "x / self.w", "y = x / w", "y = tl.where(w == 0, 1.0, x / w)", ONES),
    held("places", "x[:, self.w]", "y = tl.load(x_ptr + row * N + w)", "y = tl.load(x_ptr + row * N + w % N)",
         "zeros(64, dtype=torch.int64)"),
    held("a triangle", "x * self.w", "y = x * w", "y = tl.where(i < 32, x, 0.0)",
         "ones(64) * (1 - torch.arange(64) // 32)"),
    held("edges that are searched in", "torch.bucketize(x, self.w).float()",
         "e = tl.arange(0, 64)\nv = tl.load(w_ptr + e)\ny = tl.sum((v[None, :] < x[:, None]).to(tl.float32), axis=1)",
         "y = tl.zeros_like(x)\nfor e in range(N):\n    y = tl.where(tl.load(w_ptr + e) < x, e + 1.0, y)",
         "linspace(-2.0, 2.0, 64)"),
]  # fmt: skip


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one.name)
def test_saved_buffers_hold_what_files_may_hold(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        tell_apart(one, evaluator)


@pytest.mark.parametrize("one", RIGHT, ids=lambda one: one.name)
def test_buffers_are_as_far_from_their_beginning_as_the_reference_takes_them(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        find_right(one, evaluator)
