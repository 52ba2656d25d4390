"""Infinities among weights, and among inputs where a program leaves elements out."""

import pytest
from siblings import Sibling, find_right, tell_apart

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.evaluation.inputs.drawing import Drawing
from kernelwright.evaluation.inputs.draws import Draw
from kernelwright.evaluation.judge.local import LocalEvaluator

X, PAIR = "return [torch.randn(16, 64)]", "return [torch.randn(16, 64), torch.randn(16, 64)]"
MASKED = "return [torch.randn(16, 64), torch.rand(16, 64) < 0.7]"
LENGTHS = "return [torch.randn(16, 64), torch.randint(5, 60, (16,), dtype=torch.int32)]"
THREE = "return [torch.randn(16, 64), torch.randn(16, 64), torch.rand(16, 64) < 0.7]"
ROW = {"out": "torch.empty(x.shape[0], device=x.device)", "scalar": True}
INF = "float('inf')"
BLOCKS = (
    "a = x + w\nm = tl.max(tl.where(i < 16, a, -float('inf')), axis=0)\n"
    "s = tl.sum(tl.where(i < 16, tl.exp(a - m), 0.0), axis=0)\nn = tl.max(a, axis=0)\n"
    "s = s * tl.exp(m - n) + tl.sum(tl.where(i < 16, 0.0, tl.exp(a - n)), axis=0)\n"
)
PLAIN = "a = x + w\nn = tl.max(a, axis=0)\ns = tl.sum(tl.exp(a - n), axis=0)\n"
ROWS = PLAIN.replace("x + w", "x + tl.load(w_ptr + row * N + i)")


def weight(name: str, forward: str, right: str, wrong: str, init: str, **more: object) -> Sibling:
    return Sibling(name, f"return {forward}", X, right, wrong, held=("w",), init=init, **more)


