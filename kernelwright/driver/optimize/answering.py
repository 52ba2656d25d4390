"""Who looks for faster kernels: processes beside this one, several kernels at a time, or this process itself.

A question is a kernel as a module, with Inductor's own kernel in it where that has a plain form, and the passes that
are to make it faster. An answer is the verified module with its verdict, or why there is none.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.services import AgentServices
from kernelwright.backend.measure.children import OFF_GPU
from kernelwright.backend.measure.pool import BENCH, lent_child, lent_children
from kernelwright.driver.config.settings import Settings
from kernelwright.driver.run.workers import Worker
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.swap.replacement import is_one_launch
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.processes import modules_of_passes

#: Seconds by which processes that answer are looked after: whether the time is over.
_LOOK_S = 0.5
#: What a journal keeps of a search without a winner.
_LOOKED_AT = ("plain_us", "measured", "candidates_us", "not_verified", "refused", "failed", "seconds")
#: The kinds of inputs for a kernel at other sizes, and by how many runs its time is estimated there. At its own sizes
#: it was judged with all that are configured, and is timed in the model.
FEWER, SAMPLES = "reward", 30
#: How long a process may take to start its own, in seconds.
_WARM_S = 60.0


@dataclass(frozen=True)
class Question:
    """A kernel's key, its module, and passes that look for a faster one within so many seconds; without passes, whether
    the module is right. `alone`: for the module's sizes alone, although they may change. If `fewer`, that is judged
    with fewer kinds of inputs, and so is `own`, another module of the same reference, if this one is right. `renewed`
    gives the question as it is to be asked once somebody is free to answer it, None if it is too late then."""

    key: str
    module: KernelModule
    pipeline: str = ""
    seconds: float = 0.0
    alone: bool = False
    fewer: bool = False
    own: KernelModule | None = None
    renewed: "Callable[[], Question | None] | None" = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Answer:
    """A module with its verdict; or `why` there is none, with the seconds that it took. `rivals` are others that were
    verified, which may be the faster ones in a running model. `own` is the verdict on the question's other module, or
    on what a search began with, if that was judged."""

    module: KernelModule | None = None
    verdict: Verdict | None = None
    why: str = ""
    seconds: float = 0.0
    rivals: tuple[tuple[KernelModule, Verdict], ...] = ()
    own: Verdict | None = None

    @property
    def notes(self) -> dict[str, Any]:
        """What the last pass tells of how it found the module."""
        return dict(self.module.provenance[-1].notes) if self.module and self.module.provenance else {}

    @property
    def without_winner(self) -> tuple[dict[str, Any], str]:
        """What a search that keeps what it began with tells of others, and why; times are of kernels alone."""
        told = {name: self.notes[name] for name in _LOOKED_AT if name in self.notes}
        if late := told.get("not_verified"):
            spec, us = next(iter(late.items()))
            return told, f"what takes {us} us alone, of {told.get('plain_us')} us, had no verdict in time: {spec}"
        among = f" among {told['measured']} that were measured" if "measured" in told else ""
        return told, f"nothing faster was found{among}"


#: What comes of a question: nothing where it was too late to ask it.
Answered = tuple[Question, Answer] | None
#: Gives questions as somebody is free to answer them, so that each can be asked in the light of what came before.
Questions = Iterable[Question]


class Answering(Protocol):
    """Answers questions; a context manager around all that is asked."""

    def each(self, questions: Questions, late: Callable[[], bool]) -> Iterator[tuple[Question, Answer]]:
        """Every question with its answer, as they come. Once it is late nothing is asked, those under way are given up,
        and answers that are there already are told."""
        ...


def answered(question: Question, context: Context) -> Answer:
    """The answer, made here. Interrupts go through."""
    began, verdicts = time.monotonic(), dict[str, Verdict]()
    evaluator = context.evaluator
    if question.fewer and isinstance(evaluator, LocalEvaluator):
        evaluator = evaluator.checking(FEWER, SAMPLES)
    right = dict[str, tuple[KernelModule, Verdict]]()

    def evaluate(modules: Iterable[KernelModule], rungs: Any) -> Iterator[Verdict | BaseException]:
        for module in modules:
            try:
                verdict = _unfit(module, context.target) or evaluator.evaluate(module, rungs)
                verdicts[module.digest] = verdict
                if verdict.ok:
                    right[module.digest] = module, verdict
                yield verdict
            except KernelwrightError as error:
                yield error

    try:
        module = question.module
        if question.pipeline:
            services = replace(context.service(AgentServices), evaluate=evaluate)
            module = parse_pipeline(question.pipeline).run(module, context.having(services))
        # What a search verified is not verified again.
        verdict = verdicts.get(module.digest) or evaluator.evaluate(module)
        own = verdicts.get(question.module.digest)
    except KernelwrightError as error:
        told = str(error).splitlines()[0]  # what a verdict says comes last, after all that was asked for
        return Answer(why=told.rpartition(" is verified: ")[2], seconds=time.monotonic() - began)
    if question.own is not None and verdict.ok:
        with suppress(KernelwrightError):
            own = evaluator.evaluate(question.own)
    rivals = tuple(one for digest, one in right.items() if digest not in (module.digest, question.module.digest))
    why, seconds = "" if verdict.ok else str(verdict), time.monotonic() - began
    return Answer(module, verdict, why, seconds, rivals, own)


def _unfit(module: KernelModule, target: str) -> Verdict | None:
    """A verdict that needs no evaluator, on what would not run in the place of a kernel: the search goes on to others.
    On a GPU all that is not one launch costs the host more than Inductor's. A library's call has no kernels."""
    if target == "interpreter" or not module.kernels or is_one_launch(module):
        return None
    return Verdict(Status.UNSUPPORTED, Rung.PARSE, "it is not one launch in the place of one")


class Here:
    """This process answers, one question after another."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def each(self, questions: Questions, late: Callable[[], bool]) -> Iterator[tuple[Question, Answer]]:
        for question in questions:
            if late():
                return
            yield question, answered(question, self.context)


