"""Every broken kernel gets its verdict, and the judge outlives them all."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from broken_kernels import ACCESSES, DOUBLE, GOOD, TABLE, Broken, vector_host

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=60, memory_gb=1) as evaluator:
        yield evaluator


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.name)
def test_broken_kernels_get_their_verdict(
    case: Broken, evaluator: LocalEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    if case.status is Status.TIMEOUT:  # the others are given as long as a busy machine may take
        monkeypatch.setattr(evaluator, "limits", replace(evaluator.limits, timeout_s=3))
    verdict = evaluator.evaluate(case.module, case.rungs)
    assert verdict.status is case.status, verdict
    assert case.detail in verdict.detail
    if not case.tensor:
        return
    (diagnostic,) = verdict.diagnostics
    assert (diagnostic.kernel, diagnostic.line) == ("bad", case.line)
    assert "# bad" in diagnostic.text
    found = re.search(r"(load|store|atomic) (.*) of (\w+) at line (\d+).*offset (-?\d+), (\w+) (-?\d+)", verdict.detail)
    assert found, verdict.detail
    assert (found[2], found[3], int(found[4])) == (case.side, case.tensor, case.line)
    outside = int(found[5]) >= int(found[7]) if case.side == "past the end" else int(found[5]) < 0
    assert outside


def test_the_table_is_wide_enough() -> None:
    assert len(ACCESSES) >= 20
    assert len({case.name for case in TABLE}) == len(TABLE)


def test_the_kernel_under_the_broken_ones_is_right(evaluator: LocalEvaluator) -> None:
    good = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK)
    verdict = evaluator.evaluate(good.module, (Rung.PARSE, Rung.INTERPRET))
    assert verdict.ok, verdict
    assert verdict.errors["rms"] < 1e-6


def test_nothing_is_left_running(evaluator: LocalEvaluator) -> None:
    """Host code starts no process; were it to, it would die with the job."""
    host = (
        'def forward(x: "f32[1000]"):\n    import os, time\n    if os.fork() == 0:\n        os.setsid()\n'
        "        time.sleep(1000)\n    return x * 2"
    )
    case = Broken("orphan", DOUBLE, GOOD, host, Status.RUNTIME_ERROR, rungs=(Rung.INTERPRET,))
    good = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK)
    assert evaluator.evaluate(good.module, (Rung.INTERPRET,)).ok
    worker = evaluator.worker_pid
    assert worker is not None
    children = Path(f"/proc/{worker}/task/{worker}/children")
    device = children.read_text().split()
    assert len(device) == 1
    assert "PermissionError" in evaluator.evaluate(case.module, case.rungs).detail
    assert children.read_text().split() == device
    os.kill(worker, 0)
