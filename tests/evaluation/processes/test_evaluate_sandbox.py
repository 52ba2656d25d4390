"""Workers start, end, are replaced, and leave nothing behind."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from broken_kernels import DOUBLE, GOOD, Broken, vector_host
from processes import children, environment, is_running, parent, wait_until_gone
from siblings import Sibling

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.judge.session import InterpretedCallError, InterpretedModule
from kernelwright.evaluation.protocol.answers import Machine, Returned
from kernelwright.evaluation.protocol.jobs import CallNamed, Describe
from kernelwright.evaluation.sandbox import forker
from kernelwright.evaluation.sandbox import parent as jobs_end
from kernelwright.evaluation.sandbox.parent import Limits, Sandbox, SandboxError
from kernelwright.evaluation.sandbox.worker import JOBS
from kernelwright.ir.values import KernelModule

RUNGS = (Rung.INTERPRET,)
SLEEP = 'def forward(x: "f32[1000]"):\n    import time\n    time.sleep(100)'


def program(host: str) -> KernelModule:
    return Broken("program", DOUBLE, GOOD, host, Status.OK).module


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, timeout_s=60, memory_gb=2) as evaluator:
        yield evaluator


def test_what_holds_an_answer_is_no_part_of_the_memory_that_a_job_may_take(evaluator: LocalEvaluator) -> None:
    """Each draw has 40 MB of weights of its own, and room for more."""
    weights = "self.weight = nn.Parameter(torch.randn(64, 160000))"
    one = Sibling("wide", "return x * self.weight[0, :64]", "return [torch.randn(8, 64)]", "y = x * weight",
                  held=("weight",), init=weights)  # fmt: skip
    verdict = evaluator.evaluate_text(one.program(one.right), one.reference, RUNGS)
    assert verdict.ok, verdict
    assert len(verdict.caliber["draws"]["made"]) > 4


def test_closing_ends_the_worker_and_may_be_repeated(evaluator: LocalEvaluator) -> None:
    assert evaluator.evaluate(program(vector_host()), RUNGS).ok
    worker = evaluator.worker_pid
    assert worker is not None
    assert is_running(worker)
    evaluator.close()
    evaluator.close()
    assert evaluator.worker_pid is None
    assert not is_running(worker)
    assert evaluator.evaluate(program(vector_host()), RUNGS).ok


def test_an_interrupt_ends_the_job_and_reaches_the_caller(evaluator: LocalEvaluator) -> None:
    assert evaluator.evaluate(program(vector_host()), RUNGS).ok
    worker = evaluator.worker_pid
    assert worker is not None
    lasting = set(children(worker))

    def interrupt() -> None:
        while not set(children(worker)) - lasting:  # until then there is no job to end
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        evaluator.evaluate(program(SLEEP), RUNGS)
    assert not is_running(worker)
    assert evaluator.evaluate(program(vector_host()), RUNGS).ok


def test_a_worker_killed_between_jobs_is_replaced(evaluator: LocalEvaluator) -> None:
    assert evaluator.evaluate(program(vector_host()), RUNGS).ok
    worker = evaluator.worker_pid
    assert worker is not None
    os.kill(worker, signal.SIGKILL)
    evaluator.evaluate(program(vector_host()), RUNGS)
    assert evaluator.evaluate(program(vector_host()), RUNGS).ok


def test_workers_are_forked_from_one_process_and_do_without_it() -> None:
    module, x = program(vector_host()), torch.ones(1000)
    limits = Limits(timeout_s=60, memory_gb=2)
    with Sandbox() as one, Sandbox() as other, Sandbox() as late:
        for sandbox in (one, other):
            assert torch.equal(InterpretedModule(module, sandbox, limits)([x])[0], 2 * x)
        origin = parent(one.pid)
        assert parent(other.pid) == origin
        os.kill(origin, signal.SIGKILL)
        wait_until_gone([origin])
        before = one.pid
        for sandbox in (one, late):  # another takes its place
            assert torch.equal(InterpretedModule(module, sandbox, limits)([x])[0], 2 * x)
        assert one.pid == before
        assert parent(late.pid) not in (origin, os.getpid())


@pytest.mark.parametrize(
    ("seen", "shown"), [(None, "0"), ("1,0", "1"), ("GPU-8932f937,GPU-3a23c669", "GPU-8932f937"), ("", "")]
)
def test_of_several_gpus_a_job_sees_the_first(seen: str | None, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if seen is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", seen)
    for device, wanted in ((True, shown), (False, "")):
        with Sandbox() as sandbox:
            answer = sandbox.run(CallNamed("os:getenv", "CUDA_VISIBLE_DEVICES"), (), 0, Limits(device=device))
        assert answer.content == Returned(wanted), answer.why


def test_what_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho 'no torch here' >&2\nsleep 1\nexit 3\n")
    script.chmod(0o755)
    monkeypatch.setattr(forker, "_forkers", {})
    monkeypatch.setattr(forker.sys, "executable", str(script))
    with Sandbox() as one, Sandbox() as other:
        other.start()
        with pytest.raises(SandboxError, match="the evaluation worker did not start: no torch here"):
            one.run(Describe(gpu=False), (), 0, Limits())
        with pytest.raises(SandboxError, match="did not start"):
            other.run(Describe(gpu=False), (), 0, Limits())


def test_workers_see_the_variables_of_when_they_are_started(monkeypatch: pytest.MonkeyPatch) -> None:
    look = 'def forward(x: "f32[1000]"):\n    import os\n    raise ValueError(os.environ["CUDA_DEVICE_ORDER"])'
    for order in ("FASTEST_FIRST", "PCI_BUS_ID"):
        monkeypatch.setenv("CUDA_DEVICE_ORDER", order)
        with Sandbox() as sandbox, pytest.raises(InterpretedCallError, match=order):
            InterpretedModule(program(look), sandbox, Limits(timeout_s=60, memory_gb=2))([torch.ones(1000)])


def test_nothing_outlives_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "from test_evaluate_sandbox import *\n"
        "evaluator = LocalEvaluator(seeds=1)\n"
        "evaluator.evaluate(program(vector_host()), RUNGS)\n"
        "print(evaluator.worker_pid, flush=True)\n"
        "evaluator.evaluate(program(SLEEP), RUNGS)\n"
    )
    asking = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment())
    assert asking.stdout is not None
    worker = int(asking.stdout.readline())
    deadline = time.monotonic() + 60
    while not children(worker):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    family = {worker, *children(worker)}
    asking.kill()
    asking.wait()
    asking.stdout.close()
    wait_until_gone(family)


def test_children_see_no_secrets_and_leave_no_files(monkeypatch: pytest.MonkeyPatch, evaluator: LocalEvaluator) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    evaluator.close()
    look = (
        'def forward(x: "f32[1000]"):\n    import os, tempfile\n    tempfile.mkstemp()\n    open("left", "w").close()\n'
        "    facts = [os.getcwd(), 'SOME_TOKEN' in os.environ, os.getsid(0) == os.getpid()]\n"
        "    raise ValueError(' '.join(map(str, facts)))"
    )
    verdict = evaluator.evaluate(program(look), RUNGS)
    folder, token, session = verdict.detail.removeprefix("ValueError: ").split()
    assert (token, session) == ("False", "True")
    assert not Path(folder).exists()


def test_candidates_have_no_way_out_but_the_link(evaluator: LocalEvaluator) -> None:
    look = (
        'def forward(x: "f32[1000]"):\n    import os\n'
        "    raise ValueError(sorted(map(os.readlink, ['/proc/self/fd/' + f for f in os.listdir('/proc/self/fd') "
        "if os.path.exists('/proc/self/fd/' + f)])))"
    )
    verdict = evaluator.evaluate(program(look), RUNGS)
    assert verdict.detail.count("socket:") == 1
    assert "pipe" not in verdict.detail


def test_a_lasting_device_serves_until_a_fault(evaluator: LocalEvaluator) -> None:
    del evaluator
    past_the_end = GOOD.replace("mask = i < n", "mask = i < n + 5000")
    assert past_the_end != GOOD
    good, bad = (Broken("program", DOUBLE, kernel, vector_host(), Status.OK).module for kernel in (GOOD, past_the_end))
    x = torch.rand(1000)
    with Sandbox() as sandbox:
        limits = Limits(timeout_s=60, memory_gb=2, lasting=True)
        served = []
        for _ in range(3):
            (out,) = InterpretedModule(good, sandbox, limits)([x])
            assert torch.equal(out, 2 * x)
            assert sandbox.pid is not None
            served.append(children(sandbox.pid))
        assert len(served[0]) == 1
        assert served == [served[0]] * 3
        with pytest.raises(InterpretedCallError, match="past the end"):
            InterpretedModule(bad, sandbox, limits)([x])
        wait_until_gone(served[0])
        (out,) = InterpretedModule(good, sandbox, limits)([x])
        assert torch.equal(out, 2 * x)
        left = children(sandbox.pid)
    wait_until_gone(left)
    assert left != served[0]


@pytest.mark.slow
def test_a_lasting_device_makes_room_for_another_and_no_job_is_lost() -> None:
    good, x = program(vector_host()), torch.rand(1000)
    served = []
    with Sandbox() as sandbox:
        module = InterpretedModule(good, sandbox, Limits(timeout_s=60, memory_gb=2, lasting=True))
        for _ in range(JOBS + 3):
            (out,) = module([x])
            assert torch.equal(out, 2 * x)
            assert sandbox.pid is not None
            served += children(sandbox.pid)
    assert len(dict.fromkeys(served)) == 2


def test_a_device_with_a_gpu_and_one_without_last_side_by_side() -> None:
    with Sandbox() as sandbox:
        served = []
        for device in (False, True, False, True):
            limits = Limits(timeout_s=60, memory_gb=2, lasting=True, device=device)
            answer = sandbox.run(Describe(gpu=False), (), 0, limits)
            assert isinstance(answer.content, Machine)
            assert sandbox.pid is not None
            served.append(children(sandbox.pid))
    assert [len(one) for one in served] == [1, 2, 2, 2]
    assert served[1] == served[3]
    wait_until_gone(served[3])


def test_a_lasting_device_that_is_killed_before_it_reads_its_job_costs_that_job_alone() -> None:
    with Sandbox() as sandbox:
        module = InterpretedModule(program(vector_host()), sandbox, Limits(timeout_s=60, memory_gb=2, lasting=True))
        module([torch.ones(1000)])
        worker = sandbox.pid
        assert worker is not None
        (device,) = children(worker)
        os.kill(device, signal.SIGSTOP)
        threading.Timer(1.0, os.kill, (device, signal.SIGKILL)).start()
        with pytest.raises(InterpretedCallError, match="was ended by SIGKILL"):
            module([torch.ones(1000)])
        assert sandbox.pid == worker
        (out,) = module([torch.ones(1000)])
        assert torch.equal(out, torch.full((1000,), 2.0))


def test_a_lasting_device_is_killed_at_its_limit(evaluator: LocalEvaluator) -> None:
    del evaluator
    with Sandbox() as sandbox:
        limits = Limits(timeout_s=3, memory_gb=2, lasting=True)
        with pytest.raises(InterpretedCallError, match="no answer within 3 s"):
            InterpretedModule(program(SLEEP), sandbox, limits)([torch.rand(1000)])
        patient = replace(limits, timeout_s=60)
        (out,) = InterpretedModule(program(vector_host()), sandbox, patient)([torch.ones(1000)])
        assert torch.equal(out, torch.full((1000,), 2.0))


def test_a_process_forked_while_a_job_is_written_keeps_nothing_that_can_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a thread of a search forks its workers while another hands a job to the sandbox."""
    write, forked = jobs_end.write_frame, list[int]()

    def writing(*arguments: Any) -> None:
        pid = os.fork()
        if pid == 0:
            signal.pause()
            os._exit(0)
        forked.append(pid)
        write(*arguments)

    monkeypatch.setattr(jobs_end, "write_frame", writing)
    try:
        with jobs_end._memory_file(4096, {"kind": "describe"}) as fd:
            assert fcntl.fcntl(fd, fcntl.F_GET_SEALS) & fcntl.F_SEAL_WRITE
    finally:
        for pid in forked:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
