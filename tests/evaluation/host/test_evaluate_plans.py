"""What host code makes of the integers that it reads, and keeps, is for these integers in this order alone."""

from collections.abc import Iterator

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)


def reference(starts: str, lengths: str) -> Reference:
    """Sums of a window of each row."""
    source = (
        "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x, start, length):\n"
        "        at = torch.arange(32)[None]\n        end = (start.long() + length.long())[:, None]\n"
        "        return torch.where((at >= start[:, None]) & (at < end), x, 0.0).sum(-1)\n\n\n"
        f"def get_inputs():\n    start, length = {starts}, {lengths}\n"
        "    return [torch.randn(6, 32), start.int(), length.int()]\n\n\ndef get_init_inputs():\n    return []\n"
    )
    return import_source(source, "windows", shrink="never").reference


ANY = reference("torch.randint(0, 16, (6,))", "torch.randint(1, 17, (6,))")
IN_ORDER = reference("torch.randint(0, 16, (6,)).sort().values", "torch.randint(1, 17, (6,))")

PROGRAM = """import functools
import math
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, plan_ptr, y_ptr, B: tl.constexpr):
    row = tl.load(plan_ptr + 3 * tl.program_id(0))
    start = tl.load(plan_ptr + 3 * tl.program_id(0) + 1)
    length = tl.load(plan_ptr + 3 * tl.program_id(0) + 2)
    i = tl.arange(0, B)
    x = tl.load(x_ptr + row * B + i, mask=(i >= start) & (i < start + length), other=0.0)
    tl.store(y_ptr + row, tl.sum(x, axis=0))


def planned(starts, lengths):
    rows = sorted(range(len(starts)), key=lambda row: -lengths[row])
    return [[row, starts[row], lengths[row]] for row in rows]


@functools.lru_cache(None)
def remembered(starts, lengths):
    return torch.tensor(planned(starts, lengths), dtype=torch.int64, device="cuda")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.plans = {}

    def plan(self, starts, lengths):
        KEPT

    def forward(self, x, start, length):
        y = torch.empty_like(x[:, 0])
        k[(6,)](x.contiguous(), self.plan(start.tolist(), length.tolist()), y, B=32)
        return y
"""
MADE = "torch.tensor(planned(starts, lengths), dtype=torch.int64, device='cuda')"
BY_KEY = (
    "key = KEY\n        if key not in self.plans:\n"
    f"            self.plans[key] = {MADE}\n        return self.plans[key]"
)

#: Keys that two orders of the same integers, or other starts for the same lengths, have in common.
TOO_LITTLE = {
    "sorted integers": "tuple(sorted(starts)), tuple(sorted(lengths))",
    "sorted pairs": "tuple(sorted(zip(starts, lengths)))",
    "sets": "frozenset(starts), frozenset(lengths)",
    "sums and products": "sum(starts), sum(lengths), math.prod(lengths)",
    "sums of powers": "tuple(sum(n**p for n in starts + lengths) for p in (1, 2, 3))",
    "the ends of their ranges": "min(starts), max(starts), min(lengths), max(lengths)",
    "starts without lengths": "tuple(starts)",
    "lengths without starts": "tuple(lengths)",
    "starts and sorted lengths": "tuple(starts), tuple(sorted(lengths))",
    "sums of ends": "tuple(starts), sum(a + n for a, n in zip(starts, lengths))",
}
ENOUGH = {
    "both": "tuple(starts), tuple(lengths)",
    "one after the other": "tuple(starts + lengths)",
    "pairs": "tuple(zip(starts, lengths))",
    "starts and ends": "tuple(starts), tuple(a + n for a, n in zip(starts, lengths))",
    "one large number": "sum((n + 10**20) * 10 ** (30 * i) for i, n in enumerate(starts + lengths))",
    "sorted rows": "tuple(sorted((n, a, row) for row, (a, n) in enumerate(zip(starts, lengths))))",
}
OTHERWISE = {
    "nothing is kept": f"return {MADE}",
    "a cache of torch's kind": "return remembered(tuple(starts), tuple(lengths))",
    "the latest alone": (
        "if self.plans.get('of') != (starts, lengths):\n"
        f"            self.plans['of'], self.plans['plan'] = (starts, lengths), {MADE}\n"
        "        return self.plans['plan']"
    ),
    "a table by the number of rows": (
        "key = len(starts)\n        if key not in self.plans:\n            self.plans[key] = sorted(range(key))\n"
        "        rows = [[row, starts[row], lengths[row]] for row in self.plans[key]]\n"
        "        return torch.tensor(rows, dtype=torch.int64, device='cuda')"
    ),
}


@pytest.fixture(scope="module")
def anything() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=False, rehearsals=128) as evaluator:
        yield evaluator


@pytest.mark.parametrize("name", TOO_LITTLE)
def test_a_plan_for_other_integers_is_found(name: str, anything: LocalEvaluator) -> None:
    found = anything.evaluate_text(PROGRAM.replace("KEPT", BY_KEY.replace("KEY", TOO_LITTLE[name])), ANY, RUNGS)
    assert found.status is Status.MISMATCH, found


@pytest.mark.parametrize("name", [*ENOUGH, *OTHERWISE])
def test_a_plan_for_these_integers_is_right(name: str, anything: LocalEvaluator) -> None:
    kept = OTHERWISE.get(name) or BY_KEY.replace("KEY", ENOUGH[name])
    found = anything.evaluate_text(PROGRAM.replace("KEPT", kept), ANY, RUNGS)
    assert found.ok, found


def test_integers_that_are_always_in_order_stay_so(anything: LocalEvaluator) -> None:
    key = BY_KEY.replace("KEY", "tuple(sorted(starts)), tuple(lengths)")
    found = anything.evaluate_text(PROGRAM.replace("KEPT", key), IN_ORDER, RUNGS)
    assert found.ok, found
