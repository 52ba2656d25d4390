"""Negative places: programs are asked for what the reference takes, and told which input held one."""

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
SOURCE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(20, 12))

    def forward(self, places):
        return self.table[places]


def get_inputs():
    return [torch.randint(0, 20, (17,))]


def get_init_inputs():
    return []
"""
PROGRAM = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def take(places, table, out, N, D: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    p = tl.load(places + row)
    p = tl.where(p < 0, p + N, p)
    tl.store(out + row * D + i, tl.load(table + p * D + i, mask=i < D, other=0.0), mask=i < D)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(20, 12))

    def forward(self, places):
        n, d = self.table.shape
        out = torch.empty((places.shape[0], d), dtype=self.table.dtype, device=places.device)
        take[(places.shape[0],)](places, self.table, out, n, d, triton.next_power_of_2(d))
        return out
"""


@pytest.mark.parametrize("dialect", [True, False])
def test_a_negative_place_is_named(dialect: bool) -> None:
    reference = import_source(SOURCE, "places", shrink="never").reference
    wraps = "    p = tl.where(p < 0, p + N, p)\n"
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=dialect) as evaluator:
        right = evaluator.evaluate_text(PROGRAM, reference, RUNGS)
        wrong = evaluator.evaluate_text(PROGRAM.replace(wraps, ""), reference, RUNGS)
    assert right.ok, right
    assert wrong.status is Status.RUNTIME_ERROR, wrong
    assert "before the start of table" in wrong.detail
    assert "; input places holds -" in wrong.detail
    assert "which the reference takes" in wrong.detail
