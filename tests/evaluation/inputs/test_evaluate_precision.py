"""What a tolerance for 16 bits hides until inputs raise it, values far out, and lanes that hold nothing."""

from collections.abc import Iterator

import pytest
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context

RUNGS = (Rung.PARSE, Rung.INTERPRET)
HALF = "return [torch.rand(6, 16384).half()]"
SHORT = "return [torch.rand(6, 4096).bfloat16()]"
_ROW = "torch.empty(x.shape[0], device=x.device, dtype=x.dtype)"
#: Adds up a row block by block in a dtype.
_LOOP = (
    "s = tl.zeros((64,), dtype=tl.{0})\nfor j in range(0, N, 64):\n"
    "    s += tl.load(x_ptr + row * N + j + tl.arange(0, 64)).to(tl.{0})\ny = tl.sum(s.to(tl.float32), axis=0)"
)

SUMS = [
    Sibling("sum", "return x.sum(1)", HALF, "y = tl.sum(x.to(tl.float32), axis=0)", "y = tl.sum(x, axis=0)",
            out=_ROW, scalar=True),
    Sibling("mean", "return x.mean(1)", HALF, "y = tl.sum(x.to(tl.float32), axis=0) / N",
            "y = tl.sum(x, axis=0).to(tl.float32) / N", out=_ROW, scalar=True),
    Sibling("sum of squares", "return (x.float() ** 2).sum(1).half()", HALF,
            "w = x.to(tl.float32)\ny = tl.sum(w * w, axis=0)", "y = tl.sum(x * x, axis=0)", out=_ROW, scalar=True),
    Sibling("block by block", "return x.sum(1)", HALF, _LOOP.format("float32"), _LOOP.format("float16"), out=_ROW,
            scalar=True),
    Sibling("block by block, bf16", "return x.sum(1)", SHORT, _LOOP.format("float32"), _LOOP.format("bfloat16"),
            out=_ROW, scalar=True),
    Sibling("weights", "return x @ self.w", HALF, "y = tl.sum(x.to(tl.float32) * w.to(tl.float32), axis=0)",
            "y = tl.sum(x * w, axis=0)", held=("w",), init="self.w = nn.Parameter(torch.rand(16384).half())", out=_ROW,
            scalar=True),
    Sibling("a mean removed", "return x - x.mean(1, keepdim=True) / 2", SHORT,
            "w = x.to(tl.float32)\ny = w - tl.sum(w, axis=0) / N / 2",
            _LOOP.format("bfloat16").replace("\ny = ", "\nm = ") + "\ny = x.to(tl.float32) - m / N / 2"),
]  # fmt: skip

X = "return [torch.randn(16, 32)]"
FAR = [
    Sibling("hypot", "return torch.hypot(x, x + 0 * x)", X,
            "b = tl.abs(x)\ny = b * 1.4142135623730951", "y = tl.sqrt(x * x + x * x)"),
    Sibling("absolute values", "return x.abs()", X, "y = tl.abs(x)", "y = tl.sqrt(x * x)"),
    Sibling("signs", "return torch.copysign(x, -x)", X, "y = -x", "y = -(x * x) / x"),
    Sibling("a maximum", "return torch.maximum(x, -x)", X, "y = tl.maximum(x, -x)",
            "y = tl.maximum(x, -x) + x * 1e-26 * x"),
    Sibling("a leaky slope", "return F.leaky_relu(x, 0.1)", X, "y = tl.where(x > 0, x, 0.1 * x)",
            "y = tl.where(x > 1e-20, x, tl.where(x < -1e-20, 0.1 * x, 0.0))"),
    Sibling("relu", "return torch.relu(x)", X, "y = tl.maximum(x, 0.0)", "y = tl.minimum(tl.maximum(x, 0.0), 1e20)"),
    Sibling("a half", "return x / 2", X, "y = x * 0.5", "y = (x * x) * 0.5 / x"),
    Sibling("differences", "return torch.sub(x, x, alpha=0.25)", X, "y = 0.75 * x",
            "y = 0.75 * (x + 1e-12) - 0.75e-12"),
]  # fmt: skip

_SUMS = "torch.empty(x.shape[0], device=x.device)"
ODD = "return [torch.randn(16, 50)]"
_OFF = "z = tl.load(x_ptr + row * N + i, mask=inside)\n"
_ON = "z = tl.load(x_ptr + row * N + i, mask=inside, other={})\n"
LANES = [
    Sibling("a sum", "return x.sum(1)", ODD, _ON.format("0.0") + "y = tl.sum(z, axis=0)",
            _OFF + "y = tl.sum(z, axis=0)", out=_SUMS, scalar=True),
    Sibling("a sum that leaves them out", "return x.sum(1)", ODD, _OFF + "y = tl.sum(tl.where(inside, z, 0.0), axis=0)",
            _OFF + "y = tl.sum(z * inside.to(tl.float32), axis=0)", out=_SUMS, scalar=True),
    Sibling("a maximum", "return x.abs().amax(1)", ODD, _ON.format("0.0") + "y = tl.max(tl.abs(z), axis=0)",
            _OFF + "y = tl.max(tl.where(z == z, tl.abs(z), 1e30), axis=0)", out=_SUMS, scalar=True),
    Sibling("a maximum that passes over NaN", "return x.amax(1)", ODD,
            "y = tl.max(tl.where(inside, x, -float('inf')), axis=0)", "y = tl.max(x, axis=0)", out=_SUMS, scalar=True),
    Sibling("a minimum", "return x.amin(1)", "return [torch.randn(16, 52)]",
            "y = tl.min(tl.where(inside, x, float('inf')), axis=0)", "y = tl.min(x, axis=0)", out=_SUMS, scalar=True),
    Sibling("a count", "return (x > 0).sum(1)", ODD, _ON.format("0.0") + "y = tl.sum((z > 0).to(tl.int64), axis=0)",
            _OFF + "y = 64 - tl.sum((z <= 0).to(tl.int64), axis=0)",
            out="torch.empty(x.shape[0], dtype=torch.int64, device=x.device)", scalar=True),
    Sibling("integers", "return x.sum(1)", "return [torch.randint(0, 9, (16, 50))]",
            _ON.format("0") + "y = tl.sum(z, axis=0)", _OFF + "y = tl.sum(z, axis=0)",
            out="torch.empty(x.shape[0], dtype=torch.int64, device=x.device)", scalar=True),
    Sibling("a mean", "return x.half().float().mean(1)", ODD,
            "y = tl.sum(tl.where(inside, x.to(tl.float16).to(tl.float32), 0.0), axis=0) / N",
            "y = tl.sum(x.to(tl.float16).to(tl.float32), axis=0) / N", out=_SUMS, scalar=True),
    Sibling("a running sum", "return x.cumsum(1)", ODD, "y = tl.cumsum(x, axis=0)",
            "y = tl.cumsum(x, axis=0, reverse=True)\ny = tl.max(tl.where(i == 0, y, -1e30), axis=0) - y + x"),
    Sibling("places", "return x.gather(1, m)", "return [torch.randn(16, 50), torch.randint(0, 50, (16, 50))]",
            "y = tl.load(x_ptr + row * N + m, mask=inside)", "y = tl.load(x_ptr + row * N + m)", ("x", "m")),
]  # fmt: skip

