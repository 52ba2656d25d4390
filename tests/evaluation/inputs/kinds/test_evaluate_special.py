"""Inputs that are special where weights are: on a row of them, zero with them, or whole numbers with them."""

import pytest
from siblings import Sibling, find_right, tell_apart

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

POINTS, X = "return [torch.randn(16, 16)]", "return [torch.randn(16, 64)]"
SHARES = "return [torch.rand(16, 64) + 0.05]"
ROW = {"out": "torch.empty(x.shape[0], device=x.device)", "scalar": True}
TABLE = "k = tl.arange(0, 8)\nt = tl.load(w_ptr + k[:, None] * N + i[None, :])\n"
APART = TABLE + "d = tl.sum((x[None, :] - t) * (x[None, :] - t), axis=1)\n"
COSINES = (
    TABLE + "d = tl.sum(x[None, :] * t, axis=1) / tl.maximum(tl.sqrt(tl.sum(x * x, axis=0)), 1e-12)\n"
    "d = d / tl.maximum(tl.sqrt(tl.sum(t * t, axis=1)), 1e-12)\n"
)
D = "d = (x[:, None] - self.w[None]).square().sum(-1)\n"
COS = "d = F.normalize(x) @ F.normalize(self.w).t()\n"


def point(name: str, made: str, forward: str, head: str, right: str, wrong: str) -> Sibling:
    """What a program makes of how far rows are from rows of a weight, or of their cosines: `d`."""
    init = "self.w = nn.Parameter(torch.randn(8, 16))"
    return Sibling(name, f"{made}return {forward}", POINTS, head + right, head + wrong, held=("w",), init=init, **ROW)


COINCIDING = [
    point("a point on an anchor", D, "(1 / (d.sqrt() + 1e-3)).amax(1)", APART,
          "y = tl.max(1 / (tl.sqrt(d) + 1e-3), axis=0)",
          "e = tl.sum(x * x, axis=0) + tl.sum(t * t, axis=1) - 2 * tl.sum(x[None, :] * t, axis=1)\n"
          "y = tl.max(1 / (tl.sqrt(tl.maximum(e, 0.0)) + 1e-3), axis=0)"),
    point("the nearest", D, "d.amin(1).log1p()", APART, "y = tl.log(1 + tl.min(d, axis=0))",
          "m = tl.min(d, axis=0)\ny = tl.where(m == 0, 1.0, tl.log(1 + m))"),
    point("a kernel of distances", D, "(-d).exp().amax(1)", APART, "y = tl.max(tl.exp(-d), axis=0)",
          "m = tl.max(tl.exp(-d), axis=0)\ny = tl.where(m > 0.999, 0.0, m)"),
    point("a row that is found", D, "(d == 0).any(1).float()", APART, "y = tl.max((d == 0).to(tl.float32), axis=0)",
          "y = 0.0"),
    point("a row that is found again", D, "(d < 1e-6).sum(1).float()", APART,
          "y = tl.sum((d < 1e-6).to(tl.float32), axis=0)", "y = 0.0"),
    point("parallel to a prototype", COS, "d.amax(1)", COSINES, "y = tl.max(d, axis=0)",
          "m = tl.max(d, axis=0)\ny = tl.where(m > 0.9999, 0.0, m)"),
    point("opposite to an axis", COS, "(1 / (1 + d).clamp(min=1e-3)).amax(1)", COSINES,
          "y = tl.max(1 / tl.maximum(1 + d, 1e-3), axis=0)", "y = tl.max(1 / (1 + d), axis=0)"),
    point("a sine that is bounded", COS, "(1 - d * d).clamp(min=1e-2).sqrt().amin(1)", COSINES,
          "y = tl.min(tl.sqrt(tl.maximum(1 - d * d, 1e-2)), axis=0)",
          "y = tl.min(tl.sqrt(tl.maximum(1 - d * d, 0.0)), axis=0)"),
]  # fmt: skip
ONES = "self.w = nn.Parameter(torch.ones(64))"


def both(name: str, forward: str, given: str, right: str, wrong: str) -> Sibling:
    """What a program makes of a learned vector `w` and an input beside it."""
    return Sibling(name, f"return {forward}", given, right, wrong, held=("w",), init=ONES)


