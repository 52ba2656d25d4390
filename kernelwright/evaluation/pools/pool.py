"""Many evaluators behind one ordered stream: items in, verdicts out, a bounded number of them on the way."""

import contextlib
import heapq
import itertools
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.evaluation.judge.cache import VerdictCache, may_cache, verdict_key
from kernelwright.evaluation.judge.comparison import Timing
from kernelwright.evaluation.judge.local import DEFAULT_COMPILE_TARGET, REHEARSALS, Checks, LocalEvaluator
from kernelwright.evaluation.protocol.transport import encode_reference
from kernelwright.evaluation.sandbox.parent import Limits, SandboxError
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.values import KernelModule, Reference

_POLL_SECONDS = 0.02
#: Polls in which a worker that is to end had no job before it is ended itself: it starts, or its judge computes.
_QUIET_POLLS = 5


class PoolClosedError(KernelwrightError):
    """The pool was closed while, or before, something was to be evaluated."""


@dataclass(frozen=True)
class Item:
    """One thing to judge: a program's text or module, and what it is to compute.

    `rungs` None means all that the machine has, `dialect` None what the pool's evaluators are set to. `name` is what
    a text is called in messages. `larger`: the reference at larger sizes, for texts that are to be right there too.
    """

    program: str | KernelModule
    reference: Reference
    rungs: tuple[Rung, ...] | None = None
    dialect: bool | None = None
    name: str = "candidate"
    larger: tuple[Reference, ...] = ()


@dataclass(frozen=True)
class LocalOptions:
    """The arguments of `LocalEvaluator`, as a value that can be sent to another machine; `baselines` are of its
    timing, and `runs` the numbers of warm-up and timed runs, where they are fixed."""

    target: str = "interpreter"
    seeds: int = 3
    timeout_s: float = 60.0
    memory_gb: float = 8.0
    compile_target: str = DEFAULT_COMPILE_TARGET
    use_gpu: bool | None = None
    seed: int | None = None
    dialect: bool = True
    externs: bool = False
    samples: int = 0
    rehearsals: int = REHEARSALS
    baselines: tuple[str, ...] = Timing().baselines
    strength: str = "default"
    repeats: int = 1
    vocabulary: bool = True
    runs: tuple[int, int] | None = None

    def build(self, checks: Checks | None = None) -> LocalEvaluator:
        """An evaluator, which may share its checks; it starts its worker when first used."""
        given = asdict(self)
        baselines, runs = given.pop("baselines"), given.pop("runs")
        timing = Timing.of_runs(runs[0], runs[1], baselines, self.timeout_s) if runs else Timing(baselines=baselines)
        return LocalEvaluator(**given, timing=timing, checks=checks)

    def checks(self, sharers: int) -> Checks:
        """What so many of these evaluators may share."""
        limits = Limits(timeout_s=self.timeout_s, memory_gb=self.memory_gb)
        return Checks(self.seeds, limits, self.seed, sharers, self.strength)


DEFAULT_OPTIONS = LocalOptions()


class Worker(Protocol):
    """What a pool hands items to, one at a time."""

    def judge(self, item: Item) -> Verdict:
        """The verdict; raises SandboxError where the worker is broken, UserError for what cannot be judged."""
        ...

    def interrupt(self) -> None:
        """Make a `judge` that another thread waits for return or raise soon; may be called again and again."""
        ...

    def close(self) -> None:
        """End every process; idempotent."""
        ...