#: Numbers so small that a GPU's quick instructions take them for zero.
DENORMAL = [
    Sibling("sqrt", "return torch.sqrt(x.abs() * 1e-42)", X, "y = tl.sqrt_rn(tl.abs(x) * 1e-42)",
            "y = tl.sqrt(tl.abs(x) * 1e-42)"),
    Sibling("rsqrt", "return torch.rsqrt(x.abs() * 1e-40 + 1e-40)", X,
            "y = 1.0 / tl.sqrt_rn(tl.abs(x) * 1e-40 + 1e-40)",
            "y = tl.rsqrt(tl.abs(x) * 1e-40 + 1e-40)"),
]  # fmt: skip


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False) as evaluator:
        yield evaluator


@pytest.mark.parametrize("one", [*SUMS, *FAR, *LANES, *DENORMAL], ids=lambda one: f"{one.forward}: {one.name}")
def test_right_passes_and_wrong_does_not(one: Sibling, evaluator: LocalEvaluator) -> None:
    tell_apart(one, evaluator, (Status.MISMATCH, Status.RUNTIME_ERROR))


DOT = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(a_ptr, b_ptr, c_ptr, K: tl.constexpr):
    i = tl.arange(0, 16)
    j = tl.arange(0, K)
    a = tl.load(a_ptr + i[:, None] * K + j[None, :])
    b = tl.load(b_ptr + j[:, None] * 16 + i[None, :])
    tl.store(c_ptr + i[:, None] * 16 + i[None, :], tl.dot(a, b, out_dtype=tl.float32))


class ModelNew(nn.Module):
    def forward(self, a, b):
        c = torch.empty((16, 16), device=a.device, dtype=a.dtype)
        k[(1,)](a, b, c, K=2048)
        return c
"""
PRODUCT = """import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(16, 2048).half(), torch.randn(2048, 16).half()]
"""


def test_a_product_that_adds_up_in_16_bits_is_found_by_numbers_that_are_alike(evaluator: LocalEvaluator) -> None:
    reference = import_source(PRODUCT, "reference", shrink="never").reference
    assert evaluator.evaluate_text(DOT, reference, RUNGS).ok
    wrong = evaluator.evaluate_text(DOT.replace("tl.float32", "tl.float16"), reference, RUNGS)
    assert wrong.status is Status.MISMATCH, wrong


def test_a_tensor_without_dimensions_is_drawn_in_16_bits_too(evaluator: LocalEvaluator) -> None:
    scaled = PRODUCT.replace("a @ b", "a.exp() * b").replace("torch.randn(16, 2048)", "torch.tensor(0.25)")
    module = LowerInductor().run(import_source(scaled, "scaled", shrink="never"), Context())
    assert module.reference.tensors[0].shape == () and evaluator.evaluate(module, RUNGS).ok


def test_a_verdict_says_how_to_give_lanes_a_value(evaluator: LocalEvaluator) -> None:
    said = [evaluator.evaluate_text(one.program(one.wrong), one.reference, RUNGS).detail for one in (LANES[0], FAR[0])]
    assert ["unless it names `other`; add other=0.0" in detail for detail in said] == [True, False]


def test_lanes_are_blamed_for_no_other_fault(evaluator: LocalEvaluator) -> None:
    """A kernel that leaves lanes open where nothing reads them, and is wrong for another reason."""
    wrong = LANES[1].program("y = tl.sum(tl.where(inside, x * 1.5, 0.0), axis=0)")
    verdict = evaluator.evaluate_text(wrong, LANES[1].reference, RUNGS)
    assert verdict.status is Status.MISMATCH and "`other`" not in verdict.detail, verdict


def test_programs_that_are_not_of_one_scale_are_not_drawn_far_out(evaluator: LocalEvaluator) -> None:
    for forward, far in (("return x.abs()", True), ("return torch.tanh(x)", False), ("return x.std(1)", False),
                         ("return F.normalize(x)", False), ("return x * x / x.abs()", False)):  # fmt: skip
        reference = Sibling("one", forward, X, "").reference
        made = {one.draw.kind for one in evaluator.truth(reference, Rung.INTERPRET).passes}
        assert bool(made & {"huge", "tiny"}) is far, forward
