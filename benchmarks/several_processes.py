"""Tasks that several processes do until all are done or time is over, and the journal that keeps their answers."""

import hashlib
import json
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kernelwright.driver.run.journal import Journal


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

    def answers_kept(self, journal: Journal, tasks: Mapping[str, Callable[[], Mapping[str, Any]]]) -> None:
        """Add to a journal the answers that it has not. Raises TimeIsOverError."""
        left = {name: task for name, task in tasks.items() if name not in journal.results}
        for name, answer in self.answers(left):
            journal.add(name, answer)
            print(f"{len(journal.results)}: {name}", file=sys.stderr, flush=True)

    def answers(self, tasks: Mapping[str, Callable[[], Any]]) -> Iterator[tuple[str, Any]]:
        """Each task's answer with its name, in the order in which they come. What a task raises is raised once all
        others are answered. Raises TimeIsOverError."""
        found, failed = self._pool.imap_unordered(_answer, tasks.items()), None
        for _ in tasks:
            try:
                answer = found.next(min(max(0.0, self._until - time.monotonic()), threading.TIMEOUT_MAX))
            except multiprocessing.TimeoutError:
                raise TimeIsOverError from None
            except Exception as error:  # noqa: BLE001 - it is raised below
                failed = failed or error
                continue
            yield answer
        if failed is not None:
            raise failed


def journal_for(path: Path, caliber: Mapping[str, Any]) -> Journal:
    """The journal of answers of this caliber. The file's name has a digest of it, so that answers of another code or
    device stay where they are. How many processors there are changes no answer, and counts for nothing here.

    Raises UserError if another process has it.
    """
    content = {name: value for name, value in caliber.items() if name != "cpus"}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
    return Journal(path.with_stem(f"{path.stem}-{digest}"), content)


def answer_in(journal: Journal, name: str) -> dict[str, Any]:
    """What a journal has of a task."""
    return {key: value for key, value in journal.results[name].items() if key != "id"}
