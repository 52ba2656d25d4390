"""Child processes that do tasks for this one, one after another; a child that dies, faults or hangs is replaced.

A task is a function at the top of a module and its arguments; it runs in the child, and its result or its complaint
comes back. Children are processes of their own, so that what a fault leaves behind (a broken CUDA context, a hung
kernel) ends with them.
"""

import contextlib
import importlib
import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

from kernelwright.backend.measure.processes import START_SECONDS, Forked, Fresh, environment_of, last_line, prepare

#: A function at the top of a module, and its arguments.
Task = tuple[Callable[..., Any], tuple[Any, ...]]
#: Environment of children that compute on no GPU: they see none, take no memory of it, and have one thread each; and
#: looking for a GPU does not start CUDA, which would not survive a fork.
OFF_GPU = {
    "CUDA_VISIBLE_DEVICES": "",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
#: Children that work at a time for one search or tuning, at most.
MOST_WORKERS = 12
#: What a task may tell while it is under way: that it waits for others, so that no time counts, or works again.
WAITS, WORKS = "waits", "works"


class LastWordError(Exception):
    """Raised by a task after which its process can do no other."""


@dataclass(frozen=True)
class Outcome:
    """What came of a task: its `value`, or a `failure` in words. `lost` says that the child is gone with it."""

    value: Any = None
    failure: str = ""
    lost: bool = False


class Child:
    """One process, started at once; `environment` is set over this process's own.

    `modules` are imported while it starts; of `module:function`, the function is called as well. With OFF_GPU in its
    environment it is forked from a process that did so once for all children of the same modules and environment.
    Close it, or use it as a context manager.
    """

    def __init__(self, modules: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> None:
        self._given = tuple(modules), dict(environment or {})
        self._start()

    def _start(self) -> None:
        modules, environment = self._given
        ours, theirs = Pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        self._process: Fresh | Forked
        with theirs:
            if OFF_GPU.items() <= environment.items():
                self._process, modules = Forked(modules, environment, theirs, self._errors), ()
            else:
                self._process = Fresh(serve.__module__, theirs.fileno(), self._errors, environment_of(environment))
        self.connection: Connection = ours
        with contextlib.suppress(OSError):  # a child that is gone is found out by who waits for it
            self.connection.send(modules)
        self._deadline = time.monotonic() + START_SECONDS
        self._left = math.inf
        self.ready = False

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def begin(self, task: Task, seconds: float) -> None:
        """Have a task done, in so many seconds of work; `outcome` tells what came of it."""
        self._left = seconds
        if self.ready:
            self._deadline = time.monotonic() + seconds
        with contextlib.suppress(OSError):  # a child that is gone is found out by who waits for it
            self.connection.send(task)

    def outcome(self, seconds: float = 0.0) -> Outcome | None:
        """What came of the task; None where that is not known after so many seconds. A lost child is replaced."""
        until = time.monotonic() + seconds
        while True:
            now = time.monotonic()
            try:
                if self.connection.poll(max(min(until, self._deadline) - now, 0.0)):
                    found = self._received(self.connection.recv())
                    if found is not None:
                        return found
                    continue
            except (EOFError, OSError, pickle.UnpicklingError):
                return self._lost(self.ending())
            if time.monotonic() >= self._deadline:
                return self._lost("it took too long" if self.ready else f"its process did not start{self._complaint()}")
            if time.monotonic() >= until:
                return None

    def do(self, task: Task, seconds: float) -> Outcome:
        """Have a task done and wait for it."""
        self.begin(task, seconds)
        while (found := self.outcome(3600.0)) is None:
            pass
        return found

    def wait(self, seconds: float) -> None:
        """Until the process ends by itself, but no longer than so many seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def close(self) -> None:
        """End the process; idempotent."""
        self.connection.close()
        self._process.end()
        self._errors.close()

    def restart(self) -> None:
        """End the process, and start another."""
        self.close()
        self._start()

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _received(self, message: tuple[str, Any]) -> Outcome | None:
        """The outcome in a message; None where it only tells how things are."""
        kind, value = message
        if kind == WAITS:
            self._left, self._deadline = max(self._deadline - time.monotonic(), 1.0), math.inf
        elif kind == WORKS:
            self.ready, self._deadline = True, time.monotonic() + self._left
        elif kind == "done":
            return Outcome(value)
        elif kind == "lost":
            return self._lost(f"{value}{self._complaint()}")
        else:
            return Outcome(failure=value)
        return None

    def ending(self) -> str:
        """How the process ended, once it has, and what it complained of last."""
        return f"its process {_ending(self._process.wait())}{self._complaint()}"

    def _complaint(self) -> str:
        return last_line(self._errors) or self._process.complaint()

    def _lost(self, why: str) -> Outcome:
        self.restart()
        return Outcome(failure=why, lost=True)


@dataclass
class Children:
    """Several children that share out tasks."""

    count: int
    modules: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._all = [Child(self.modules, self.environment) for _ in range(self.count)]
        self._late: set[Child] = set()

    def wait_ready(self, seconds: float) -> None:
        """Until one is ready for tasks or could not start, but no longer than so many seconds."""
        until = time.monotonic() + seconds
        while not any(child.ready for child in self._all) and (left := until - time.monotonic()) > 0:
            wait([child.connection for child in self._all], left)
            if any(found.lost for child in self._all if (found := child.outcome()) is not None):
                return

    def each(
        self, tasks: Iterable[Task], seconds: float, until: float | Callable[[], float] = math.inf
    ) -> Generator[tuple[int, Outcome]]:
        """Outcomes with the numbers of their tasks, as they come; each may take so many seconds.

        Ends at `until` (by time.monotonic, or what that gives whenever it is asked) without those that are not done:
        they are done in vain, and children that are at it take part again afterwards.
        """
        following, over = enumerate(tasks), until if callable(until) else lambda: until
        free = [child for child in self._all if child not in self._late]
        busy: dict[Child, int] = {}
        try:
            while time.monotonic() < over():
                while free and (task := next(following, None)) is not None:
                    free[0].begin(task[1], seconds)
                    busy[free.pop(0)] = task[0]
                if not busy and (free or not self._late):
                    return
                working = [*busy, *self._late]
                wait([child.connection for child in working], min(0.2, max(over() - time.monotonic(), 0.0)))
                for child in working:
                    found = child.outcome()
                    if found is None:
                        continue
                    free.append(child)
                    if child in busy:
                        yield busy.pop(child), found
                    self._late.discard(child)
        finally:
            self._late.update(busy)

    def settle(self) -> None:
        """Put others in the places of those that are at a task whose outcome nobody waits for."""
        for child in self._late:
            child.restart()
        self._late.clear()

    def close(self) -> None:
        """End all of them; idempotent."""
        for child in self._all:
            child.close()

    def __enter__(self) -> "Children":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0))


def tell(word: str) -> None:
    """From a task: WAITS or WORKS. Nothing where no parent listens."""
    if _parent:
        _parent[0].send((word, None))


def parent() -> Connection:
    """From a task that talks with its parent itself, which must not ask for its outcome then."""
    return _parent[0]


_parent: list[Connection] = []


def _ending(code: int) -> str:
    if code >= 0:
        return f"left with exit status {code}"
    return f"was ended by {signal.Signals(-code).name}"


def serve(connection: Connection) -> None:
    """Do what the parent asks for until it goes."""
    _parent.append(connection)
    prepare(connection.recv())
    connection.send((WORKS, None))
    while True:
        function, arguments = connection.recv()
        try:
            connection.send(("done", function(*arguments)))
        except LastWordError as error:
            connection.send(("lost", str(error)))
            return
        except Exception as error:  # noqa: BLE001 - whatever a task raises is its outcome
            connection.send(("failed", f"{type(error).__name__}: {error}"[:2000]))


if __name__ == "__main__":
    with contextlib.suppress(EOFError, ConnectionError):
        # By its own name, as tasks import it: this one is called `__main__`.
        importlib.import_module("kernelwright.backend.measure.children").serve(Connection(int(sys.argv[1])))
