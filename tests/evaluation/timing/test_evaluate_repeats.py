"""Several runs on one input, whose bits are compared, and numbers of timed runs that are fixed."""

import pytest
from broken_kernels import DOUBLE, GOOD, TOTAL, TOTAL_HOST, Broken, vector, vector_host

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.measures import determinism, spread
from kernelwright.evaluation.judge.program import Program
from kernelwright.evaluation.pools.pool import LocalOptions

RUNGS = (Rung.PARSE, Rung.INTERPRET)
#: Each of 125 programs adds its part: the order of the additions, and so the last bits, are a matter of chance.
ADDED = vector("x = tl.load(x_ptr + i, mask=mask, other=0.0)\ntl.atomic_add(out_ptr, tl.sum(x, 0))")
ADDED_HOST = TOTAL_HOST.replace("(4,)](x, out, 1000, 256)", "(125,)](x, out, 1000, 8)")


def test_runs_that_give_other_bits_are_counted() -> None:
    exact = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK).module
    added = Broken("added", TOTAL, ADDED, ADDED_HOST, Status.OK).module
    with LocalOptions(seeds=1, seed=0, strength="reward", repeats=6, use_gpu=False).build() as evaluator:
        same, others = (evaluator.evaluate(module, RUNGS) for module in (exact, added))
    assert same.ok and same.caliber["determinism"] == {"runs": 6, "equal": 6} and determinism(same) == 1.0
    assert others.ok, others
    assert others.caliber["determinism"]["runs"] == 6 and determinism(others) < 1.0  # type: ignore[operator]


SECOND = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        out = torch.empty_like(x)
        scale[(4,)](x, out, 3 if self.calls == 2 else 2, 1000, BLOCK=256)
        return out
"""


def test_every_one_of_the_runs_has_to_be_right() -> None:
    options = LocalOptions(
        seeds=1, seed=0, strength="reward", repeats=3, use_gpu=False, dialect=False, vocabulary=False, rehearsals=0
    )
    with options.build() as evaluator:
        verdict = evaluator.evaluate_text(SECOND, DOUBLE, RUNGS)
    assert verdict.status is Status.MISMATCH, verdict
    assert verdict.caliber["determinism"] == {"runs": 3, "equal": 2}


def test_nothing_is_repeated_unless_that_is_asked_for() -> None:
    module = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK).module
    with LocalOptions(seeds=1, strength="reward", use_gpu=False).build() as evaluator:
        verdict = evaluator.evaluate(module, RUNGS)
    assert verdict.ok and "determinism" not in verdict.caliber and determinism(verdict) is None


def test_so_many_runs_are_timed_in_one_process_and_the_caliber_says_so() -> None:
    module = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK).module
    options = LocalOptions(seeds=1, seed=0, use_gpu=False, runs=(7, 30), baselines=("eager",))
    with options.build() as evaluator:
        _, comparison, found = evaluator.compare(Program.of_module(module), "cpu")
    assert found is not None, comparison.failed
    for side in ("candidate", "eager"):
        measured = found["modes"][side]["events"]
        assert (measured["processes"], measured["samples"]) == (1, 30)
    assert found["caliber"]["protocol"] == "7 warm-up runs, 30 timed runs, one process a side"
    assert found["caliber"]["warm_up_runs"] == 7 and found["caliber"]["samples"] == (30, 30)
    assert not [note for note in found["notes"] if "time was up" in note]


@pytest.mark.parametrize(
    ("mode", "wide"),
    [({"eager": "graph"}, 0.25), ({"eager": "events"}, 0.5), ({}, 0.5)],
    ids=["graph", "events", "one"],
)
def test_the_spread_is_of_the_mode_that_was_compared(mode: dict[str, str], wide: float) -> None:
    modes = {"events": {"median": 2.0, "iqr": 1.0}, "graph": {"median": 2.0, "iqr": 0.5}}
    timing = {"modes": {"candidate": modes}, "mode": mode}
    assert spread(Verdict(Status.OK, Rung.TIME, caliber={"timing": timing})) == wide
    assert spread(Verdict(Status.OK, Rung.RUN, caliber={"timing": {"how": "estimate"}})) is None