class LocalWorker:
    """Evaluators of this machine, one for each dialect setting in use, behind a cache of verdicts."""

    def __init__(self, options: LocalOptions, cache: VerdictCache | None = None, checks: Checks | None = None) -> None:
        self._options, self._cache, self._checks = options, cache, checks
        self._evaluators: dict[bool, LocalEvaluator] = {}
        self._interrupted = False
        self._quiet: dict[int, int] = {}  # by the worker's process id: polls without a job

    def judge(self, item: Item) -> Verdict:
        """The verdict, from the cache where it holds one."""
        dialect = self._options.dialect if item.dialect is None else item.dialect
        options = replace(self._options, dialect=dialect)
        if dialect not in self._evaluators:
            self._evaluators[dialect] = options.build(self._checks)
        evaluator = self._evaluators[dialect]
        if self._cache is None or not may_cache(item.rungs):
            return _evaluate(evaluator, item)
        settings = asdict(options) | {"name": item.name, "larger": [encode_reference(one) for one in item.larger]}
        key = verdict_key(item.program, item.reference, item.rungs, settings, evaluator.machine)
        verdict = self._cache.get(key)
        if verdict is None:
            verdict = _evaluate(evaluator, item)
            if verdict.ok and not dialect:  # any Python may toss a coin
                again = _evaluate(evaluator, item)
                verdict = verdict if again.ok else again
            if not self._interrupted:  # else the candidate may have been killed
                self._cache.put(key, verdict)
        return verdict

    def interrupt(self) -> None:
        """Kill the jobs that run now, whose worker then cleans up after them; end a worker that has none."""
        self._interrupted = True
        for evaluator in tuple(self._evaluators.values()):
            pid = evaluator.worker_pid
            if pid is None:
                continue
            jobs = _children(pid)
            self._quiet[pid] = 0 if jobs else self._quiet.get(pid, 0) + 1
            for job in jobs:
                _kill(job, signal.SIGKILL)
            if self._quiet[pid] >= _QUIET_POLLS:
                _kill(pid, signal.SIGTERM)

    def close(self) -> None:
        """End the workers and all they started."""
        for evaluator in tuple(self._evaluators.values()):
            evaluator.close()


def _evaluate(evaluator: LocalEvaluator, item: Item) -> Verdict:
    if isinstance(item.program, KernelModule):
        return evaluator.evaluate(replace(item.program, reference=item.reference), item.rungs)
    return evaluator.evaluate_text(item.program, item.reference, item.rungs, item.name, item.larger)


