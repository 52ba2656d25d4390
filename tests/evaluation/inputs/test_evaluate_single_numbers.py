"""An integer alone in its tensor, such as a length or a count, also comes far from the one that `get_inputs` gives."""

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
SOURCE = (
    "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def forward(self, x, n):\n"
    "        i = torch.arange(24, device=x.device)\n        return {}\n\n\n"
    "def get_inputs():\n    return [torch.randn(16, 24), torch.tensor({})]\n"
)
PROGRAM = """import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, n_ptr, y_ptr, N, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    place = tl.program_id(0) * N + i
    x = tl.load(x_ptr + place, mask=i < N, other=0.0)
    n = tl.load(n_ptr)
    tl.store(y_ptr + place, {}, mask=i < N)


def forward(x, n):
    x = x.contiguous()
    y = torch.empty_like(x)
    k[(x.shape[0],)](x, n, y, x.shape[1], BLOCK=32)
    return y
"""
#: What the reference gives for x and a number n, the number, and the same in a kernel, right and wrong.
TABLE = {
    "a factor": ("x * n", "3", "x * n", "x * tl.minimum(n, 7)"),
    "a factor below zero": ("x * n", "3", "x * n", "x * tl.maximum(n, -7)"),
    "a sum": ("x + n", "3", "x + n", "x + tl.where(n > 100, 100, n)"),
    "a divisor": ("x / n.clamp(min=1)", "2", "x / tl.maximum(n, 1)", "x / tl.minimum(tl.maximum(n, 1), 64)"),
    "a length": ("torch.where(i < n, x, 0.0)", "5", "tl.where(i < n, x, 0.0)", "tl.where((i < n) & (i < 16), x, 0.0)"),
    "a length from the end": ("torch.where(i >= 24 - n, x, 0.0)", "5", "tl.where(i >= N - n, x, 0.0)",
                              "tl.where(i >= N - tl.minimum(n, 8), x, 0.0)"),
    "eight bits": ("x * n", "3", "x * n", "x * n.to(tl.int8)"),
    "parity": ("torch.where(n % 2 == 0, x, -x) + n", "3", "tl.where(n % 2 == 0, x, -x) + n",
               "tl.where(n % 2 == 0, x, -x) + tl.minimum(n, 50)"),
    "a step": ("torch.where(n > 50, x, x.abs())", "1", "tl.where(n > 50, x, tl.abs(x))", "tl.abs(x)"),
    "a magnitude": ("x * n.abs()", "3", "x * tl.abs(n)", "x * tl.where(n < -9, 9, tl.abs(n))"),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_a_number_alone_comes_far_from_the_given_one(name: str, evaluator: LocalEvaluator) -> None:
    forward, number, right, wrong = TABLE[name]
    reference = import_source(SOURCE.format(forward, number), "program", shrink="never").reference
    verdict = evaluator.evaluate_text(PROGRAM.format(right), reference, RUNGS)
    assert verdict.ok, verdict
    verdict = evaluator.evaluate_text(PROGRAM.format(wrong), reference, RUNGS)
    assert verdict.status is Status.MISMATCH, verdict
