"""Processes that read answers for a training run, whose own threads want the interpreter for policy and learner.

Reading is milliseconds of Python for each answer, seconds for a batch; to take what was read is a small part of that.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from types import TracebackType

from kernelwright.agent.evaluating import faulty
from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.rewards import make_reward
from kernelwright.agent.rollout import Found, read_answer
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.stage_agents import make_agent
from kernelwright.driver.config.train_settings import RolloutSettings
from kernelwright.driver.run.workers import forked
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.values import KernelModule
from kernelwright.midend.agent import MidendAgent

_DIED = "the process that read the answer died twice"


class Readers:
    """`count` processes that read what a stage's agent is answered. A context manager.

    Where one dies all are replaced, and what they were reading is read again; an answer that meets that twice gets a
    verdict that tells of a fault.
    """

    def __init__(self, count: int, stage: str, target: str, rollout: RolloutSettings) -> None:
        self._count, self._told = count, (stage, target, rollout)
        self._lock = threading.Lock()
        self._processes = self._started()

    def __enter__(self) -> "Readers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._processes.shutdown(wait=False, cancel_futures=True)

    def begin(self, text: str, module: KernelModule) -> Callable[[], Found]:
        """Begin to read an answer (`agent.rollout.Begin`). What waits for it raises UserError as `read_answer` does."""
        first = self._submitted(text, module)

        def found() -> Found:
            with suppress(BrokenProcessPool):
                return first.result()
            try:
                return self._submitted(text, module).result()
            except BrokenProcessPool:
                return faulty(Verdict(Status.UNSUPPORTED, Rung.PARSE), KernelwrightError(_DIED))

        return found

    def _submitted(self, text: str, module: KernelModule) -> Future[Found]:
        """A reading under way, by new processes where one of the old ones has died: those take nothing any more."""
        with self._lock:
            try:
                return self._processes.submit(_read, text, module)
            except BrokenProcessPool:
                self._processes = self._started()
                return self._processes.submit(_read, text, module)

    def _started(self) -> ProcessPoolExecutor:
        return forked(self._count, _begin, self._told)


#: What a process reads with.
_agent: FrontendAgent | MidendAgent | None = None


def _begin(stage: str, target: str, rollout: RolloutSettings) -> None:
    global _agent
    discover()
    _agent = make_agent(stage, target, rollout, make_reward("frontend"))


def _read(text: str, module: KernelModule) -> Found:
    assert _agent is not None, "each process begins with it"
    return read_answer(_agent, text, module)
