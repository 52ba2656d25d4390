"""Any Python may look at addresses: inputs also begin elsewhere than at multiples of 16 bytes."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
SOURCE = (
    "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
    "    def forward(self, x):\n        return x * 2\n"
    "\n\ndef get_inputs():\n    return [torch.randn(32, 32)]\n"
)
PROGRAM = """import torch
import torch.nn as nn
import triton
import triton.language as tl


{decorator}@triton.jit
def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr, LEFT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n - LEFT, other=0.0) * 2, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        k[(4,)](x, y, x.numel(), BLOCK=256{given})
        return y
"""
#: What says how many elements are left out, in a heuristic of the kernel and in host code.
WRONG = {
    "16 bytes": ('lambda a: 4 if a["x_ptr"].data_ptr() % 16 else 0', "4 if x.data_ptr() % 16 else 0"),
    "8 bytes": ('lambda a: 1 if a["x_ptr"].data_ptr() % 8 else 0', "1 if x.data_ptr() % 8 else 0"),
    "a vector": ('lambda a: a["x_ptr"].data_ptr() // 4 % 4', "x.data_ptr() // 4 % 4"),
    "bits": ('lambda a: a["x_ptr"].data_ptr() & 15', "x.data_ptr() & 15"),
}
RIGHT = {
    "a block": ('lambda a: 0 if a["x_ptr"].data_ptr() % 16 else 0', "0 if x.data_ptr() % 16 else 0"),
    "none": ("lambda a: 0", "0"),
    "elements": ('lambda a: a["x_ptr"].data_ptr() % 4', "x.data_ptr() % 4"),
    "outputs": ('lambda a: a["y_ptr"].data_ptr() % 16', "y.data_ptr() % 16"),
}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False, rehearsals=8
    ) as evaluator:
        yield evaluator


@pytest.mark.parametrize("place", ["kernel", "host"])
@pytest.mark.parametrize("name", [*WRONG, *RIGHT])
def test_programs_are_right_wherever_inputs_begin(name: str, place: str, evaluator: LocalEvaluator) -> None:
    heuristic, number = (WRONG | RIGHT)[name]
    decorator = f'@triton.heuristics({{"LEFT": {heuristic}}})\n' if place == "kernel" else ""
    text = PROGRAM.format(decorator=decorator, given="" if decorator else f", LEFT={number}")
    verdict = evaluator.evaluate_text(text, import_source(SOURCE, "program", shrink="never").reference, RUNGS)
    assert verdict.ok if name in RIGHT else verdict.status is Status.MISMATCH, verdict