def asked(question: Question | int, settings: Settings, context: Context) -> dict[str, Any]:
    """What a process does with a question, or with a number: so many processes of its own it starts ahead."""
    del settings
    try:
        if isinstance(question, int):
            with lent_child(BENCH), lent_children(question, modules_of_passes(), OFF_GPU) as children:
                children.wait_ready(_WARM_S)
            return {"status": "ok"}
        return {"status": "ok", "answer": answered(question, context)}
    except Exception as error:  # noqa: BLE001 - one kernel must not end the work on the others
        return {"status": "error", "cause": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}


class Beside:
    """Some processes answer, each with an evaluator of its own and `searchers` processes that make candidates.

    They start when this is entered, while other work goes on. Each has a question that waits behind the one that it is
    at: what is done with an answer may take long, and nobody has nothing to do meanwhile.
    """

    def __init__(self, settings: Settings, count: int, searchers: int, timeout_s: float) -> None:
        self.workers = [Worker(settings, asked, timeout_s) for _ in range(count)]
        self.searchers = searchers
        self._threads = [ThreadPoolExecutor(1) for _ in range(count)]
        #: What is asked, with whether somebody waits for the answer, and with the number of the process.
        self._running: dict[Future[Answered], tuple[bool, int]] = {}
        self._free: list[int] = []

    def __enter__(self) -> "Beside":
        for number in range(len(self.workers)):
            self._running[self._threads[number].submit(self._warmed, number)] = False, number
            self._free.append(number)
        return self

    def __exit__(self, *exception: object) -> None:
        for worker, thread in zip(self.workers, self._threads, strict=True):
            worker.end()
            thread.shutdown(wait=False, cancel_futures=True)

    def each(self, questions: Questions, late: Callable[[], bool]) -> Iterator[tuple[Question, Answer]]:
        left, more = iter(questions), True
        try:
            for _ in range(len(self._free)):
                if not late():
                    more = self._ask(self._free.pop(0), left)
            while (more or any(heard for heard, _ in self._running.values())) and self._running and not late():
                known = wait(self._running, _LOOK_S, FIRST_COMPLETED).done
                for done in [one for one in self._running if one in known]:
                    heard, number = self._running.pop(done)
                    more = self._ask(number, left)
                    if heard and (found := done.result()) is not None:
                        yield found
            for done in [future for future, (heard, _) in self._running.items() if heard and future.done()]:
                self._free.append(self._running.pop(done)[1])
                if (found := done.result()) is not None:
                    yield found
        finally:
            self._give_up()

    def _give_up(self) -> None:
        """Take back what is asked and not begun; what is begun goes on, and nobody hears its answer."""
        for future, (_, number) in list(self._running.items()):
            if future.cancel():
                del self._running[future]
                self._free.append(number)
            else:
                self._running[future] = False, number

    def _ask(self, number: int, left: Iterator[Question]) -> bool:
        """Have a process answer the next question once it has answered those before; False where there is none."""
        self._free.append(number)  # as it stays where the next question cannot be made
        if (following := next(left, None)) is None:
            return False
        self._free.remove(number)
        self._running[self._threads[number].submit(self._answered, number, following)] = True, number
        return True

    def _warmed(self, number: int) -> Answered:
        """In a thread: a process starts its own."""
        with suppress(KernelwrightError):  # the first question tells
            self.workers[number].ask(self.searchers)
        return None

    def _answered(self, number: int, question: Question) -> Answered:
        """In a thread: the question as it is to be asked now, with its answer."""
        now = question.renewed() if question.renewed is not None else question
        if now is None:
            return None
        try:
            found = self.workers[number].ask(replace(now, renewed=None))
        except KernelwrightError as error:
            return now, Answer(why=str(error))
        answer: Answer = found.get("answer") or Answer(why=f"{found['status']}: {found.get('cause', '')}")
        return now, answer
