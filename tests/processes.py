"""Processes that tests start, end and look for; one that ends while it is looked at is gone."""

import os
import sys
import time
from collections.abc import Collection
from pathlib import Path


def environment() -> dict[str, str]:
    """Of a Python process that imports what this test does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def _fields(pid: int) -> list[str]:
    """What the kernel says of a process after its name (proc_pid_stat(5)): state, parent, ..."""
    return _text(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie, which its new parent may leave for a while."""
    return _fields(pid)[:1] not in ([], ["Z"])


def parent(pid: int) -> int:
    """The parent of a process that is there."""
    return int(_fields(pid)[1])


def children(pid: int) -> set[int]:
    """The running children of all of a process's threads."""
    listed = " ".join(map(_text, Path(f"/proc/{pid}/task").glob("*/children")))
    return set(filter(is_running, map(int, listed.split())))


def descendants(pid: int) -> set[int]:
    """The running processes below one."""
    return set().union(*({child, *descendants(child)} for child in children(pid)))


def wait_until_gone(pids: Collection[int], seconds: float = 60.0) -> None:
    """Until none of them runs; fails with those that are left after that time."""
    deadline = time.monotonic() + seconds
    while left := list(filter(is_running, pids)):
        assert time.monotonic() < deadline, f"processes were left behind: {left}"
        time.sleep(0.05)
