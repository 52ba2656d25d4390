"""Evaluators in a process of their own: what they parse and compare takes no time of the interpreter that asks.

An evaluation is Python as well, beside the candidate's own process. Where a policy and a learner share an interpreter
with it, they wait for that.
"""

import contextlib
import itertools
import pickle
import threading
from concurrent.futures import Future
from functools import cached_property, partial
from typing import Any

from kernelwright.agent.evaluator import Verdict
from kernelwright.backend.measure.children import WORKS, Child, LastWordError, parent
from kernelwright.evaluation.pools.pool import (
    DEFAULT_OPTIONS,
    EvaluatorPool,
    Item,
    LocalOptions,
    Pool,
    PoolClosedError,
    default_workers,
)
from kernelwright.evaluation.sandbox.parent import SandboxError

#: Seconds that the evaluators have to end what they started, before their process is killed.
_CLOSING_SECONDS = 10.0


def host(options: LocalOptions, workers: int, cache: bool) -> None:
    """A task of a `Child`: judges the numbered items that come until None does, or nothing any more; ends with it."""
    connection, sending = parent(), threading.Lock()

    def send(number: int, made: "Future[Verdict]") -> None:
        try:
            outcome: Any = made.result()
        except BaseException as error:  # noqa: BLE001 - raised where the verdict is waited for
            outcome = _portable(error)
        with sending, contextlib.suppress(OSError):  # who asked is gone
            connection.send((number, outcome))

    with EvaluatorPool(options, workers, cache) as pool, contextlib.suppress(EOFError):
        while (message := connection.recv()) is not None:
            number, item = message
            pool.submit(item).add_done_callback(partial(send, number))
    raise LastWordError("closed")


def _portable(error: BaseException) -> BaseException:
    """An error as it is, or in words where it does not survive the way."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever its class does not do
        return SandboxError(f"{type(error).__name__}: {error}")
    return error


class Host:
    """The process, which any thread may ask; one that is gone is started again by who asks next. Close it."""

    def __init__(self, options: LocalOptions, workers: int, cache: bool) -> None:
        self._given = options, workers, cache
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._closed = False
        self._asked: dict[int, Future[Verdict]] | None = None  # None: no process listens
        self._start()

    def _start(self) -> None:
        self._child = Child((__name__,))
        self._child.begin((host, self._given), 0.0)
        self._asked = {}
        threading.Thread(target=self._listen, args=(self._child, self._asked), name="verdicts", daemon=True).start()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._child.pid

    def judge(self, item: Item) -> Verdict:
        """The verdict. Raises what the evaluator does, SandboxError where the process ended, PoolClosedError."""
        with self._lock:
            if self._closed:
                raise PoolClosedError("the pool is closed")
            if self._asked is None:
                self._child.close()
                self._start()
            assert self._asked is not None
            number, made = next(self._numbers), Future[Verdict]()
            self._asked[number] = made
            with contextlib.suppress(OSError):  # it is gone, which the listener finds out
                self._child.connection.send((number, item))
        return made.result()

    def _listen(self, child: Child, asked: "dict[int, Future[Verdict]]") -> None:
        """Hand verdicts to those who wait, until the process ends or is closed."""
        connection = child.connection
        try:
            while True:
                number, outcome = connection.recv()
                if number == WORKS:
                    continue
                if not isinstance(number, int):  # the task has ended
                    why = str(outcome)
                    break
                made = asked.pop(number)
                if isinstance(outcome, BaseException):
                    made.set_exception(outcome)
                else:
                    made.set_result(outcome)
        except (EOFError, OSError):
            with self._lock:
                why = "it was closed" if self._closed else child.ending()
        except Exception as error:  # noqa: BLE001 - what it says cannot be read
            why = f"{type(error).__name__}: {error}"
        with self._lock:
            if self._asked is asked:
                self._asked = None
            left = tuple(asked.values())
        for made in left:
            made.set_exception(SandboxError(f"the evaluators ended: {why}"))

    def close(self) -> None:
        """End the evaluators and all that they run; idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            with contextlib.suppress(OSError):
                self._child.connection.send(None)
        self._child.wait(_CLOSING_SECONDS)
        self._child.close()


class HostedWorker:
    """A place in the process, as a worker of a pool."""

    def __init__(self, process: Host) -> None:
        self._host = process

    def judge(self, item: Item) -> Verdict:
        """The verdict."""
        return self._host.judge(item)

    def interrupt(self) -> None:
        """End all evaluators: the pool is being closed."""
        self._host.close()

    def close(self) -> None:
        """Nothing is this worker's alone."""


class HostedPool(Pool):
    """A pool of this machine's evaluators that live in one process of their own, as `EvaluatorPool` has them here."""

    def __init__(
        self,
        options: LocalOptions = DEFAULT_OPTIONS,
        workers: int | None = None,
        cache: bool = False,
    ) -> None:
        count = default_workers(options) if workers is None else workers
        options.checks(count)  # options that make no sense are found here, where that is raised
        self._given = options, count, cache
        super().__init__(lambda: HostedWorker(self.host), count)

    @cached_property
    def host(self) -> Host:
        """The process of all workers."""
        return Host(*self._given)

    def close(self) -> None:
        """End the process, its evaluators and all that they run; idempotent."""
        super().close()
        self.host.close()
