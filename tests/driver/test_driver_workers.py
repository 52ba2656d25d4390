"""Processes that answer questions: they end with the one that asks, however that ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

#: Asks a process a question that it never answers.
ASKS = """
import sys
sys.path.insert(0, {folder!r})
from kernelwright.driver.build import discover
from kernelwright.driver.settings import read_settings
from kernelwright.driver.workers import Worker
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
    script = ASKS.format(folder=str(Path(__file__).parent))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        busy = [int(word) for word in asking.stdout.readline().split()]
        assert len(busy) == 2
        asking.kill()
        assert asking.wait() == -signal.SIGKILL
    deadline = time.monotonic() + 60
    while left := [pid for pid in busy if is_running(pid)]:
        assert time.monotonic() < deadline, f"{left} outlived the process that asked"
        time.sleep(0.1)


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie, which its new parent may leave for a while."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