def _children(pid: int) -> list[int]:
    """A process's children; none where it has ended."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _kill(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


class Pool:
    """An ordered stream of verdicts from `workers` workers that `start` makes; implements `Evaluator`.

    Of several streams the oldest goes first, as whoever began it has waited longest. A worker that raises SandboxError
    is replaced, and its item tried once more. Use it as a context manager, or close it: what runs then is ended at
    once. It may be used from several threads.
    """

    def __init__(self, start: Callable[[], Worker], workers: int) -> None:
        if workers < 1:
            raise UserError(f"workers={workers}: at least one is needed")
        self.workers = workers
        #: Called with 1 when a worker gets something to judge and with -1 when it has done so, from its thread.
        self.watch: Callable[[int], None] = lambda _more: None
        self._start = start
        self._idle: list[Worker] = [start() for _ in range(workers)]
        self._busy: list[Worker] = []
        self._last: dict[int, Reference] = {}  # by id() of the worker
        self._change = threading.Condition()
        self._closed = False
        self._streams, self._numbers = itertools.count(), itertools.count()
        self._waiting: list[tuple[int, int, Item, Future[Verdict]]] = []  # a heap: (stream, number, …)
        self._threads = ThreadPoolExecutor(workers, "evaluate")

    @property
    def idle(self) -> tuple[Worker, ...]:
        """The workers that judge nothing now."""
        with self._change:
            return tuple(self._idle)

    def evaluate_many(self, items: Iterable[Item]) -> Iterator[Verdict]:
        """Verdicts in the order of the items; at most two items a worker are read ahead of the verdict given last.

        Raises what `outcomes` gives as an error.
        """
        for outcome in self.outcomes(items):
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome

    def outcomes(self, items: Iterable[Item | KernelwrightError]) -> Iterator[Verdict | BaseException]:
        """As `evaluate_many`, with an error in the place of the item that it is about: UserError for what cannot
        be judged, SandboxError where two workers in turn were broken. An error among the items, as a reader of them
        makes one, comes out in its place. Raises PoolClosedError."""
        window: deque[Future[Verdict]] = deque()
        stream = next(self._streams)
        try:
            for item in items:
                window.append(self.submit(item, stream))
                while window and (len(window) >= 2 * self.workers or window[0].done()):
                    yield _outcome(window.popleft())
            while window:
                yield _outcome(window.popleft())
        finally:
            for future in window:
                future.cancel()

    def evaluate(self, module: KernelModule, rungs: tuple[Rung, ...] | None = None) -> Verdict:
        """Judge one module as `LocalEvaluator` does."""
        return self._judge(Item(module, module.reference, rungs))

    def close(self) -> None:
        """End every worker and what it runs, at once; idempotent. Whoever waits for a verdict gets PoolClosedError."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._change:
            waiting = [made for *_, made in self._waiting]
        for made in waiting:
            made.cancel()
        with self._change:
            while self._busy:
                for worker in self._busy:
                    worker.interrupt()
                self._change.wait(_POLL_SECONDS)
            idle, self._idle = self._idle, []
            self._change.notify_all()
        for worker in idle:
            worker.close()

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def submit(self, item: Item | KernelwrightError, stream: int = 0) -> Future[Verdict]:
        """A verdict to come; an error in the place of an item is what comes then. What waits is judged by the number
        of its stream, then in the order in which it came. Raises PoolClosedError."""
        made: Future[Verdict] = Future()
        if isinstance(item, KernelwrightError):
            made.set_exception(item)
            return made
        with self._change:
            heapq.heappush(self._waiting, (stream, next(self._numbers), item, made))
        try:
            self._threads.submit(self._judge_next)
        except RuntimeError as error:
            raise PoolClosedError("the pool is closed") from error
        return made

    def _judge_next(self) -> None:
        """Judge what is first among all that waits."""
        with self._change:
            *_, item, made = heapq.heappop(self._waiting)
        if not made.set_running_or_notify_cancel():
            return
        try:
            made.set_result(self._judge(item))
        except BaseException as error:  # noqa: BLE001 - raised where the verdict is waited for
            made.set_exception(error)

    def _judge(self, item: Item) -> Verdict:
        worker = self._take(item.reference)
        self.watch(1)
        try:
            try:
                verdict = worker.judge(item)
            except SandboxError:
                if not self._closed:
                    worker = self._replace(worker)
                    verdict = worker.judge(item)
        finally:
            self.watch(-1)
            self._give(worker, item.reference)
        if self._closed:  # what was killed is not the candidate's doing
            raise PoolClosedError("the pool was closed")
        return verdict

    def _take(self, reference: Reference) -> Worker:
        """An idle worker, if possible one that has the reference's outputs already."""
        with self._change:
            self._change.wait_for(lambda: self._idle or self._closed)
            if not self._idle:
                raise PoolClosedError("the pool is closed")
            known = (i for i, worker in enumerate(self._idle) if self._last.get(id(worker)) == reference)
            worker = self._idle.pop(next(known, -1))
            self._busy.append(worker)
            return worker

    def _give(self, worker: Worker, reference: Reference) -> None:
        with self._change:
            self._busy.remove(worker)
            self._idle.append(worker)
            self._last[id(worker)] = reference
            self._change.notify_all()

    def _replace(self, broken: Worker) -> Worker:
        """End a worker that does not work and start another in its place."""
        broken.close()
        fresh = self._start()
        with self._change:
            self._busy[self._busy.index(broken)] = fresh
            self._last.pop(id(broken), None)
        return fresh


def _outcome(future: Future[Verdict]) -> Verdict | BaseException:
    try:
        error = future.exception()
    except CancelledError:
        error = PoolClosedError("the pool was closed")
    if isinstance(error, PoolClosedError):
        raise error
    return future.result() if error is None else error


class EvaluatorPool(Pool):
    """Evaluators of this machine, each with a warm worker process. `workers` None means one for each usable core,
    or one where there is a GPU. With `cache`, verdicts are kept for later runs."""

    def __init__(
        self,
        options: LocalOptions = DEFAULT_OPTIONS,
        workers: int | None = None,
        cache: bool = False,
    ) -> None:
        count = default_workers(options) if workers is None else workers
        checks, verdicts = options.checks(count), VerdictCache() if cache else None
        super().__init__(lambda: LocalWorker(options, verdicts, checks), count)


def default_workers(options: LocalOptions) -> int:
    """How many evaluators this machine feeds: its usable cores, or one where they share a GPU."""
    on_gpu = options.use_gpu or (options.use_gpu is None and Path("/dev/nvidiactl").exists())
    return 1 if on_gpu else usable_cores()


def usable_cores() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0))
