"""How `search` spends its budget without a GPU: the cost model prunes, the evaluator judges, each round halves what is
left. `search_measured` is how it does on one."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import Any

from kernelwright.agent.evaluating import judge_all, one_by_one
from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.agent.measures import is_correct
from kernelwright.agent.services import AgentServices
from kernelwright.backend.cost.model import estimate
from kernelwright.backend.targets import get_target
from kernelwright.backend.tuning.fitting import WORTH
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule, Reference
from kernelwright.midend.search.curve import Curve
from kernelwright.midend.search.journal import open_journal
from kernelwright.midend.search.space import Candidate, Space

#: Failures of passes that notes tell.
TOLD = 8
#: Why a search gives back what it began with.
KEPT_PLAIN = "plain lowering: nothing verified beats it"


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
    """A candidate that was judged, and its microseconds by the cost model.

    `base` is the candidate before its launch options were chosen: itself, where they were not.
    """

    candidate: Candidate
    base: Candidate
    verdict: Verdict
    us: float

    @property
    def verified(self) -> bool:
        """Whether its outputs were compared and found right."""
        return is_correct(self.verdict)


class RememberingEvaluator:
    """The context's evaluator, which judges nothing twice."""

    def __init__(self, reference: Reference, ctx: Context, resume: bool) -> None:
        services = ctx.service(AgentServices)
        given, self._prepare = services.evaluate, services.prepare
        if given is None and ctx.evaluator is None:
            raise UserError("search needs an evaluator in its context; it keeps nothing that was not verified")
        self.evaluate = given or one_by_one(ctx.evaluator)
        self.journal = open_journal(reference, ctx, resume)

    def prepare(self, reference: Reference, rungs: tuple[Rung, ...] | None) -> None:
        """Have the evaluator find out what is right, where it can before there is a module."""
        if self._prepare is not None:
            self._prepare(reference, rungs)

    def verdict(self, module: KernelModule, rungs: tuple[Rung, ...] | None) -> Verdict:
        """The verdict on a module."""
        known = self.journal.verdict(module, rungs)
        if known is not None:
            return known
        (verdict,) = judge_all([module], self.evaluate, rungs)
        self.journal.add_verdict(module, rungs, verdict)
        return verdict


