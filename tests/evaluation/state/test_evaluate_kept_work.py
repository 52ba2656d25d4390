"""What any Python keeps of weights is made anew when one of them changes, and two calls at once share no memory."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
HEAD = """import copy
import functools
import threading
import torch
import torch.nn as nn
import triton
import triton.language as tl


"""
INIT = """
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(16))
        self.register_buffer("shift", torch.zeros(16))
"""
CENTRED = import_source(
    f"{HEAD}class Model(nn.Module):{INIT}\n    def forward(self, x):\n        if self.training:\n"
    "            self.shift.mul_(0.5).add_(x.mean(0), alpha=0.5)\n        return (x + self.shift) * self.gain\n\n\n"
    "def get_inputs():\n    return [torch.randn(8, 16)]\n\n\ndef get_init_inputs():\n    return []\n",
    "centred",
).reference
KEPT = f"""{HEAD}@triton.jit
def step(x_ptr, shift_ptr, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    i, row = tl.arange(0, WIDTH), tl.arange(0, ROWS)
    mean = tl.sum(tl.load(x_ptr + row[:, None] * WIDTH + i[None, :]), 0) / ROWS
    tl.store(shift_ptr + i, tl.load(shift_ptr + i) * 0.5 + mean * 0.5)


@triton.jit
def prepare(gain_ptr, shift_ptr, ready_ptr, WIDTH: tl.constexpr):
    i = tl.arange(0, WIDTH)
    tl.store(ready_ptr + i, tl.load(gain_ptr + i))
    tl.store(ready_ptr + WIDTH + i, tl.load(shift_ptr + i))


@triton.jit
def apply(x_ptr, ready_ptr, y_ptr, WIDTH: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row * WIDTH + i) + tl.load(ready_ptr + WIDTH + i)
    tl.store(y_ptr + row * WIDTH + i, x * tl.load(ready_ptr + i))


class Same:
    def __init__(self, one):
        self.one = one

    def __eq__(self, other):
        return self.one is other.one


class ModelNew(nn.Module):{INIT}        self.ready = None

    def prepared(self):
        ready = torch.empty(32, device=self.gain.device, dtype=self.gain.dtype)
        prepare[(1,)](self.gain, self.shift, ready, WIDTH=16)
        return ready

    def forward(self, x):
        gain, shift = self.gain, self.shift
        y = torch.empty_like(x)
        if self.training:
            LEAVE
            step[(1,)](x, shift, ROWS=8, WIDTH=16)
            ready = self.prepared()
        else:
            key = KEY
            if self.ready is None or self.ready[0] != key:
                self.ready = key, self.prepared()
            ready = self.ready[1]
        apply[(8,)](x, ready, y, WIDTH=16)
        return y
"""
VERSIONS = "gain._version, shift._version"
PLACES = "gain.data_ptr(), shift.data_ptr()"
FORGET, KEEP = "self.ready = None", "pass"
#: By what is kept in evaluation mode: whether a training step forgets it, what it is found by, and whether that does.
KEYS = {
    "versions and places": (FORGET, f"({VERSIONS}, {PLACES})", True),
    "nothing": (FORGET, "0", False),
    "the gain": (FORGET, "(gain._version, gain.data_ptr())", False),
    "the shift": (FORGET, "(shift._version, shift.data_ptr())", False),
    "places": (FORGET, f"({PLACES})", False),
    "the newest version": (FORGET, f"(max({VERSIONS}), {PLACES})", False),
    "versions alone": (FORGET, f"({VERSIONS})", False),
    "versions of the same objects": (FORGET, f"({VERSIONS}, Same(gain), Same(shift))", True),
    "a step that moves no version": (KEEP, f"({VERSIONS}, {PLACES})", False),
}
SUMS = import_source(
    f"{HEAD}class Model(nn.Module):\n    def forward(self, x):\n        return x - x.abs().sum(0)\n\n\n"
    "def get_inputs():\n    return [torch.randn(8, 16)]\n\n\ndef get_init_inputs():\n    return []\n",
    "sums",
).reference
SHARED = f"""{HEAD}LOCAL, TABLE = threading.local(), {{}}


@triton.jit
def sums(x_ptr, sums_ptr, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    i, row = tl.arange(0, WIDTH), tl.arange(0, ROWS)
    tl.store(sums_ptr + i, tl.sum(tl.abs(tl.load(x_ptr + row[:, None] * WIDTH + i[None, :])), 0))


@triton.jit
def subtract(x_ptr, sums_ptr, y_ptr, WIDTH: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, WIDTH)
    tl.store(y_ptr + row * WIDTH + i, tl.load(x_ptr + row * WIDTH + i) - tl.load(sums_ptr + i))


def new(x):
    return torch.empty(16, device=x.device, dtype=x.dtype)


def kept(place, key, x):
    if key not in place:
        place[key] = new(x)
    return place[key]


@functools.lru_cache(maxsize=None)
def of_all(width, device, dtype):
    return torch.empty(width, device=device, dtype=dtype)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        scratch = SCRATCH
        sums[(1,)](x, scratch, ROWS=8, WIDTH=16)
        subtract[(8,)](x, scratch, y, WIDTH=16)
        return y
"""
#: Where scratch memory comes from, and whether each module has its own.
SCRATCH = {
    "new memory": ("new(x)", True),
    "a thread's own": ("kept(vars(LOCAL), x.shape, x)", True),
    "by thread": ("kept(TABLE, threading.get_ident(), x)", True),
    "by shape": ("kept(TABLE, x.shape, x)", False),
    "the module's": ("kept(vars(self), 'scratch', x)", True),
    "of all": ("of_all(16, x.device, x.dtype)", False),
}
COUNTED = import_source(
    f"{HEAD}class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.norm = nn.BatchNorm1d(16, affine=False, momentum=0.0)\n\n"
    "    def forward(self, x):\n        self.norm(x)\n        return x * 2\n\n\n"
    "def get_inputs():\n    return [torch.randn(8, 16)]\n\n\ndef get_init_inputs():\n    return []\n",
    "counted",
).reference
COUNTING = f"""{HEAD}@triton.jit
def double(x_ptr, count_ptr, y_ptr, WIDTH: tl.constexpr, COUNTS: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, WIDTH)
    tl.store(y_ptr + row * WIDTH + i, tl.load(x_ptr + row * WIDTH + i) * 2)
    if COUNTS and row == 0:
        tl.store(count_ptr, tl.load(count_ptr) + 1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(16, affine=False, momentum=0.0)

    def forward(self, x):
        y = torch.empty_like(x)
        double[(8,)](x, self.norm.num_batches_tracked, y, WIDTH=16, COUNTS=COUNTS_OF)
        return y
"""
#: When a program counts its batches, and whether that is as the reference does.
COUNTS = {"self.training": True, "False": False, "True": False}


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, seed=6, dialect=False, vocabulary=False
    ) as evaluator:
        yield evaluator


@pytest.mark.parametrize("name", KEYS)
def test_what_is_kept_of_weights_is_made_anew_when_any_of_them_changes(name: str, evaluator: LocalEvaluator) -> None:
    leave, key, right = KEYS[name]
    program = KEPT.replace("LEAVE", leave).replace("KEY", key)
    verdict = evaluator.evaluate_text(program, CENTRED, RUNGS)
    assert verdict.status is (Status.OK if right else Status.MISMATCH), verdict


@pytest.mark.parametrize("name", SCRATCH)
def test_two_modules_at_once_share_no_scratch_memory(name: str, evaluator: LocalEvaluator) -> None:
    scratch, right = SCRATCH[name]
    verdict = evaluator.evaluate_text(SHARED.replace("SCRATCH", scratch), SUMS, RUNGS)
    assert verdict.status is (Status.OK if right else Status.MISMATCH), verdict


@pytest.mark.parametrize("counts", COUNTS)
def test_batches_are_counted_in_training_alone(counts: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(COUNTING.replace("COUNTS_OF", counts), COUNTED, RUNGS)
    assert verdict.status is (Status.OK if COUNTS[counts] else Status.MISMATCH), verdict
