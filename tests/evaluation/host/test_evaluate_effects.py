"""What a call leaves behind in the process besides its results."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\n"
    "def get_inputs():\n    return [torch.randn(100)]\n\n\ndef get_init_inputs():\n    return []\n",
    "double",
).reference

PROGRAM = """import os
import random
import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl

os.environ["OMP_NUM_THREADS"] = "1"


@triton.jit
def k(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        {effect}
        y = torch.empty_like(x)
        k[(2,)](x, y, x.numel(), B=64)
        return y
"""
LEFT = (
    "torch.set_grad_enabled(False)",
    "torch.manual_seed(0)",
    "random.seed(0)",
    "torch.set_default_dtype(torch.float64)",
    "os.environ['CUDA_VISIBLE_DEVICES'] = ''",
    "os.environ.pop('OMP_NUM_THREADS', None)",
    "torch.relu = torch.sigmoid",
    "F.gelu = F.silu",
    "torch.Tensor.mean = torch.Tensor.sum",
    "os.chdir('/')",
)
CLEAN = (
    "pass",
    "torch.set_float32_matmul_precision('high')",
    "torch.no_grad().__enter__() if False else None",
    "self.calls = getattr(self, 'calls', 0) + 1",
    "os.environ.get('HOME')",
    "relu = torch.relu",
    "random.Random(0).random()",
    "with torch.no_grad(): torch.get_default_dtype()",
    "import fractions",
)


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, rehearsals=8) as evaluator:
        yield evaluator


@pytest.mark.parametrize("effect", LEFT)
def test_a_call_leaves_the_process_as_it_was(effect: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(effect=effect), REFERENCE, RUNGS)
    assert verdict.status is Status.RUNTIME_ERROR and "which the whole process shares" in verdict.detail, verdict


@pytest.mark.parametrize("effect", CLEAN)
def test_and_may_do_what_nobody_notices(effect: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(PROGRAM.format(effect=effect), REFERENCE, RUNGS)
    assert verdict.ok, verdict
