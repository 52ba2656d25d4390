"""What a call returned belongs to its caller, however many calls come after it."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.protocol.link import results_kept
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
REFERENCE = import_source(
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\n"
    "def get_inputs():\n    return [torch.randn(64)]\n\n\ndef get_init_inputs():\n    return []\n",
    "double",
).reference

PROGRAM = """import sys
import weakref
import torch
import torch.nn as nn
import triton
import triton.language as tl

RING, TABLE, COUNT = [], {{}}, [0]


@triton.jit
def k(x_ptr, y_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i) * 2)


def ring(x, count):
    COUNT[0] += 1
    while len(RING) < count:
        RING.append(torch.empty_like(x))
    return RING[COUNT[0] % count]


def kept(key, x):
    if key not in TABLE:
        TABLE[key] = torch.empty_like(x)
    return TABLE[key]


def of(x):
    if not hasattr(x, "_result"):
        x._result = torch.empty_like(x)
    return x._result


def free(x):
    for one in RING:
        if sys.getrefcount(one) == 3:
            return one
    RING.append(torch.empty_like(x))
    return RING[-1]


class ModelNew(nn.Module):
    def forward(self, x):
        y = {out}
        k[(1,)](x, y, B=64)
        return y
"""
#: Where a result is put, and whether that is right.
PLACES = {
    "one buffer": ("ring(x, 1)", False),
    "two buffers in turn": ("ring(x, 2)", False),
    "three buffers in turn": ("ring(x, 3)", False),
    "five buffers in turn": ("ring(x, 5)", False),
    "one of an input": ("of(x)", False),
    "one of an input's identity": ("kept(id(x), x)", False),
    "one of an address": ("kept(x.data_ptr(), x)", False),
    "one of a shape": ("kept(x.shape, x)", False),
    "one of a mode": ("kept(torch.is_grad_enabled(), x)", False),
    "one of a type": ("kept((x.dtype, x.device), x)", False),
    "new memory": ("torch.empty_like(x)", True),
    "part of new memory": ("torch.empty(2, 64, device=x.device)[1]", True),
    "new memory that is held": ("RING.append(torch.empty_like(x)) or RING[-1]", True),
    "memory that nobody else holds": ("free(x)", True),
    "new memory once more": ("torch.empty_like(torch.empty_like(x))", True),
    "a copy": ("ring(x, 1).clone()", True),
}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, vocabulary=False, rehearsals=8
    ) as evaluator:
        yield evaluator


@pytest.mark.parametrize("name", PLACES)
def test_results_are_their_callers(name: str, evaluator: LocalEvaluator) -> None:
    out, right = PLACES[name]
    verdict = evaluator.evaluate_text(PROGRAM.format(out=out), REFERENCE, RUNGS)
    assert verdict.status is (Status.OK if right else Status.MISMATCH), verdict
    assert right or "of an earlier call was overwritten" in verdict.detail, verdict


def test_a_caller_keeps_what_is_small() -> None:
    assert results_kept([64] * 20) == 8
    assert results_kept([1 << 15] * 20) == 2
    assert results_kept([1 << 30]) == 1 and results_kept([1 << 30, 64]) == 1 and results_kept([0]) == 1
