"""Processes that answer questions: they end with the one that asks, however that ends."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import environment, wait_until_gone

from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.driver.run.workers import Worker, answers, start_server

#: Asks a process a question that it never answers.
ASKS = """
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.driver.run.workers import Worker
from test_driver_workers import think
discover()
Worker(read_settings("asked", ["target=h100"]), think, 600.0).ask("what is the question?")
"""


def think(_question: Any, _settings: Any, _context: Any) -> dict[str, Any]:
    """Say which process it is, and be busy for longer than anybody waits."""
    child = subprocess.Popen(["sleep", "600"])
    os.write(1, f"{os.getpid()} {child.pid}\n".encode())
    time.sleep(600)
    return {"status": "ok"}


def test_a_process_that_is_busy_ends_with_the_one_that_was_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", ASKS], stdout=subprocess.PIPE, text=True, env=environment()) as asking:
        assert asking.stdout is not None
        busy = [int(word) for word in asking.stdout.readline().split()]
        assert len(busy) == 2
        asking.kill()
        assert asking.wait() == -signal.SIGKILL
    wait_until_gone(busy)


#: A script as one writes it in a hurry: nothing is guarded by `__name__`.
UNGUARDED = """
print("the script runs")
from kernelwright.driver.run.workers import forked
with forked(1, print, ("a process begins",)) as processes:
    print(processes.submit(pow, 2, 3).result(300))
"""


def test_processes_do_not_run_the_script_that_starts_them(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    done = subprocess.run([sys.executable, "-u", script], capture_output=True, text=True, timeout=600, check=False)
    assert sorted(done.stdout.split("\n")) == ["", "8", "a process begins", "the script runs"], done.stderr


def test_processes_start_while_another_thread_imports() -> None:
    over = threading.Event()

    def imports() -> None:
        names = [f"only_now_{number}" for number in range(1000)]
        while not over.is_set():
            for name in names:
                sys.modules[name] = sys
            for name in names:
                del sys.modules[name]

    start_server()
    before = sys.getswitchinterval()
    thread = threading.Thread(target=imports)
    sys.setswitchinterval(1e-6)
    try:
        thread.start()
        for _ in range(100):
            start_server()
    finally:
        over.set()
        sys.setswitchinterval(before)
        thread.join()


def agree(_question: Any, _settings: Any, _context: Any) -> dict[str, Any]:
    return {"status": "ok"}


class Late(Worker):
    """One whose thread comes to ask only after all was ended."""

    ended = threading.Event()

    def ask(self, question: Any) -> dict[str, Any]:
        assert self.ended.wait(60)
        return super().ask(question)

    def close(self) -> None:
        super().close()
        self.ended.set()


def test_who_comes_late_to_ask_starts_no_process_that_nobody_ends() -> None:
    def questions() -> Iterator[str]:
        yield "what is the question?"
        raise KeyboardInterrupt

    discover()
    before, settings = multiprocessing.active_children(), read_settings("asked", ["target=h100"])
    with pytest.raises(KeyboardInterrupt):
        list(answers(questions(), [Late(settings, agree, 60.0) for _ in range(2)]))
    assert multiprocessing.active_children() == before