ZEROS, ONES = "self.w = nn.Parameter(torch.zeros(64))", "self.register_buffer('w', torch.ones(64))"
WEIGHTS = [
    weight("a threshold", "torch.where(x > self.w, x - self.w, 0.0)", "y = tl.where(x > w, x - w, 0.0)",
           "y = (x - w) * (x > w)", ZEROS),
    weight("a bound from above", "torch.minimum(x, self.w)", "y = tl.minimum(x, w)",
           "y = tl.where(x < w, x, 0.0) + w * (x >= w)", ONES),
    weight("a bound from below", "torch.maximum(x, self.w)", "y = tl.maximum(x, w)",
           "y = tl.where(x > w, x, 0.0) + w * (x <= w)", ZEROS),
    weight("hidden keys", "torch.softmax(x + self.w, 1)", PLAIN + "y = tl.exp(a - n) / s",
           BLOCKS + "y = tl.exp(a - n) / s", ZEROS),
    weight("banned tokens", "torch.log_softmax(x + self.w, 1)", PLAIN + "y = a - n - tl.log(s)",
           BLOCKS + "y = a - n - tl.log(s)", ZEROS),
    weight("keys that are hidden from some", "torch.softmax(x + self.w, 1)", ROWS + "y = tl.exp(a - n) / s",
           ROWS + "y = tl.where(a == -float('inf'), 1.0, tl.exp(a - n) / s)",
           "self.register_buffer('w', torch.zeros(16, 64))"),
    weight("the logarithm of a factor", "x * self.w.exp()", "y = x * tl.exp(w)",
           f"y = tl.where(w == -{INF}, x, x * tl.exp(w))", ZEROS),
    weight("a divisor", "x / self.w", "y = x / w", f"y = tl.where(w == {INF}, x, x / w)", ONES),
    weight("the largest", "(x + self.w).amax(1)", "y = tl.max(x + w, axis=0)",
           "a = x + w\nm = tl.max(a, axis=0)\ny = tl.sum(a * (a == m), axis=0)", ZEROS, **ROW),
]  # fmt: skip
SUM = "y = tl.sum({}, axis=0)"
INPUTS = [
    Sibling("a masked sum", "return torch.where(b, x, 0.0).sum(1)", MASKED, SUM.format("tl.where(b, x, 0.0)"),
            SUM.format("x * b"), rows=("x", "b"), **ROW),
    Sibling("a masked error", "return torch.where(b, x - t, 0.0).square().sum(1)", THREE,
            SUM.format("tl.where(b, (x - t) * (x - t), 0.0)"), SUM.format("(x - t) * (x - t) * b"),
            rows=("x", "t", "b"), **ROW),
    Sibling("what lies behind a length", "on = torch.arange(64, device=x.device)[None] < c[:, None]\n"
            "return torch.where(on, x, 0.0).square().sum(1)", LENGTHS, SUM.format("tl.where(i < c, x * x, 0.0)"),
            SUM.format("x * x * (i < c)"), row=("c",), **ROW),
    Sibling("columns that are not read", "return x[:, :40].sum(1)", X, SUM.format("tl.where(i < 40, x, 0.0)"),
            SUM.format("x * (i < 40)"), **ROW),
    Sibling("a cap that names infinities", "return torch.where(x.isinf(), 2.0, x.clamp(max=1.0)) * b", PAIR,
            f"y = tl.where(tl.abs(x) == {INF}, 2.0, tl.minimum(x, 1.0)) * b",
            "y = (x * (x < 1) + 1.0 * (x >= 1)) * b", rows=("x", "b")),
    Sibling("a floor that names infinities", "return torch.where(x.isinf(), 2.0, x.clamp(min=0))", X,
            f"y = tl.where(tl.abs(x) == {INF}, 2.0, tl.where(x < 0, 0.0, x))", "y = x * (x > 0)"),
    Sibling("a hinge that names infinities", "return torch.where(x.isinf(), 2.0, (1 - x).clamp(min=0))", X,
            f"y = tl.where(tl.abs(x) == {INF}, 2.0, tl.where(x > 1, 0.0, 1 - x))", "y = (1 - x) * (x < 1)"),
    Sibling("a distance with a cutoff", "return torch.where(x < 1, (1 - x) * (1 - x), 0.0)",
            "return [torch.rand(16, 64) * 3]", "y = tl.where(x < 1, (1 - x) * (1 - x), 0.0)",
            "y = (1 - x) * (1 - x) * (x < 1)"),
]  # fmt: skip
#: Infinities are nobody's matter where the reference makes NaN of them, or computes by element and names none.
RIGHT = [
    Sibling("a floor", "return x.clamp(min=0)", X, "y = tl.maximum(x, 0.0)", "y = x * (x > 0)"),
    Sibling("a cap", "return x.clamp(max=1.0) * b", PAIR, "y = tl.minimum(x, 1.0) * b",
            "y = (x * (x < 1) + 1.0 * (x >= 1)) * b", rows=("x", "b")),
    Sibling("a product with a mask", "return (x * b).sum(1)", MASKED, SUM.format("x * b"),
            SUM.format("tl.where(b, x, 0.0)"), rows=("x", "b"), **ROW),
    Sibling("a gate of itself", "return x * torch.sigmoid(x)", X, "y = x * tl.sigmoid(x)", "y = x / (1 + tl.exp(-x))"),
    Sibling("a norm", "return x / x.abs().amax(1, keepdim=True)", X, "y = x / tl.max(tl.abs(x), axis=0)",
            "y = x * (1 / tl.max(tl.abs(x), axis=0))"),
    weight("a gain", "x * self.w", "y = x * w", f"y = tl.where(tl.abs(w) == {INF}, 0.0, x * w)", ONES),
]  # fmt: skip


@pytest.mark.parametrize("one", [*WEIGHTS, *INPUTS], ids=lambda one: one.name)
def test_infinities_are_drawn_where_outputs_stay_numbers(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        tell_apart(one, evaluator)


@pytest.mark.parametrize("one", RIGHT, ids=lambda one: one.name)
def test_infinities_are_left_out_elsewhere(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        find_right(one, evaluator)


def test_places_among_infinite_numbers_are_no_whole_numbers_of_them() -> None:
    one = Sibling("a gap", "return torch.where(x < x.median(1, keepdim=True).values, x, 0.0).clamp(min=-1)", X, "")
    program = ReferenceProgram.load(one.reference)
    drawing = Drawing.of(program, 0, "cpu")
    assert drawing.inputs(program.build(0), Draw(0, "infinite")) is not None
    cast = Sibling("whole", "return x.clamp(max=3).long() + (x.long() >> 60)", X, "")
    program = ReferenceProgram.load(cast.reference)
    assert Drawing.of(program, 0, "cpu").inputs(program.build(0), Draw(0, "infinite")) is None
