"""TF32 where a reference's numerics permit it and nowhere else: in what is right, in what is timed, in the caliber."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.backend.reference.tf32 import Eager, permitted, to_tf32
from kernelwright.evaluation.child.jobs import flags_for
from kernelwright.evaluation.judge.comparison import Timing
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.judge.program import Program
from kernelwright.evaluation.judge.truth import TF32_FACTOR
from kernelwright.evaluation.protocol.jobs import (
    RunReference,
    Sampling,
    TimeReference,
)
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import NUMERICS, Numerics, Tolerance

SUITE = Path(__file__).parents[1] / "suite"
CONV = (
    (SUITE / "references/convolution/conv2d.py").read_text(),
    (SUITE / "honest/convolution/conv2d_im2col.py").read_text(),
)
MATMUL = (
    (SUITE / "references/matmul/matmul.py").read_text(),
    (SUITE / "honest/matmul/tutorial_grouped_ieee.py").read_text(),
)
RUNGS = (Rung.PARSE, Rung.INTERPRET)
#: What becomes of `tl.dot(a, b, …)` on fp32 operands.
DOTS = {
    "ieee": 'input_precision="ieee"',
    "tf32": 'input_precision="tf32"',
}


def in_bf16(text: str) -> str:
    """The program with fp32 operands of its products rounded to bfloat16."""
    found = text.replace("tl.dot(a, b,", "tl.dot(a.to(tl.bfloat16).to(tl.float32), b.to(tl.bfloat16).to(tl.float32),")
    assert found != text
    return found


def variant(text: str, precision: str) -> str:
    if precision == "bf16":
        return in_bf16(text)
    assert DOTS["ieee"] in text
    return text.replace(DOTS["ieee"], DOTS[precision])


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    timing = Timing(("eager",), (2, 2), 0.5, samples=(6, 8), budget_s=0.5, warm_up_s=0.0, verify=1, facts=False)
    with LocalEvaluator(
        seeds=2, memory_gb=4, use_gpu=False, dialect=False, vocabulary=False, timing=timing
    ) as evaluator:
        yield evaluator


FP32 = tuple(numerics for numerics in NUMERICS if numerics != "bf16")
OUTCOMES = [
    *((CONV, "ieee", numerics, True) for numerics in FP32),
    (CONV, "tf32", "ieee", False),
    (CONV, "tf32", "torch", True),
    (CONV, "tf32", "tf32", True),
    *((CONV, "bf16", numerics, False) for numerics in FP32),
    (MATMUL, "ieee", "tf32", True),
    (MATMUL, "tf32", "torch", False),
    (MATMUL, "tf32", "tf32", True),
    (MATMUL, "bf16", "tf32", False),
]


@pytest.mark.parametrize(
    ("program", "precision", "numerics", "right"),
    OUTCOMES,
    ids=[f"{'conv' if p is CONV else 'matmul'}-{precision}-under-{n}" for p, precision, n, _ in OUTCOMES],
)
def test_products_are_right_at_the_precision_that_the_reference_has(
    evaluator: LocalEvaluator, program: tuple[str, str], precision: str, numerics: Numerics, right: bool
) -> None:
    reference = import_source(program[0], "reference", shrink="never", numerics=numerics).reference
    verdict = evaluator.evaluate_text(variant(program[1], precision), reference, RUNGS)
    assert verdict.status is (Status.OK if right else Status.MISMATCH), verdict
    assert (verdict.caliber["numerics"], verdict.caliber["tf32"]) == (numerics, numerics != "ieee")


SCALED = """import torch
import triton
import triton.language as tl


@triton.jit
def scaled(x_ptr, scale_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    product = tl.load(x_ptr + i, i < 300).to(tl.float32) * tl.load(scale_ptr + i, i < 300).to(tl.float32)
    tl.store(out_ptr + i, product, i < 300)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(300))

    def forward(self, x, k):
        return x * self.scale


class ModelNew(Model):
    def forward(self, x, k):
        out = torch.empty_like(x)
        scaled[(1,)](x, self.scale, out, BLOCK=512)
        return out


def get_inputs():
    return [torch.randn(300), torch.arange(3)]
"""


def test_a_program_and_its_candidate_are_cast_to_bf16(evaluator: LocalEvaluator) -> None:
    reference = import_source(SCALED, "reference", shrink="never", numerics="bf16").reference
    assert [spec.dtype for spec in reference.tensors] == ["bf16", "i64", "bf16"]
    assert [spec.dtype for spec in reference.outputs] == ["bf16"]
    verdict = evaluator.evaluate_text(SCALED, reference, RUNGS)
    assert verdict.status is Status.OK, verdict
    assert verdict.caliber["numerics"] == "bf16"
    wrong = SCALED.replace("(x, self.scale, out", "(x, self.scale * 1.01, out")
    assert evaluator.evaluate_text(wrong, reference, RUNGS).status is not Status.OK
    single = evaluator.evaluate_text(SCALED.replace("empty_like(x)", "empty(300, device=x.device)"), reference, RUNGS)
    assert single.status is Status.MISMATCH
    assert "f32 where the reference gives bf16" in single.detail


def test_an_error_counts_less_of_times_only_where_eager_rounds(evaluator: LocalEvaluator) -> None:
    for source, numerics, rounds in (
        (CONV[0], "ieee", False),
        (CONV[0], "torch", True),
        (MATMUL[0], "torch", False),
        (MATMUL[0], "tf32", True),
    ):
        reference = import_source(source, "reference", shrink="never", numerics=numerics).reference  # type: ignore[arg-type]
        truth = evaluator.truth(reference, Rung.INTERPRET)
        assert truth.tf32 is rounds
        assert truth.tolerance(reference).factor == (TF32_FACTOR if rounds else Tolerance().factor)
        strict = replace(reference, tolerance=Tolerance(factor=2.0))
        assert truth.tolerance(strict).factor == 2.0
        own = [expected.own.rms for one in truth.passes for expected in one.expected]
        assert (max(own) > 1e-4) if rounds else (max(own) < 1e-6)
        assert any("TF32" in note for note in truth.notes) is rounds


FLAGGED = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        flags = torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32
        if x.dtype == torch.float32 and flags != {wanted}:
            raise RuntimeError("it runs with the flags " + str(flags))
        return x * 2


def get_inputs():
    return [torch.randn(8, 16)]


def get_init_inputs():
    return []
"""
DOUBLE = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i) * 2)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        double[(1,)](x, out, BLOCK=128)
        return out
