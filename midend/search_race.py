"""How `search` spends its budget: the cost model prunes, the evaluator judges, each round halves what is left."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from kernelwright.agent.evaluating import Evaluate, judge_all, one_by_one
from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.agent.measures import is_correct, speedup
from kernelwright.backend.cost import estimate
from kernelwright.backend.targets import get_target
from kernelwright.backend.tune import WORTH
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search_journal import open_journal
from kernelwright.midend.search_space import Candidate, Space

#: Rungs by which the last ones are compared where there is a GPU, and what they are timed against.
TIMED = (Rung.PARSE, Rung.COMPILE, Rung.RUN, Rung.TIME)
BASELINES = ("eager", "inductor")
#: Candidates that are so compared, beside the plain one.
FINALISTS = 3
#: Failures of passes that notes tell.
_TOLD = 8


class OutOfTimeError(Exception):
    """A search has spent its seconds."""


class SearchError(KernelwrightError):
    """No candidate was verified, the plain lowering included."""


@dataclass(frozen=True)
class Spending:
    """What a search may spend; the fields are options of the pass."""

    width: int
    trials: int
    most: int
    seconds: float


@dataclass(frozen=True)
class Tried:
    """A candidate that was judged: microseconds by the cost model, and by the evaluator where it measured.

    `base` is the candidate before its launch options were chosen: itself, where they were not.
    """

    candidate: Candidate
    base: Candidate
    verdict: Verdict
    estimated_us: float
    measured_us: float | None

    @property
    def verified(self) -> bool:
        """Whether its outputs were compared and found right."""
        return is_correct(self.verdict)


class Race:
    """One search. `run` may be interrupted anywhere: `best` is then the best of what was verified."""

    def __init__(self, space: Space, spending: Spending, ctx: Context, on_gpu: bool, resume: bool) -> None:
        given: Evaluate | None = ctx.options.get("evaluate")
        if given is None and ctx.evaluator is None:
            raise UserError("search needs an evaluator in its context; it keeps nothing that was not verified")
        self.space, self.spending, self.ctx, self.on_gpu = space, spending, ctx, on_gpu
        self.evaluate = given or one_by_one(ctx.evaluator)
        self.journal = open_journal(space.module.reference, ctx, resume)
        self.tried: list[Tried] = []
        self.plain: Candidate | None = None
        self.distinct: list[Candidate] = []
        self.pruned = 0
        self.timed: dict[str, Verdict] = {}
        self._estimates: dict[str, float] = {}
        self._end = time.monotonic() + (spending.seconds or math.inf)

    @property
    def verified(self) -> list[Tried]:
        """Those that were found right, in the order in which they were judged."""
        return [tried for tried in self.tried if tried.verified]

    def run(self) -> None:
        """Spend the budget. Raises OutOfTimeError, what the plain lowering raises, and SearchError."""
        self.ctx.progress("plain lowering")
        plain = self.plain = self.space.plain()
        self._judge(plain, plain)
        self.space.say = self._say
        walk = self.space.walk(plain, self._estimate, self.spending.width)
        for candidate in islice(walk, self.spending.most):
            self.distinct.append(candidate)
        live = self._prune(plain)
        for number, candidate in enumerate(live, 1):
            self._say(f"verifying {number}/{len(live)}: {candidate.spec}")
            self._judge(candidate, candidate)
        if not self.verified:
            raise SearchError(self._nothing())
        self._halve([candidate for candidate in live if self._scores(candidate)], plain)
        if self.on_gpu:
            self._time(plain)

    def best(self) -> Tried:
        """The fastest verified candidate; the plain one where that is not beaten by more than scores can tell.

        Raises SearchError where nothing was verified.
        """
        if not self.verified:
            raise SearchError(self._nothing())
        best = min(self.verified, key=self._us)
        plain = min((one for one in self.verified if one.base is self.plain), key=self._us, default=best)
        if self.timed:
            best = max((one for one in self.verified if one.candidate.digest in self.timed), key=self._standing)
            beaten = self._standing(best) < max(self._standing(plain), 1.0)
            return plain if beaten and self._standing(plain) else best
        worth = WORTH["gpu" if self._measured else "model"]
        return plain if best.base is self.plain or self._us(best) >= worth * self._us(plain) else best

    def notes(self, best: Tried) -> dict[str, Any]:
        """What was tried and what came of it: microseconds, numbers of candidates, and who was refused why."""
        assert self.plain is not None
        plain = [self._us(one) for one in self.verified if one.base is self.plain]
        told = {
            "best": best.candidate.spec,
            "us": round(self._us(best), 3),
            "plain": self.plain.spec,
            "plain_us": round(plain[0], 3) if plain else None,
            "plain_tuned_us": round(min(plain), 3) if plain else None,
            "obtained": "measured by the evaluator"
            if self._measured
            else f"cost model: estimated for {self.ctx.target}, not measured",
            "kept": self._why(best),
            "made": self.space.made,
            "distinct": len(self.distinct),
            "pruned": self.pruned,
            "judged": len(self.tried),
            "verified": len(self.verified),
            "refused": {one.candidate.spec: _first_line(one.verdict) for one in self.tried if not one.verified},
        }
        if self.space.failed:
            told["failed"] = {spec: _line(why) for spec, why in list(self.space.failed.items())[:_TOLD]}
        if best.candidate.digest in self.timed:
            verdict = self.timed[best.candidate.digest]
            found = {name: speedup(verdict, name) for name in BASELINES}
            told["speedups"] = {name: round(times, 3) for name, times in found.items() if times is not None}
        return told

    def _why(self, best: Tried) -> str:
        if best.base is not self.plain:
            return "candidate"
        if any(one.candidate.digest in self.timed and one.base is not self.plain for one in self.verified):
            return "plain lowering: the best candidate is not faster than it, or slower than PyTorch"
        return "plain lowering: nothing verified beats it"

    def _prune(self, plain: Candidate) -> list[Candidate]:
        """The plain candidate, and of the others those that the cost model likes best."""
        others = [candidate for candidate in self.distinct if candidate is not plain]
        for number, candidate in enumerate(others, 1):
            self._say(f"estimating {number}/{len(others)}: {candidate.spec}")
            self._estimate(candidate.module)
        possible = [candidate for candidate in others if math.isfinite(self._estimate(candidate.module))]
        ranked = sorted(possible, key=lambda candidate: self._estimate(candidate.module))
        live = ranked[: self.spending.width - 1]
        self.pruned = len(others) - len(live)
        return [plain, *live]

    def _halve(self, live: Sequence[Candidate], plain: Candidate) -> None:
        """Rounds of which each gives the better half twice the trials; the plain one gets what the last one gets."""
        rounds = max(math.ceil(math.log2(max(len(live), 1))), 1)
        for left in reversed(range(rounds)):
            trials = max(self.spending.trials >> left, 1)
            live = sorted(live, key=lambda base: min(map(self._us, self._scores(base))))[: -(-len(live) // 2)]
            last = [plain] if left == 0 and plain not in live and self._scores(plain) else []
            for number, base in enumerate([*live, *last], 1):
                self._say(f"tuning {number}/{len(live) + len(last)} with {trials} trials: {base.spec}")
                tuned = self._tune(base, trials)
                if tuned.digest not in {one.candidate.digest for one in self.tried}:
                    self._judge(tuned, base)

    def _time(self, plain: Candidate) -> None:
        """Time the best few, of each its best launch options, and the plain one beside PyTorch."""
        finalists: dict[str, Tried] = {}
        for one in sorted(self.verified, key=self._us):
            if one.base is plain or len(finalists.keys() - {plain.digest}) < FINALISTS:
                finalists.setdefault(one.base.digest, one)
        judged = {}
        for one in finalists.values():
            self._say(f"timing {one.candidate.spec}")
            judged[one.candidate.digest] = self._verdict(one.candidate.module, TIMED)
        self.timed = judged

    def _standing(self, tried: Tried) -> float:
        """How many times as fast as the faster of the baselines; 0 where it was refused, or not timed."""
        verdict = self.timed.get(tried.candidate.digest)
        if verdict is None or not verdict.ok:
            return 0.0
        return min((found for name in BASELINES if (found := speedup(verdict, name)) is not None), default=0.0)

    def _tune(self, base: Candidate, trials: int) -> Candidate:
        spec = f"tune{{trials={trials}{'' if self.on_gpu else ',measure=model'}}}"
        module = self.journal.tuned(base.module, spec)
        if module is None:
            module = parse_pipeline(spec).run(base.module, self.ctx)
            self.journal.add_tuned(base.module, spec, module)
        return Candidate(f"{base.spec},{spec}", module)

    def _judge(self, candidate: Candidate, base: Candidate) -> None:
        """Judge a candidate that was not judged yet."""
        if any(one.candidate.digest == candidate.digest for one in self.tried):
            return
        verdict = self._verdict(candidate.module, self.ctx.options.get("rungs"))
        measured = verdict.times_ms.get("candidate") if self.on_gpu else None
        us = None if measured is None else 1e3 * measured
        self.tried.append(Tried(candidate, base, verdict, self._estimate(candidate.module), us))

    def _verdict(self, module: KernelModule, rungs: tuple[Rung, ...] | None) -> Verdict:
        known = self.journal.verdict(module, rungs)
        if known is not None:
            return known
        (verdict,) = judge_all([module], self.evaluate, rungs)
        self.journal.add_verdict(module, rungs, verdict)
        return verdict

    def _estimate(self, module: KernelModule) -> float:
        """Microseconds by the cost model; infinite where Triton refuses a kernel."""
        if module.digest not in self._estimates:
            by_context = self.ctx.options.get("estimate")
            try:
                us = 1e3 * by_context(module) if by_context else estimate(module, get_target(self.ctx.target)).us
            except KernelwrightError:
                us = math.inf
            self._estimates[module.digest] = us
        return self._estimates[module.digest]

    @property
    def _measured(self) -> bool:
        """Whether every verified candidate was measured, so that measured times can be compared."""
        return all(one.measured_us is not None for one in self.verified)

    def _us(self, tried: Tried) -> float:
        return tried.measured_us if self._measured and tried.measured_us is not None else tried.estimated_us

    def _scores(self, base: Candidate) -> list[Tried]:
        """What was verified of a candidate, with its own or other launch options."""
        return [one for one in self.verified if one.base is base]

    def _say(self, line: str) -> None:
        """Tell what comes next, unless the time is over."""
        if time.monotonic() > self._end:
            raise OutOfTimeError
        self.ctx.progress(line)

    def _nothing(self) -> str:
        found = "; ".join(f"{one.candidate.spec}: {_first_line(one.verdict)}" for one in self.tried[:_TOLD])
        return f"search on @{self.space.module.name}: none of {len(self.tried)} candidates is verified: {found}"


def _first_line(verdict: Verdict) -> str:
    return _line(str(verdict))


def _line(text: str) -> str:
    return text.partition("\n")[0][:160]
