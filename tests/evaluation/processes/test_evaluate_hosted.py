"""Evaluators in a process of their own: the same verdicts and errors, and an end that leaves nothing behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from processes import descendants, environment, wait_until_gone
from test_evaluate_pool import CANDIDATE, ENDLESS, MIXED, OPTIONS, RUNGS, SOFTMAX, mixed

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.evaluation.pools.hosted import Host, HostedPool, _portable
from kernelwright.evaluation.pools.pool import EvaluatorPool, Item, LocalOptions, PoolClosedError
from kernelwright.evaluation.sandbox.parent import SandboxError
from kernelwright.ir.errors import KernelwrightError, UserError

#: For what has to happen; it is never waited out where things are right.
PATIENCE_S = 60.0


def test_verdicts_and_errors_are_those_of_evaluators_here_and_nothing_is_left() -> None:
    before = descendants(os.getpid())
    given = [item for item, _ in mixed(len(MIXED))]
    given.append(Item(CANDIDATE, SOFTMAX, (Rung.RUN,)))  # there is no GPU for it
    with HostedPool(OPTIONS, 2, cache=False) as pool:
        found = list(pool.outcomes(given))
        started = descendants(os.getpid()) - before
    with EvaluatorPool(OPTIONS, 2) as here:
        wanted = list(here.outcomes(given))
    assert [type(one) for one in found] == [type(one) for one in wanted]
    for one, other in zip(found, wanted, strict=True):
        if isinstance(one, Verdict):
            assert isinstance(other, Verdict)
            assert replace(one, caliber={}) == replace(other, caliber={})
    assert isinstance(found[-1], UserError) and str(found[-1]) == str(wanted[-1])
    assert pool.host.pid in started and len(started) >= 3
    wait_until_gone(started)


def test_a_process_that_is_killed_is_started_again_for_the_same_item() -> None:
    with HostedPool(OPTIONS, 1, cache=False) as pool:
        first = pool.host.pid
        killer = threading.Thread(target=lambda: (time.sleep(0.5), os.kill(first, signal.SIGKILL)))
        killer.start()
        outcomes = list(pool.outcomes([Item(CANDIDATE, SOFTMAX, RUNGS)] * 3))
        killer.join()
        again = list(pool.outcomes([Item(CANDIDATE, SOFTMAX, RUNGS)]))
        assert pool.host.pid != first
    assert [one.status for one in (*outcomes, *again) if isinstance(one, Verdict)] == [Status.OK] * 4


def test_a_process_that_can_judge_nothing_says_why() -> None:
    nonsense = replace(OPTIONS, seeds=0)
    host = Host(nonsense, 1, cache=False)
    for _ in range(2):  # it is started again, to no better end
        with pytest.raises(SandboxError, match="seeds=0: at least one is needed"):
            host.judge(Item(CANDIDATE, SOFTMAX, RUNGS))
    host.close()
    with pytest.raises(UserError, match="seeds=0: at least one is needed"):
        HostedPool(nonsense, 1)


def test_who_waits_is_told_how_the_process_ended() -> None:
    host = Host(OPTIONS, 1, cache=False)
    threading.Timer(1.0, os.kill, (host.pid, signal.SIGKILL)).start()
    with pytest.raises(SandboxError, match="its process was ended by SIGKILL"):
        host.judge(Item(ENDLESS, SOFTMAX, RUNGS))
    host.close()


def test_an_error_that_cannot_travel_comes_in_words() -> None:
    class LocalError(KernelwrightError):
        """Its class is known here alone."""

    assert _portable(given := UserError("as it is")) is given
    found = _portable(LocalError("told"))
    assert isinstance(found, SandboxError) and str(found) == "LocalError: told"


def test_no_process_starts_for_a_pool_without_workers() -> None:
    before = descendants(os.getpid())
    with pytest.raises(UserError, match="workers=0"):
        HostedPool(OPTIONS, 0)
    assert descendants(os.getpid()) == before


def test_closing_ends_what_runs_at_once() -> None:
    before = descendants(os.getpid())
    pool = HostedPool(LocalOptions(timeout_s=3600, use_gpu=False), 1, cache=False)
    caught: list[BaseException] = []

    def consume() -> None:
        try:
            list(pool.outcomes([Item(ENDLESS, SOFTMAX, RUNGS)]))
        except PoolClosedError as error:
            caught.append(error)

    consumer = threading.Thread(target=consume)
    consumer.start()
    until = time.monotonic() + PATIENCE_S
    while len(descendants(pool.host.pid)) < 3 and time.monotonic() < until:  # forker, worker, and what runs the job
        time.sleep(0.02)
    started = descendants(os.getpid()) - before
    pool.close()
    assert pool.host._child._process.returncode == 0  # it ended what it had started, and itself
    consumer.join(PATIENCE_S)
    assert len(caught) == 1
    wait_until_gone(started)
    with pytest.raises(PoolClosedError):
        list(pool.outcomes([Item(CANDIDATE, SOFTMAX, RUNGS)]))


def test_it_ends_with_the_process_that_asks() -> None:
    """Even where that is killed."""
    program = (
        "import time\n"
        "from test_evaluate_hosted import *\n"
        "pool = HostedPool(OPTIONS, 1, cache=False)\n"
        "assert pool.evaluate_many([Item(CANDIDATE, SOFTMAX, RUNGS)]).__next__().ok\n"
        "print(pool.host.pid, *descendants(pool.host.pid), flush=True)\n"
        "time.sleep(3600)\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment())
    assert asking.stdout is not None
    pids = set(map(int, asking.stdout.readline().split()))
    asking.kill()
    asking.wait()
    asking.stdout.close()
    assert len(pids) > 1
    wait_until_gone(pids)
