"""How `search` spends its budget on a GPU: many candidates are made and compiled at a time, run once and timed; the
best get more trials of their launch options; of what is then fastest the first that the evaluator verifies is kept."""

import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.agent.services import AgentServices
from kernelwright.backend.measure.bench import WHOLE
from kernelwright.backend.measure.children import OFF_GPU, Child, Children
from kernelwright.backend.measure.pool import BENCH, lent_child, lent_children
from kernelwright.backend.measure.processes import START_SECONDS
from kernelwright.backend.measure.stopwatch import Measured, NoBenchError, Stopwatch, begin_drawing
from kernelwright.backend.targets import get_target
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.beginnings import (
    beginnings,
    best_of_each,
    early_lowerings,
    memory_of,
    remember,
    worth_measuring,
)
from kernelwright.midend.search.curve import Curve
from kernelwright.midend.search.making import Makers
from kernelwright.midend.search.notes import notes_of
from kernelwright.midend.search.processes import modules_of_passes
from kernelwright.midend.search.search_run import RememberingEvaluator, Spending, standing
from kernelwright.midend.search.space import Candidate, Space
from kernelwright.midend.search.supply import Supply
from kernelwright.midend.search.tuning import Entry, Fitting
from kernelwright.midend.search.verifying import FINALISTS, Keeping, Verifying, prepare_beside
from kernelwright.midend.search.waiting import Waiting

#: Rungs by which the fastest are verified, and by which the one that is kept is timed.
CHECKED = (Rung.PARSE, Rung.COMPILE, Rung.RUN)
TIMED = (*CHECKED, Rung.TIME)
#: Shares of the seconds, but for those of starting, after which no more is made, measured and tuned; the rest is the
#: evaluator's.
MADE_BY, MEASURED_BY, TUNED_BY = 0.45, 0.55, 0.85
#: For how long, and up to which share of the seconds, what memory gave is waited for where it is being made by then: it
#: is the likeliest to win.
OWED_S, OWED_BY = 2.0, 0.8
#: The share of the seconds that there is at least once processes have started.
STARTED = 0.5
#: How long after its seconds a search may end, so that what is being verified may come yet: seconds, and a share of its
#: seconds.
LATE_S, LATE_SHARE = 4.5, 0.1
#: How many times as many runs the last comparison has.
LAST_RUNS = 4.0