"""


@pytest.mark.parametrize(
    ("numerics", "wanted"), [("ieee", (False, False)), ("torch", (True, False)), ("tf32", (True, True))]
)
def test_checked_and_timed_references_run_with_their_flags(
    evaluator: LocalEvaluator, numerics: Numerics, wanted: tuple[bool, bool]
) -> None:
    with permitted(numerics, deterministic=False):
        source = FLAGGED.replace("{wanted}", str(wanted))
        reference = import_source(source, "reference", shrink="never", numerics=numerics).reference
    _, comparison, found = evaluator.compare(Program(DOUBLE, reference, externs=frozenset()), "cpu")
    assert found is not None, (comparison.failed, comparison.findings, comparison.notes)
    assert set(found["times_ms"]) == {"candidate", "eager"}, comparison.notes
    assert found["caliber"]["numerics"] == numerics


def test_flags_are_those_of_the_job_and_then_what_they_were() -> None:
    cudnn, products = torch.backends.cudnn, torch.backends.cuda.matmul

    def flags() -> tuple[bool, bool, bool]:
        return cudnn.allow_tf32, products.allow_tf32, cudnn.deterministic

    before = flags()
    with flags_for(RunReference({}, "torch", "cpu", 0, ())):
        assert flags() == (True, False, False)
        with permitted("ieee", deterministic=True):
            assert flags() == (False, False, True)
        assert flags() == (True, False, False)
    with flags_for(RunReference({}, "tf32", "cpu", 0, ())):
        assert flags() == (True, True, False)
    with flags_for(TimeReference({}, "ieee", "cpu", 0, (), "", Sampling())):
        assert flags() == (False, False, False)
    assert flags() == before


def test_rounding_is_to_the_nearest_of_ten_bits_ties_to_even() -> None:
    step = 2.0**-10
    given = torch.tensor([1 + step / 2, 1 + 3 * step / 2, -(1 + step / 2), 1 + 0.51 * step, 1 + 0.49 * step, 0.0])
    assert to_tf32(given).tolist() == [1.0, 1 + 2 * step, -1.0, 1 + step, 1.0, 0.0]
    assert to_tf32(given, cut=True).tolist() == [1.0, 1 + step, -1.0, 1.0, 1.0, 0.0]
    odd = torch.tensor([float("inf"), -float("inf"), float("nan")])
    assert to_tf32(odd)[:2].tolist() == odd[:2].tolist() and bool(to_tf32(odd)[2].isnan())
    values = torch.randn(64, 32).t()
    assert to_tf32(values).stride() == values.stride()
    assert torch.equal(to_tf32(to_tf32(values)), to_tf32(values))


@pytest.mark.parametrize(
    ("model", "shape", "convolutions", "products"),
    [
        (nn.Conv1d(4, 6, 3, groups=2), (2, 4, 9), True, True),
        (nn.ConvTranspose2d(4, 6, 3), (2, 4, 5, 5), True, True),
        (nn.Conv2d(4, 8, 3, groups=4), (2, 4, 6, 6), False, False),  # depthwise: no product
        (nn.Linear(4, 6), (3, 4), False, True),
        (nn.Linear(4, 6).double(), (3, 4), False, False),
        (nn.ReLU(), (3, 4), False, False),
    ],
    ids=["conv1d", "transposed", "depthwise", "linear", "fp64", "relu"],
)
def test_what_rounds_is_noticed(model: nn.Module, shape: tuple[int, ...], convolutions: bool, products: bool) -> None:
    dtype = next((value.dtype for value in model.parameters()), torch.float32)
    x = torch.randn(shape, dtype=dtype)
    for numerics, rounds in (("ieee", False), ("torch", convolutions), ("tf32", products)):
        with torch.no_grad():
            plain = model(x)
            with Eager(numerics) as mode:  # type: ignore[arg-type]
                rounded = model(x)
        assert mode.used is rounds
        assert torch.equal(plain, rounded) is not rounds
        assert torch.allclose(plain, rounded, atol=1e-2)


@pytest.mark.parametrize("running", [torch.cumsum, torch.cumprod])
def test_running_values_of_fp32_have_the_error_of_fp32(running: Callable[..., Tensor]) -> None:
    values = 1 + 0.1 * torch.rand(3, 200, generator=torch.Generator().manual_seed(0))
    with Eager("ieee"):
        found = running(values, 1)
        assert running(values[:, :0], 1).shape == (3, 0)
        assert torch.equal(running(values[:, :1], 1), values[:, :1])
        assert torch.equal(running(values.T, 0).T, found)
    exact = running(values.double(), 1)
    assert torch.allclose(found.double(), exact, rtol=1e-5)
    assert not torch.equal(found, exact.float())  # a CPU's own is that: it is joined in fp64
