"""Tensors that a program makes for itself may have dtypes that no input or output has."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.COMPILE, Rung.INTERPRET)


@pytest.fixture(scope="module", params=[True, False], ids=["dialect", "any python"])
def evaluator(request: pytest.FixtureRequest) -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=request.param) as evaluator:
        yield evaluator


def reference(body: str) -> Reference:
    source = (
        "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def forward(self, x):\n"
        f"        return {body}\n\n\ndef get_inputs():\n    return [torch.randn(130)]\n\n\n"
        "def get_init_inputs():\n    return []\n"
    )
    return import_source(source, "inner", shrink="never").reference


def program(dtype: str, stored: str, host: str = "{empty}") -> str:
    """Puts `stored` into memory of that dtype and reads it from there; `host` makes the memory."""
    made = host.format(empty=f"torch.empty(x.shape, dtype={dtype}, device=x.device)", dtype=dtype)
    return f"""import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def put(x_ptr, s_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(s_ptr + i, ({stored}).to(s_ptr.dtype.element_ty), mask=i < n)


@triton.jit
def take(s_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(s_ptr + i, mask=i < n).to(tl.float32), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        n = x.numel()
        y = torch.empty_like(x)
        s = {made}
        put[(triton.cdiv(n, 64),)](x, s, n, B=64)
        take[(triton.cdiv(n, 64),)](s, y, n, B=64)
        return y
"""


_CLAMPED = "tl.clamp(x, -448.0, 448.0)"
_WHOLE = "tl.floor(tl.minimum(tl.abs(x) * 8, 60000.0))"
_BYTES = "torch.empty(x.shape, dtype=torch.uint8, device=x.device).view({dtype})"
CASES = {
    "e4m3": (program("torch.float8_e4m3fn", _CLAMPED), "x.clamp(-448, 448).to(torch.float8_e4m3fn).float()"),
    "e5m2": (program("torch.float8_e5m2", _CLAMPED), "x.clamp(-448, 448).to(torch.float8_e5m2).float()"),
    "bytes as e4m3": (
        program("torch.float8_e4m3fn", _CLAMPED, _BYTES),
        "x.clamp(-448, 448).to(torch.float8_e4m3fn).float()",
    ),
    "zeros": (
        program("torch.float8_e4m3fn", _CLAMPED, "torch.zeros(x.shape, dtype={dtype}, device=x.device)"),
        "x.clamp(-448, 448).to(torch.float8_e4m3fn).float()",
    ),
    "of an input": (
        program("torch.float8_e5m2", _CLAMPED, "x.new_empty(x.shape, dtype={dtype})"),
        "x.clamp(-448, 448).to(torch.float8_e5m2).float()",
    ),
    "uint16": (program("torch.uint16", _WHOLE), "(x.abs() * 8).clamp(max=60000).floor()"),
    "uint32": (program("torch.uint32", _WHOLE), "(x.abs() * 8).clamp(max=60000).floor()"),
    "uint64": (program("torch.uint64", _WHOLE), "(x.abs() * 8).clamp(max=60000).floor()"),
}


@pytest.mark.parametrize("name", CASES)
def test_scratch_of_other_dtypes_is_judged_as_it_is(name: str, evaluator: LocalEvaluator) -> None:
    text, body = CASES[name]
    right = evaluator.evaluate_text(text, reference(body), RUNGS)
    assert right.ok, right
    unrounded = body.partition(".to(")[0] if ".to(" in body else body.replace(".floor()", "")
    wrong = evaluator.evaluate_text(text, reference(unrounded), RUNGS)
    assert wrong.status is Status.MISMATCH, wrong


def test_an_output_of_such_a_dtype_is_named(evaluator: LocalEvaluator) -> None:
    text, body = CASES["e4m3"]
    verdict = evaluator.evaluate_text(text.replace("return y", "return s"), reference(body), RUNGS)
    assert verdict.status is Status.RUNTIME_ERROR, verdict
    assert "output 0 is torch.float8_e4m3fn, which no reference gives" in verdict.detail
