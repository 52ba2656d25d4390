"""Processes that answer one question after another; another takes the place of one that dies or takes too long.

They are forked from one that has imported what this process had when the first of them started, and that has never
touched a device: importing takes seconds.
"""

import gc
import multiprocessing
import multiprocessing.context
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any, TypeVar

from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import EvaluatorKind, Settings
from kernelwright.driver.run.build import open_context, silent
from kernelwright.driver.run.streams import debugging
from kernelwright.evaluation.sandbox.forker import Forker, borrow, lend
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.passes import Context

_START_SECONDS = 300.0
_READY = "ready"
#: What a process that does nothing gets to end by itself.
_END_SECONDS = 10.0

#: What a process does with one question: settings and context are its own. The result has a `status`.
Answer = Callable[[Any, Settings, Context], dict[str, Any]]
Question = TypeVar("Question")


_starting = threading.Lock()


class _Process(multiprocessing.context.ForkServerProcess):
    """A process that does not run the user's script or notebook, which need not guard itself by `__name__`.

    Python imports `__main__` in each process that it starts, for what is defined there; all that is asked for here is
    defined in modules.
    """

    def start(self) -> None:
        with _starting:  # several threads may start one each
            main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
            try:
                super().start()
            finally:
                sys.modules["__main__"] = main


class _Context(multiprocessing.context.ForkServerContext):
    Process = _Process


def serve(
    channel: Connection, settings: Settings, answer: Answer, environment: Mapping[str, str], forker: Forker | None
) -> None:
    """The main function of a process: answer each question that comes, until the channel closes.

    `environment` is its parent's, `forker` where that gets evaluation workers from.
    """
    _follow_parent()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
    os.environ.clear()
    os.environ.update(environment)
    if forker is not None:
        borrow(forker)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if not debugging():  # of torch's warnings none is about the user's doing
        warnings.filterwarnings("ignore", module=r"torch\b")
    gc.disable()  # what is imported stays: to look through it again and again takes half a second
    discover()
    gc.freeze()
    gc.enable()
    with ExitStack() as workers:
        try:
            context = workers.enter_context(open_context(settings, silent))
        except KernelwrightError as error:  # such as a model that is not on this machine
            channel.send(str(error))
            return
        channel.send(_READY)
        while True:
            try:
                question = channel.recv()
            except EOFError:
                return
            channel.send(answer(question, settings, context))


def _follow_parent() -> None:
    """Let this process hear no interrupt, which is its parent's, and end with it."""
    os.setsid()  # its parent ends it with all it started
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process with all it started once its parent is gone, which a killed one could not do itself."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.killpg(os.getpid(), signal.SIGKILL)


class Worker:
    """A process that answers with `answer`, which a module defines (or a partial of it). `timeout_s` bounds one."""

    def __init__(self, settings: Settings, answer: Answer, timeout_s: float) -> None:
        self.settings, self.answer, self.timeout_s = settings, answer, timeout_s
        self._process: Any = None
        self._busy = self._ended = False
        self._starting = threading.Lock()

    def ask(self, question: Any) -> dict[str, Any]:
        """The answer, or a result whose status is `timeout` or `crash`. Raises UserError where no process starts."""
        self._busy = True  # also while it starts: it cannot end by itself then
        self._start()
        try:
            self._channel.send(question)
            if self._channel.poll(self.timeout_s):
                found: dict[str, Any] = self._channel.recv()
                self._busy = False
                if found["status"] == "error":  # the state that it is in is unknown
                    self.close()
                return found
            found = {"status": "timeout", "cause": f"more than {self.timeout_s:.0f} s", "seconds": self.timeout_s}
        except (EOFError, ConnectionError):
            found = {"status": "crash", "cause": "the process died"}
        self.close()
        return found

    def dismiss(self) -> None:
        """Let the process end by itself if it does nothing; several can do so at a time."""
        if self._process is not None and not self._busy:
            self._channel.close()

    def close(self) -> None:
        """End the process with all it started; idempotent, and safe while another thread waits for it."""
        self.dismiss()
        process, self._process = self._process, None
        if process is not None:
            if not self._busy:
                process.join(_END_SECONDS)
            self._busy = False
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.join()

    def end(self) -> None:
        """Close, for good: a thread that is about to ask finds no process, and starts none that nobody would end."""
        with self._starting:
            self._ended = True
        self.close()

    def _start(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        making: Any = _Context()
        with self._starting:
            if self._ended:
                raise KernelwrightError("a process that compiles programs was ended before it got a program")
            local = self.settings.evaluator.kind is EvaluatorKind.local
            self._channel, theirs = making.Pipe()
            start_server()
            given = theirs, self.settings, self.answer, dict(os.environ), lend() if local else None
            process = making.Process(target=serve, args=given)
            with theirs, suppress(EOFError, ConnectionError):  # then the channel has ended, too
                process.start()
                self._process = process
        said = "the process does not start"
        with suppress(EOFError):
            if self._channel.poll(_START_SECONDS):
                said = self._channel.recv()
        if said != _READY:
            raise UserError(f"a process that compiles programs: {said}")


def start_server() -> None:
    """Start what processes are forked from, where it does not run; no interrupt reaches it."""
    # Asking CUDA whether there is a device would start it, which does not survive a fork; NVML is asked.
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
    forkserver.set_forkserver_preload(sorted(name for name in tuple(sys.modules) if name.startswith("kernelwright.")))
    resource_tracker.ensure_running()  # which unblocks interrupts
    held = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def forked(count: int, begin: Callable[..., None], told: tuple[Any, ...]) -> ProcessPoolExecutor:
    """Up to `count` such processes as an executor: each calls `begin(*told)` first, hears no interrupt, and ends with
    this one."""
    start_server()
    return ProcessPoolExecutor(count, _Context(), _begun, (begin, told))


def _begun(begin: Callable[..., None], told: tuple[Any, ...]) -> None:
    _follow_parent()
    begin(*told)


def answers(
    questions: Iterable[Question], workers: Sequence[Worker]
) -> Generator[tuple[Question, dict[str, Any]], None, None]:
    """Each question with its answer, as they come; a question is drawn when a worker is free for it.

    The workers are ended when this ends, however it does.
    """
    left, idle = iter(questions), list(workers)
    running = dict[Future[dict[str, Any]], tuple[Question, Worker]]()
    with ThreadPoolExecutor(len(workers)) as threads:
        try:
            while True:
                while idle and (question := next(left, None)) is not None:
                    worker = idle.pop()
                    running[threads.submit(worker.ask, question)] = question, worker
                if not running:
                    return
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    question, worker = running.pop(done)
                    idle.append(worker)
                    yield question, done.result()
        finally:
            for worker in workers:
                worker.dismiss()
            for worker in workers:
                worker.end()