TOGETHER = [
    both("no weight and no mass", "torch.xlogy(self.w, x)", SHARES, "y = tl.where(w == 0, 0.0, w * tl.log(x))",
         "y = w * tl.log(x)"),
    both("zero to the power of zero", "torch.pow(x, self.w)", SHARES, "y = libdevice.pow(x, w)",
         "y = tl.exp(w * tl.log(x))"),
    both("whole exponents of negative numbers", "torch.pow(x, self.w)", SHARES, "y = libdevice.pow(x, w)",
         "y = libdevice.pow(tl.abs(x), w)"),
    both("nothing at all", "torch.where((x == 0) & (self.w == 0), 1.0, x * self.w)", X,
         "y = tl.where((x == 0) & (w == 0), 1.0, x * w)", "y = x * w"),
    both("an angle of nothing", "torch.atan2(x, self.w)", X, "y = libdevice.atan2(x, w)",
         "y = tl.where((x == 0) & (w == 0), 1.0, libdevice.atan2(x, w))"),
    both("a vector of no length", "x / (x * x + self.w * self.w).sqrt().clamp(min=1e-12)", X,
         "y = x / tl.maximum(tl.sqrt(x * x + w * w), 1e-12)", "y = x / tl.sqrt(x * x + w * w)"),
    both("a harmonic mean of nothing", "x * self.w / (x.abs() + self.w.abs()).clamp(min=1e-12)", X,
         "y = x * w / tl.maximum(tl.abs(x) + tl.abs(w), 1e-12)", "y = x * w / (tl.abs(x) + tl.abs(w))"),
    both("the same number twice", "torch.where(x == self.w, 1.0, x * self.w)", X,
         "y = tl.where(x == w, 1.0, x * w)", "y = tl.where((x == w) & (x != 0), 1.0, x * w)"),
]  # fmt: skip
#: Right where the reference is a number and rounding does not decide; both bodies are.
RIGHT = [
    point("a distance", D, "d.amin(1)", APART, "y = tl.min(d, axis=0)", "y = -tl.max(-d, axis=0)"),
    point("a reciprocal of a distance", D, "(1 / d).amax(1)", APART, "y = tl.max(1 / d, axis=0)",
          "y = 1 / tl.min(d, axis=0)"),
    point("an angle", COS, "d.amax(1).clamp(max=0.999).acos()", COSINES,
          "y = libdevice.acos(tl.minimum(tl.max(d, axis=0), 0.999))",
          "c = tl.minimum(tl.max(d, axis=0), 0.999)\ny = libdevice.atan2(tl.sqrt(1 - c * c), c)"),
    both("a product", "x * self.w", X, "y = x * w", "y = w * x"),
]  # fmt: skip


@pytest.mark.parametrize("one", [*COINCIDING, *TOGETHER], ids=lambda one: one.name)
def test_inputs_are_special_where_weights_are(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        tell_apart(one, evaluator)


@pytest.mark.parametrize("one", RIGHT, ids=lambda one: one.name)
def test_what_the_reference_does_not_take_is_left_out(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        find_right(one, evaluator)


#: A base or an exponent that stands alone, in programs that are called with it.
ALONE = """\
import torch
import torch.nn as nn{imports}


{kernel}class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor({begin}))

    def forward(self, x):
{body}
"""
KERNEL = """\
@triton.jit
def k(x_ptr, w_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    w = tl.load(w_ptr)
    {made}
    tl.store(y_ptr + i, y)


"""
CASES = [
    ("torch.pow(self.w, x)", 0.9, "y = libdevice.pow(w, x)", "y = tl.exp(x * tl.log(w))"),
    ("torch.pow(x, self.w)", 3.0, "y = libdevice.pow(x, w)", "y = libdevice.pow(tl.abs(x), w)"),
    ("torch.softmax(x * self.w, 1)", 1.0, "a = x * w\ny = tl.exp(a - tl.max(a, axis=0))\ny = y / tl.sum(y, axis=0)",
     "y = tl.exp(w * (x - tl.max(x, axis=0)))\ny = y / tl.sum(y, axis=0)"),
]  # fmt: skip


@pytest.mark.parametrize(("forward", "begin", "right", "wrong"), CASES, ids=["base", "exponent", "temperature"])
def test_weights_that_stand_alone_are_negative_and_whole(forward: str, begin: float, right: str, wrong: str) -> None:
    source = ALONE.format(imports="", kernel="", name="Model", begin=begin, body=f"        return {forward}")
    inputs = "\n\ndef get_inputs():\n    return [torch.rand(16, 32) + 0.5]\n\n\ndef get_init_inputs():\n    return []\n"
    reference = import_source(source + inputs, "alone", shrink="never").reference
    imports = "\nimport triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice"
    body = "        y = torch.empty_like(x)\n        k[(16,)](x, self.w, y, BLOCK=32)\n        return y"
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        for made, status in ((right, "ok"), (wrong, "mismatch")):
            kernel = KERNEL.format(made=made.replace("\n", "\n    "))
            text = ALONE.format(imports=imports, kernel=kernel, name="ModelNew", begin=begin, body=body)
            verdict = evaluator.evaluate_text(text, reference, (Rung.PARSE, Rung.INTERPRET))
            assert verdict.status.value == status, verdict
