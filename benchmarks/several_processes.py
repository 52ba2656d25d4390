"""Tasks that several processes do until all are done or time is over, and a file that keeps the answers."""

import json
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any


class TimeIsOverError(Exception):
    """There are tasks left; the same command does them."""


def _answer(task: tuple[str, Callable[[], Any]]) -> tuple[str, Any]:
    return task[0], task[1]()


class Processes:
    """`jobs` processes that work until `seconds` have gone since the start. As a context manager: at its end, and if
    time is over, the processes end."""

    def __init__(self, jobs: int, seconds: float) -> None:
        os.environ["OMP_NUM_THREADS"] = os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
        self._pool = multiprocessing.get_context("spawn").Pool(jobs)
        self._until = time.monotonic() + seconds

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.terminate()
        self._pool.join()

    def answers_kept(self, journal: "Journal", tasks: Mapping[str, Callable[[], Any]]) -> None:
        """Add to a journal the answers that it has not. Raises TimeIsOverError."""
        left = {name: task for name, task in tasks.items() if name not in journal.known}
        for name, answer in self.answers(left):
            journal.add(name, answer)
            print(f"{len(journal.known)}: {name}", file=sys.stderr, flush=True)

    def answers(self, tasks: Mapping[str, Callable[[], Any]]) -> Iterator[tuple[str, Any]]:
        """Each task's answer with its name, in the order in which they come. Raises TimeIsOverError."""
        found = self._pool.imap_unordered(_answer, tasks.items())
        for _ in tasks:
            try:
                yield found.next(min(max(0.0, self._until - time.monotonic()), threading.TIMEOUT_MAX))
            except multiprocessing.TimeoutError:
                raise TimeIsOverError from None


class Journal:
    """Answers by name, a line each, so that a run goes on where another one of the same caliber was stopped."""

    def __init__(self, path: Path, caliber: Mapping[str, Any]) -> None:
        self.known: dict[str, Any] = {}
        lines = path.read_text("utf-8").split("\n") if path.is_file() else []
        same = bool(lines) and lines[0] == json.dumps(caliber)
        for line in lines[1:-1] if same else ():  # the last one ends with a line break, or was not written to its end
            name, answer = json.loads(line)
            self.known[name] = answer
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8")
        self._file.write(json.dumps(caliber) + "\n")
        for name, answer in self.known.items():
            self.add(name, answer)

    def add(self, name: str, answer: Any) -> None:
        """Keep an answer, which JSON can hold."""
        self.known[name] = answer
        self._file.write(json.dumps([name, answer]) + "\n")
        self._file.flush()