class SearchRun:
    """One search. `run` may be interrupted anywhere: `best` is then the best of what was verified."""

    def __init__(self, space: Space, spending: Spending, ctx: Context, resume: bool) -> None:
        self.space, self.spending, self.ctx = space, spending, ctx
        self.judge = RememberingEvaluator(space.module.reference, ctx, resume)
        self.tried: list[Tried] = []
        self.plain: Candidate | None = None
        self.distinct: list[Candidate] = []
        self.pruned = 0
        self.curve = Curve()
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

    def best(self) -> Tried:
        """The fastest verified candidate; the plain one where that is not beaten by more than scores can tell.

        Raises SearchError where nothing was verified.
        """
        if not self.verified:
            raise SearchError(self._nothing())
        best = min(self.verified, key=attrgetter("us"))
        plain = min((one for one in self.verified if one.base is self.plain), key=attrgetter("us"), default=best)
        return plain if best.base is self.plain or best.us >= WORTH["model"] * plain.us else best

    def notes(self, best: Tried) -> dict[str, Any]:
        """What was tried and what came of it: microseconds, numbers of candidates, and who was refused why."""
        assert self.plain is not None
        plain = [one.us for one in self.verified if one.base is self.plain]
        told = {
            "best": best.candidate.spec,
            "us": round(best.us, 3),
            "plain": self.plain.spec,
            "plain_us": round(plain[0], 3) if plain else None,
            "plain_tuned_us": round(min(plain), 3) if plain else None,
            "obtained": f"cost model: estimated for {self.ctx.target}, not measured",
            "kept": "candidate" if best.base is not self.plain else KEPT_PLAIN,
            "made": self.space.made,
            "distinct": len(self.distinct),
            "pruned": self.pruned,
            "judged": len(self.tried),
            "verified": len(self.verified),
            "refused": {one.candidate.spec: first_line(one.verdict) for one in self.tried if not one.verified},
            "curve": self.curve.told(),
        }
        if self.space.failed:
            told["failed"] = {spec: line_of(why) for spec, why in list(self.space.failed.items())[:TOLD]}
        return told

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
            live = sorted(live, key=lambda base: min(map(attrgetter("us"), self._scores(base))))[: -(-len(live) // 2)]
            last = [plain] if left == 0 and plain not in live and self._scores(plain) else []
            for number, base in enumerate([*live, *last], 1):
                self._say(f"tuning {number}/{len(live) + len(last)} with {trials} trials: {base.spec}")
                tuned = self._tune(base, trials)
                if tuned.digest not in {one.candidate.digest for one in self.tried}:
                    self._judge(tuned, base)

    def _tune(self, base: Candidate, trials: int) -> Candidate:
        spec = f"tune{{trials={trials},measure=model}}"
        module = self.judge.journal.tuned(base.module, spec)
        if module is None:
            module = parse_pipeline(spec).run(base.module, self.ctx)
            self.judge.journal.add_tuned(base.module, spec, module)
        return Candidate(f"{base.spec},{spec}", module)

    def _judge(self, candidate: Candidate, base: Candidate) -> None:
        """Judge a candidate that was not judged yet."""
        if any(one.candidate.digest == candidate.digest for one in self.tried):
            return
        verdict = self.judge.verdict(candidate.module, self.ctx.service(AgentServices).rungs)
        self.tried.append(Tried(candidate, base, verdict, self._estimate(candidate.module)))
        self.curve.add(self.tried[-1].us if self.tried[-1].verified else math.inf)

    def _estimate(self, module: KernelModule) -> float:
        """Microseconds by the cost model; infinite where Triton refuses a kernel."""
        if module.digest not in self._estimates:
            by_context = self.ctx.service(AgentServices).estimate
            try:
                us = 1e3 * by_context(module) if by_context else estimate(module, get_target(self.ctx.target)).us
            except KernelwrightError:
                us = math.inf
            self._estimates[module.digest] = us
        return self._estimates[module.digest]

    def _scores(self, base: Candidate) -> list[Tried]:
        """What was verified of a candidate, with its own or other launch options."""
        return [one for one in self.verified if one.base is base]

    def _say(self, line: str) -> None:
        """Tell what comes next, unless the time is over."""
        now = time.monotonic()
        if now > self._end:
            raise OutOfTimeError
        plain = [one.us for one in self.verified if one.base is self.plain]
        best = [one.us for one in self.verified]
        self.ctx.progress(standing(self.space.made, plain, best, self._end - now, line))

    def _nothing(self) -> str:
        found = "; ".join(f"{one.candidate.spec}: {first_line(one.verdict)}" for one in self.tried[:TOLD])
        return f"search on @{self.space.module.name}: none of {len(self.tried)} candidates is verified: {found}"


def standing(made: int, plain: Sequence[float], scores: Sequence[float], left_s: float, line: str) -> str:
    """How a search stands: candidates that were made, the best of their microseconds beside the plain one's, the
    seconds that are left, and what comes next."""
    parts = [f"{made} candidate{'s' * (made != 1)} made"]
    if plain and math.isfinite(plain[0]):
        parts.append(f"best {plain[0] / min(scores):.2f}x the plain lowering")
    if math.isfinite(left_s):
        parts.append(f"{max(0.0, left_s):.0f} s left")
    return f"{', '.join(parts)}; {line}"


def first_line(verdict: Verdict) -> str:
    """A verdict's text, cut for notes."""
    return line_of(str(verdict))


def line_of(text: str) -> str:
    """The first line of a text, cut for notes."""
    return text.partition("\n")[0][:160]
