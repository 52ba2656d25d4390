"""Answers read in other processes are read as they would be here, also where such a process dies."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from test_driver_training import GOOD, PROGRAM, SHORT, Scripted

from kernelwright.agent.evaluating import fault
from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.reading import fenced
from kernelwright.agent.rewards import make_reward
from kernelwright.agent.rollout import read_answer, roll_out
from kernelwright.driver.config.stage_agents import make_agent
from kernelwright.driver.config.train_settings import RolloutSettings
from kernelwright.driver.training.readers import Readers
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import KernelModule

KERNELS = RolloutSettings(form="kernels")
AGENT = make_agent("frontend", "h100", KERNELS, make_reward("frontend"))
MODULE = import_source(PROGRAM, "double")
TEXTS = [fenced(SHORT), fenced(GOOD), "nothing", fenced(SHORT.replace("2.0", "3.0")), fenced(SHORT)]
PARENT = """
import multiprocessing, time
from kernelwright.driver.training.readers import Readers
from kernelwright.driver.config.train_settings import RolloutSettings
from kernelwright.frontend.importers import import_source

if __name__ == "__main__":
    with Readers(1, "frontend", "h100", RolloutSettings()) as readers:
        readers.begin({text!r}, import_source({program!r}, "double"))()
        print(multiprocessing.active_children()[0].pid, flush=True)
        time.sleep(300)
"""
READ = [read_answer(AGENT, text, MODULE) for text in TEXTS]


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with Readers(1, "frontend", "h100", KERNELS) as found:
        yield found


def test_answers_are_read_as_here(readers: Readers) -> None:
    assert [isinstance(found, KernelModule) for found in READ] == [True, False, False, True, True]
    begun = [readers.begin(text, MODULE) for text in TEXTS]
    assert [found() for found in begun] == READ


def test_rollouts_are_the_same_and_read_nothing_twice(readers: Readers) -> None:
    read: list[str] = []

    def begin(text: str, module: KernelModule) -> object:
        read.append(text)
        return readers.begin(text, module)

    def evaluate(modules: Iterable[KernelModule], _rungs: object) -> Iterator[Verdict]:
        return (Verdict(Status.OK, Rung.INTERPRET, module.digest) for module in modules)

    here, there = (
        roll_out(AGENT, [MODULE] * len(TEXTS), Scripted(*TEXTS), evaluate, begin=how) for how in (None, begin)
    )
    assert here == there
    assert read == TEXTS[:-1]


def test_what_a_dead_process_was_reading_is_read_by_another(readers: Readers) -> None:
    assert readers.begin(TEXTS[0], MODULE)() == READ[0]
    _kill()
    begun = [readers.begin(text, MODULE) for text in TEXTS]
    assert [found() for found in begun] == READ


def test_an_answer_that_no_process_survives_is_a_fault(readers: Readers) -> None:
    over = threading.Event()

    def kill() -> None:
        while not over.is_set():
            _kill()

    _kill()
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        found = readers.begin(TEXTS[0], MODULE)()
    finally:
        over.set()
        killer.join()
    assert isinstance(found, Verdict) and "died twice" in fault(found)
    assert readers.begin(TEXTS[0], MODULE)() == READ[0]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "terminated"])
def test_a_process_ends_with_its_parent(number: int, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT.format(text=TEXTS[2], program=PROGRAM))
    parent = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    reader = int(parent.stdout.readline())
    os.kill(reader, 0)  # it lives
    parent.send_signal(number)
    parent.wait()
    with pytest.raises(ProcessLookupError):
        for _ in range(3000):
            os.kill(reader, 0)
            time.sleep(0.01)


def _kill() -> None:
    """End all processes that this one started."""
    for process in multiprocessing.active_children():
        process.kill()
