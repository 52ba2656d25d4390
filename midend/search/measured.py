"""How `search` spends its budget on a GPU: many candidates are made and compiled at a time, run once and timed; the
best get more trials of their launch options; of what is then fastest the first that the evaluator verifies is kept."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.agent.measures import BASELINES, is_correct, speedup
from kernelwright.agent.services import AgentServices
from kernelwright.backend.measure.bench import WHOLE
from kernelwright.backend.measure.children import OFF_GPU, Children
from kernelwright.backend.measure.processes import START_SECONDS
from kernelwright.backend.measure.stopwatch import Measured, NoBenchError, Stopwatch
from kernelwright.backend.targets import get_target
from kernelwright.backend.tuning.fitting import WORTH
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.curve import Curve
from kernelwright.midend.search.making import Makers, modules_of_passes, price
from kernelwright.midend.search.race import (
    KEPT_PLAIN,
    TOLD,
    Judge,
    SearchError,
    Spending,
    first_line,
    line_of,
    standing,
)
from kernelwright.midend.search.space import PLAIN, Candidate, Space, Step, in_turn
from kernelwright.midend.search.tuning import Entry, Fitting

#: Rungs by which the fastest are verified, and by which the one that is kept is timed.
CHECKED = (Rung.PARSE, Rung.COMPILE, Rung.RUN)
TIMED = (*CHECKED, Rung.TIME)
#: Shares of the seconds, but for those of starting, after which no more is made, measured and tuned; the rest is the
#: evaluator's.
MADE_BY, MEASURED_BY, TUNED_BY = 0.4, 0.6, 0.8
#: How many times the least estimate a candidate may be estimated at, to be measured.
HOPEFUL = 10.0
#: Candidates that are timed again, and verified at most.
FINALISTS = 4
#: How many times as many runs the last comparison has.
LAST_RUNS = 4.0


@dataclass
class MeasuredRace:
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
    timing: Verdict | None = None
    curve: Curve = field(default_factory=Curve)

    def __post_init__(self) -> None:
        self.judge = Judge(self.space.module.reference, self.ctx, self.resume)
        self._ends = time.monotonic() + (self.spending.seconds or math.inf)
        self._begins = time.monotonic()

    def run(self) -> Entry:
        """Spend the budget; the best that is verified. Raises what the plain lowering raises, and SearchError."""
        try:
            with Children(self.workers, modules_of_passes(), OFF_GPU) as children:
                with self._clocked("starting"):
                    plain = self.plain = self._plain(children)
                self.entries = [Entry(plain, plain, Measured())]
                self._spend(children, plain)
        except KeyboardInterrupt:
            if self.plain is None:
                raise
            self.stopped = "interrupted"
        with self._clocked("verifying"):
            self.best = self._verified()
        if self.timed and self.stopped != "interrupted":
            with self._clocked("timing"), suppress(KeyboardInterrupt):
                self._say(f"timing {self.best.candidate.spec}")
                self.timing = self.judge.verdict(self.best.candidate.module, TIMED)
        return self.best

    def notes(self) -> dict[str, Any]:
        """What was tried and what came of it: microseconds, numbers of candidates, who was refused and why."""
        assert self.plain is not None and self.best is not None
        plain = [entry.us for entry in self.entries if entry.base is self.plain and math.isfinite(entry.us)]
        refused = {e.candidate.spec: line_of(e.measured.failure) for e in self.entries if e.measured.failure}
        specs = {entry.candidate.digest: entry.candidate.spec for entry in self.entries}
        refused |= {specs[d]: first_line(v) for d, v in self.verdicts.items() if not is_correct(v)}
        us = {e.candidate.spec: round(e.us, 3) for e in sorted(self.entries, key=_us) if math.isfinite(e.us)}
        told = {
            "best": self.best.candidate.spec,
            "us": us.get(self.best.candidate.spec),
            "plain": self.plain.spec,
            "plain_us": round(plain[0], 3) if plain else None,
            "plain_tuned_us": round(min(plain), 3) if plain else None,
            "obtained": "measured: median of runs by events behind a flush of the cache, in the process that compared "
            "the outputs with the plain lowering's",
            "kept": self._why(),
            "made": self.space.made,
            "distinct": self.distinct,
            "pruned": self.pruned,
            "measured": len(us),
            "trials": self.trials,
            "processes_lost": self.replaced,
            "verified": sum(is_correct(verdict) for verdict in self.verdicts.values()),
            "refused": refused,
            "candidates_us": us,
            "curve": self.curve.told(),
            "seconds": {name: round(seconds, 1) for name, seconds in self.spent_s.items()},
        }
        if self.space.failed:
            told["failed"] = {spec: line_of(why) for spec, why in list(self.space.failed.items())[:TOLD]}
        if self.stopped:
            told["stopped"] = self.stopped
        return told | self._speedups()

    def _speedups(self) -> dict[str, Any]:
        """How the best did beside PyTorch, where that was measured."""
        if self.timing is None:
            return {}
        if not self.timing.ok:
            return {"timing": first_line(self.timing)}
        found = {name: speedup(self.timing, name) for name in BASELINES}
        times = {name: round(ratio, 3) for name, ratio in found.items() if ratio is not None}
        slower = [name for name, ratio in times.items() if ratio < 1]
        return {"speedups": times} | ({"slower_than": slower} if slower else {})

    def _why(self) -> str:
        assert self.best is not None
        return "candidate" if self.best.candidate is not self.plain else KEPT_PLAIN

    def _spend(self, children: Children, plain: Candidate) -> None:
        # The stopwatch's process starts while candidates are made, and touches the GPU when it is first asked.
        with Stopwatch(plain.module, self.ctx.seed, self.device) as watch, suppress(NoBenchError):
            with self._clocked("starting"):
                children.wait_ready(min(START_SECONDS, self._ends - time.monotonic()))
            self._begins = time.monotonic()
            makers = Makers(children, self.ctx.target, self.ctx.seed, self._until(MADE_BY))
            with self._clocked("making"):
                candidates = self._make(makers, plain)
            with self._clocked("measuring"):
                self._measure(watch, plain, candidates)
            with self._clocked("tuning"):
                self._tune(watch, children)
                self._compare(watch)
            self.replaced = watch.replaced

    def _plain(self, children: Children) -> Candidate:
        """The plain candidate: lowered by a child, or here where that fails, as it does without shapes alone."""
        self._say("plain lowering")
        if self.space.module.launcher is None:
            makers = Makers(children, self.ctx.target, self.ctx.seed)
            for _, made in makers.making(self.space.fitted)([Step(self.space.bare, PLAIN)]):
                if made.module is not None:
                    self.space.made += 1
                    return Candidate(PLAIN, self.space.fitted(made.module))
        return self.space.plain()

    def _make(self, makers: Makers, plain: Candidate) -> list[Candidate]:
        """Candidates as far as the time goes; those that deserve to be measured, in the order in which to do it."""
        self.space.say, self.space.making = self._say, makers.making(self.space.fitted)
        for _, outcome in makers.children.each([(price, (plain.module, makers.target))], 60.0, makers.until):
            makers.us[plain.digest] = outcome.value if outcome.value is not None else math.inf
        found = []
        for candidate in islice(self.space.walk(plain, makers.priced, self.spending.width), self.spending.most):
            found.append(candidate)
            if makers.over:
                break
        if makers.cut:
            self.stopped = "out of time"
        self.distinct = len(found)
        prices = [makers.priced(candidate.module) for candidate in found]
        bound = HOPEFUL * min(filter(math.isfinite, prices), default=0.0)
        hopeful = [one for one, us in zip(found, prices, strict=True) if one is not plain and us <= bound]
        self.pruned = len(found) - 1 - len(hopeful)
        return in_turn(hopeful, makers.priced)

    def _measure(self, watch: Stopwatch, plain: Candidate, candidates: Sequence[Candidate]) -> None:
        self._say(f"measuring {plain.spec}")
        self.entries = [Entry(plain, plain, self._measured(watch, plain.module))]
        for number, candidate in enumerate(candidates, 1):
            if time.monotonic() >= self._until(MEASURED_BY):
                self.stopped = "out of time"
                return
            self._say(f"measuring {number}/{len(candidates)}: {candidate.spec}")
            found = self._measured(watch, candidate.module)
            self.entries.append(Entry(candidate, candidate, found))

    def _tune(self, watch: Stopwatch, children: Children) -> None:
        def measure(module: KernelModule, symbols: Sequence[str], best_us: float) -> Measured:
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
        fastest = [entry for entry in sorted(self.entries, key=_us) if math.isfinite(entry.us)][:FINALISTS]
        for entry in {id(entry): entry for entry in (*fastest, self.entries[0])}.values():
            self._say(f"comparing {entry.candidate.spec}")
            again = watch.measure(entry.candidate.module, budget=LAST_RUNS)
            place = self.entries.index(entry)
            self.entries[place] = replace(entry, measured=again)

    def _measured(
        self, watch: Stopwatch, module: KernelModule, symbols: Sequence[str] = (WHOLE,), best_us: float = math.inf
    ) -> Measured:
        known = self.judge.journal.measured(module, symbols)
        if known is None:
            fastest = min((entry.us for entry in self.entries), default=math.inf)
            known = watch.measure(module, symbols, min(best_us, fastest))
            if not known.lost:
                self.judge.journal.add_measured(module, symbols, known)
        self.curve.add(known.whole_us)
        return known

    def _verified(self) -> Entry:
        """The fastest that the evaluator finds right; the plain one where no other is faster by more than noise."""
        plain = self.entries[0]
        fastest = [entry for entry in sorted(self.entries, key=_us) if entry.us < WORTH["gpu"] * plain.us]
        tried = 0
        for entry in fastest:
            if tried == FINALISTS or self._known_wrong(entry):
                continue
            tried += 1
            self._say(f"verifying {entry.candidate.spec}")
            try:
                verdict = self.judge.verdict(entry.candidate.module, self._rungs)
            except KeyboardInterrupt:
                self.stopped = "interrupted"
                break
            self.verdicts[entry.candidate.digest] = verdict
            if is_correct(verdict):
                return entry
        if plain.candidate.digest not in self.verdicts:
            self._say(f"verifying {plain.candidate.spec}")
            self.verdicts[plain.candidate.digest] = self.judge.verdict(plain.candidate.module, self._rungs)
        if is_correct(self.verdicts[plain.candidate.digest]):
            return plain
        told = "; ".join(f"{first_line(verdict)}" for verdict in self.verdicts.values())
        raise SearchError(f"search on @{self.space.module.name}: none of {len(self.verdicts)} is verified: {told}")

    def _known_wrong(self, entry: Entry) -> bool:
        """Whether the same kernels with other launch options were found wrong before."""
        wrong = {digest for digest, verdict in self.verdicts.items() if not is_correct(verdict)}
        return any(one.candidate.digest in wrong and one.base is entry.base for one in self.entries)

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


def _us(entry: Entry) -> float:
    return entry.us