@dataclass
class MeasuredSearchRun:
    """One search on `device`; `cpu`, where the interpreter is what is timed, is for rehearsals.

    `run` ends early, and well, when it is interrupted or out of time: `stopped` says so.
    """

    space: Space
    spending: Spending
    ctx: Context
    workers: int
    resume: bool = True
    timed: bool = True
    device: str = "cuda"
    memory: bool = False
    rivals: int = 0
    cache: str = "cold"
    stopped: str = ""
    plain: Candidate | None = None
    distinct: int = 0
    pruned: int = 0
    trials: int = 0
    replaced: int = 0
    entries: list[Entry] = field(default_factory=list)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    spent_s: dict[str, float] = field(default_factory=dict)
    best: Entry | None = None
    _own: Sequence[Candidate] = ()
    _first: Sequence[str] = ()
    _times: dict[str, float] = field(default_factory=dict)
    timing: Verdict | None = None
    curve: Curve = field(default_factory=Curve)

    def __post_init__(self) -> None:
        self.judge = RememberingEvaluator(self.space.module.reference, self.ctx, self.resume)
        self._verifying = Verifying(lambda module: self.judge.verdict(module, self._rungs), self.verdicts)
        self._memory = memory_of(self.ctx) if self.memory else None
        self._ends = time.monotonic() + (self.spending.seconds or math.inf)
        self._begins = time.monotonic()

    def run(self) -> Entry:
        """Spend the budget; the best that is verified. Raises what the plain lowering raises, and SearchError."""
        prepare_beside(self.space.module.reference, lambda reference: self.judge.prepare(reference, self._rungs))
        try:
            with (
                lent_child(BENCH) as clock,
                lent_children(self.workers, modules_of_passes(), OFF_GPU) as children,
                closing(self._supplied(Makers(children, self.ctx.target, self.ctx.seed))) as supply,
            ):
                begin_drawing(clock, self.space.module.reference, self.ctx.seed, self.device)
                with self._clocked("starting"):
                    plain = self.plain = self._plain(supply)
                self.entries = [Entry(plain, plain, Measured())]
                self._spend(clock, supply, plain)
        except KeyboardInterrupt:
            if self.plain is None:
                raise
            self.stopped = "interrupted"
        with self._clocked("verifying"):
            self.best = self._verified()
        if self._memory is not None:
            remember(self._memory, self.space.bare, self.entries, self.best, self.ctx.target)
        if self.timed and self.stopped != "interrupted":
            with self._clocked("timing"), suppress(KeyboardInterrupt):
                self._say(f"timing {self.best.candidate.spec}")
                self.timing = self.judge.verdict(self.best.candidate.module, TIMED)
        return self.best

    def notes(self) -> dict[str, Any]:
        """What was tried and what came of it: microseconds, numbers of candidates, who was refused and why."""
        return notes_of(self)

    def _supplied(self, makers: Makers) -> Supply:
        """Those who make candidates, told what they need not wait for."""

        def promise(module: KernelModule) -> float:
            return self._times.get(module.digest, makers.priced(module))

        # As others are made beside it, the plain one is to take no longer.
        early = early_lowerings(self.ctx, self._memory, self.workers // 2)
        return Supply(self.space, makers, promise, self.spending.width, early)

    def _plain(self, supply: Supply) -> Candidate:
        self._say("plain lowering")
        return supply.plain()

    def _spend(self, clock: Child, supply: Supply, plain: Candidate) -> None:
        makers = supply.makers
        self._verifying.begin_beside(plain.module)
        warm = self.cache == "hot"
        stopwatch = Stopwatch(plain.module, self.ctx.seed, self.device, child=clock, warm=warm, drawing=True)
        with stopwatch as watch, suppress(NoBenchError):
            with self._clocked("starting"):
                makers.children.wait_ready(min(START_SECONDS, self._ends - time.monotonic()))
            self._begins = time.monotonic()
            # Where processes started for the first time, little would be left to use them.
            self._ends = max(self._ends, self._begins + STARTED * self.spending.seconds)
            makers.until = self._until(MADE_BY)
            makers.longer = min(makers.until + OWED_S, self._until(OWED_BY))
            makers.owed = lambda: supply.owed
            self._explore(watch, supply, plain)
            self._verifying.begin_beside(min(self.entries, key=attrgetter("us")).candidate.module)
            with self._clocked("tuning"):
                self._tune(watch, makers.children)
                self._compare(watch)
            self.replaced = watch.replaced

    def _explore(self, watch: Stopwatch, supply: Supply, plain: Candidate) -> None:
        """Make candidates, and measure in a thread beside that those that deserve it."""
        makers = supply.makers
        waiting = Waiting(makers.priced)
        with ThreadPoolExecutor(1) as thread:
            measuring = thread.submit(self._measure, watch, plain, waiting, makers)
            try:
                with self._clocked("making"):
                    for candidate in self._make(supply, plain, waiting):
                        waiting.put(candidate, first=candidate.spec in self._first or self._is_own(candidate))
                        if makers.over or measuring.done():
                            break
                    supply.close()
                waiting.end()
                with self._clocked("measuring"):
                    measuring.result()
            except BaseException:
                waiting.end(drop=True)
                raise
        self.stopped = "out of time" if makers.cut or waiting.left else self.stopped
        self.pruned = waiting.pruned

    def _make(self, supply: Supply, plain: Candidate, waiting: Waiting) -> Iterator[Candidate]:
        """Candidates as far as the time goes."""
        self._first, waiting.last = beginnings(plain.module, self.ctx, self._memory)
        self.distinct = 1
        for candidate in supply.candidates(plain, self._first):
            self._own = supply.own
            self._say(f"{self.distinct} distinct candidates of {self.space.made}, now {candidate.spec}")
            self.distinct += 1
            yield candidate
            if self.distinct >= self.spending.most:
                return

    def _is_own(self, candidate: Candidate) -> bool:
        return any(candidate is one for one in self._own)

    def _measure(self, watch: Stopwatch, plain: Candidate, waiting: Waiting, makers: Makers) -> None:
        """In a thread: measure the plain candidate, then what waits, until no more comes or the time is over."""
        self._say(f"measuring {plain.spec}")
        self.entries[0] = Entry(plain, plain, self._measured(watch, plain.module))
        self.entries[0] = self._apart(watch, self.entries[0])
        while (candidate := waiting.take(self._measured_by(waiting, makers))) is not None:
            self._say(f"measuring {candidate.spec}, {waiting.left} wait")
            own = self._is_own(candidate)
            apart = worth_measuring(self.entries[0], candidate.module) if own else ()
            found = self._measured(watch, candidate.module, (WHOLE, *apart))
            self._times[candidate.digest] = found.whole_us
            self.entries.append(Entry(candidate, plain if own else candidate, found))
        if (best := best_of_each([entry for entry in self.entries if entry.base is plain])) is not None:
            self.entries.append(Entry(best, plain, self._measured(watch, best.module)))

    def _apart(self, watch: Stopwatch, whole: Entry) -> Entry:
        """An entry with the times of its kernels, too, which may be many, and each waits for the device."""
        module, known = whole.candidate.module, whole.measured
        symbols = [kernel.symbol for kernel in module.kernels if kernel.meta]
        if not symbols or known.failure:
            return whole
        return replace(whole, measured=replace(known, us={**known.us, **self._timed(watch, module, symbols).us}))

    def _measured_by(self, waiting: Waiting, makers: Makers) -> float:
        """When nothing more is measured but what tuning tries."""
        until = self._until(MEASURED_BY)
        return max(until, makers.longer) if makers.owed() or waiting.first else until

    def _tune(self, watch: Stopwatch, children: Children) -> None:
        def measure(module: KernelModule, symbols: Sequence[str], best_us: float) -> Measured:
            self._verifying.begin_beside(min(self.entries, key=attrgetter("us")).base.module)
            return self._measured(watch, module, symbols, best_us)

        target = get_target(self.ctx.target)
        fitting = Fitting(self.entries, children, target, measure, self._say, self._until(TUNED_BY))
        try:
            fitting.run(self.spending.trials)
        finally:
            self.trials += fitting.trials
        if fitting.late:
            self.stopped = self.stopped or "out of time"

    def _compare(self, watch: Stopwatch) -> None:
        """Take the times of the fastest again, more exactly, with the plain one's."""
        fastest = [entry for entry in sorted(self.entries, key=attrgetter("us")) if math.isfinite(entry.us)][:FINALISTS]
        for entry in {id(entry): entry for entry in (*fastest, self.entries[0])}.values():
            self._say(f"comparing {entry.candidate.spec}")
            again = watch.measure(entry.candidate.module, budget=LAST_RUNS)
            place = self.entries.index(entry)
            self.entries[place] = replace(entry, measured=again)

    def _measured(
        self, watch: Stopwatch, module: KernelModule, symbols: Sequence[str] = (WHOLE,), best_us: float = math.inf
    ) -> Measured:
        known = self._timed(watch, module, symbols, best_us)
        self.curve.add(known.whole_us)
        return known

    def _timed(
        self, watch: Stopwatch, module: KernelModule, symbols: Sequence[str], best_us: float = math.inf
    ) -> Measured:
        known = self.judge.journal.measured(module, symbols, self.cache)
        if known is None:
            fastest = min((entry.us for entry in self.entries), default=math.inf)
            known = watch.measure(module, symbols, min(best_us, fastest))
            if not known.lost:
                self.judge.journal.add_measured(module, symbols, known, self.cache)
        return known

    def _verified(self) -> Entry:
        """The fastest that the evaluator finds right in time, and beside it its rivals, as long as there is time."""
        late_s = LATE_S + LATE_SHARE * self.spending.seconds
        keeping = Keeping(self._verifying, self.entries, self._say, self._ends, late_s, self.stopped)
        best = keeping.best()
        keeping.verify_rivals(best, self.rivals)
        self.stopped = keeping.stopped
        return best

    @property
    def _rungs(self) -> tuple[Rung, ...]:
        return self.ctx.service(AgentServices).rungs or CHECKED

    def _until(self, share: float) -> float:
        """When that share is over of the time that there is once candidates can be made."""
        return self._begins + share * (self._ends - self._begins)

    @contextmanager
    def _clocked(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.spent_s[name] = self.spent_s.get(name, 0.0) + time.monotonic() - began

    def _say(self, line: str) -> None:
        scores = [entry.us for entry in self.entries]
        left_s = self._ends - time.monotonic()
        self.ctx.progress(standing(self.space.made, scores[:1], scores, left_s, line))
