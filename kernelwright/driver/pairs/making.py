"""Pairs to learn from: problems, generated and given, made into verified pairs by processes, and written as JSON lines.

What a run makes depends on its settings alone, neither on the number of processes nor on interruptions: rows stand in
the order of their problems, and hold no times.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

import torch
import triton
from rich.console import Console

from kernelwright.agent.evaluator import ON_GPU
from kernelwright.driver.config.paths import free_place, remove_if_bare
from kernelwright.driver.config.settings import EvaluatorKind
from kernelwright.driver.pairs.drawing import Drawing
from kernelwright.driver.pairs.problem import GENERATED, make_pairs
from kernelwright.driver.pairs.settings import PairSettings
from kernelwright.driver.run.activity import Activity, sayer
from kernelwright.driver.run.build import resolve_target
from kernelwright.driver.run.closing import GOES_ON, closing_with
from kernelwright.driver.run.journal import Journal, other_journal
from kernelwright.driver.run.workers import Worker, answers
from kernelwright.evaluation.pools.pool import usable_cores
from kernelwright.frontend.computed import computed
from kernelwright.frontend.difficulties import HELD_OUT
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.verifier import extern_ops
from kernelwright.rl.data.contamination import Match, Screen, first_of_held_out_forms, form_is_held_out
from kernelwright.rl.data.normal_form import normal_digest
from kernelwright.rl.data.problems import load_problems
from kernelwright.rl.data.rows import MIDEND, TEST, TRAIN, Pair, Problem, with_splits, write_rows

#: The line that a program has where it calls library operators (`program_text`).
_EXTERNS = "aten = torch.ops.aten"
#: Whose copies are left out: problems that are given, and generated programs of the run.
_EVALUATION, _HELD_OUT = "evaluation", "held_out"
#: Where pairs go that are given no file, under the name of their stage.
DEFAULT = Path("runs/pairs")


@dataclass(frozen=True)
class PairSet:
    """The pairs of a run, in the order of their problems, and what became of every problem: id -> result, of which
    the keys are status and, if known, cause, copy_of, copied_from, similarity, seconds and split."""

    pairs: tuple[Pair, ...]
    outcomes: dict[str, dict[str, Any]] = field(default_factory=dict)


class PairRun:
    """One run. `out` gets the pairs, when it ends and when it is interrupted; its journal lies beside it."""

    def __init__(self, settings: PairSettings) -> None:
        self.settings, self.plan = settings, settings.plan
        self.out = Path(settings.out)
        self.drawing = Drawing.of(settings)
        self.given, self.measured = _given(settings)
        self.screen = Screen(self.measured, settings.similarity, computed)
        self._dropped: dict[str, dict[str, Any]] = {}
        self._splits: dict[str, str] = {}

    @property
    def size(self) -> int:
        """How many problems there are."""
        return self.settings.held_out + len(self.given) + self.settings.count

    def run(self, console: Console, report: Callable[[PairSet], None]) -> None:
        """Make what the journal lacks. However it ends, what is done so far is written and reported; a run that ends
        before a problem is done leaves nothing.

        The default file gets a number where it holds the pairs of another run.
        """
        self._check_rungs()
        made_with, default = self._made_with(), DEFAULT / f"{self.plan.stage}.jsonl"
        other = lambda place: other_journal(_journal(place), made_with)  # noqa: E731
        self.out = free_place(self.out, self.out == default, other, sayer(console))
        new = not self.out.parent.exists()
        with Journal(_journal(self.out), made_with) as journal:
            if journal.results:
                sayer(console)(f"{self.out}: resuming after {len(journal.results)} of {self.size} problems")
            try:
                with closing_with(lambda: self._kept(journal)):
                    self._make(journal, console)
            except BaseException:
                if journal.results:
                    self._finish(journal, report)
                else:
                    journal.remove()
                    if new:
                        remove_if_bare(self.out.parent)
                raise
            self._finish(journal, report)

    def _check_rungs(self) -> None:
        """UserError for rungs that no program can pass here."""
        on_gpu = [str(rung) for rung in self.plan.rungs if rung in ON_GPU]
        if on_gpu and self.settings.compiling.evaluator.kind is EvaluatorKind.local and not torch.cuda.is_available():
            raise UserError(
                f"rungs={','.join(on_gpu)} needs a CUDA device; without one, choose from parse, compile, interpret"
            )

    def _finish(self, journal: Journal, report: Callable[[PairSet], None]) -> None:
        found = self._collect(journal)
        write_rows(self.out, found.pairs)
        report(found)

    def _kept(self, journal: Journal) -> str:
        """What a run that is stopped leaves, in one line."""
        if not journal.results:
            return "stopped before the first problem was done; nothing of this run is kept"
        done = len(self._dropped) + len(journal.results)
        return f"{done} of {self.size} problems are done, kept in {_journal(self.out)}; {GOES_ON}"

    def _made_with(self) -> dict[str, Any]:
        """What results follow from besides their problem: results of other runs do not mix."""
        plan, importing, evaluator = self.plan, self.settings.compiling.importing, self.settings.compiling.evaluator
        pipelines = (
            {"lower": str(plan.lower)}
            if plan.stage == "frontend"
            else {
                "starts": list(map(str, plan.starts)),
                "search": list(map(str, plan.search)),
                "margin": plan.margin,
                **({} if plan.action == "program" else {"action": plan.action, "trials": plan.trials}),
            }
        )
        return {
            "stage": plan.stage,
            **({} if plan.answers else {"answers": False}),
            **({} if plan.max_mb is None else {"max_mb": plan.max_mb}),
            **pipelines,
            "rungs": list(map(str, plan.rungs)),
            "target": resolve_target(self.settings.compiling.target),
            **self.drawing.made_with(),
            "import": [importing.shrink.value, importing.numerics.value, importing.budget],
            **({} if importing.allclose is None else {"allclose": importing.allclose}),
            "seeds": evaluator.seeds,
            "torch": torch.__version__,
            "triton": triton.__version__,
        }

    def _make(self, journal: Journal, console: Console) -> None:
        settings = self.settings
        answer = partial(make_pairs, plan=self.plan)
        processes = settings.workers or (1 if torch.cuda.is_available() else usable_cores())
        workers = [Worker(settings.compiling, answer, settings.timeout_s) for _ in range(processes)]
        with Activity(console, "starting processes", self.size) as activity:
            known = set[str]()

            def due() -> Iterator[Problem]:
                for problem in self._wanted(journal):
                    found = journal.results.get(problem.id)
                    if found is None or found["source"] != problem.source:  # it was edited since
                        journal.results.pop(problem.id, None)
                        yield problem
                    else:
                        known.add(problem.id)

            with closing(answers(due(), workers)) as results:
                for problem, result in results:
                    journal.add(problem.id, {"source": problem.source, **result})
                    known.add(problem.id)
                    activity.show("pairs", completed=len(self._dropped) + len(known))

    def _wanted(self, journal: Journal) -> Iterator[Problem]:
        """The problems of which pairs are wanted, in order: to learn from no held-out form and none too often, no copy,
        none twice."""
        settings = self.settings
        held_out: list[Problem] = []
        measured = Screen(())
        seen: set[str] = set()
        forms: Counter[str] = Counter()
        for problem in self._problems(journal):
            self._splits[problem.id] = problem.split
            if problem.split == TRAIN and held_out:
                measured, held_out = Screen(held_out, settings.similarity, computed), []
            digest, form = normal_digest(problem.source, sizes=True), normal_digest(problem.source)
            learnt = problem.split == TRAIN and _is_generated(problem)
            if learnt and form_is_held_out(problem.source):
                self._dropped[problem.id] = {"status": "held_out_form"}
            elif learnt and settings.per_form is not None and forms[form] >= settings.per_form:
                self._dropped[problem.id] = {"status": "frequent_form"}
            elif match := self.screen.match(problem.source):
                self._dropped[problem.id] = _copied(match, _EVALUATION)
            elif match := measured.match(problem.source):
                self._dropped[problem.id] = _copied(match, _HELD_OUT)
            elif digest in seen:
                self._dropped[problem.id] = {"status": "duplicate"}
            else:
                if problem.split == TEST:
                    held_out.append(problem)
                seen.add(digest)
                forms[form] += learnt
                yield problem

    def _problems(self, journal: Journal) -> Iterator[Problem]:
        """Held-out programs first, so that what is to learn from can be held against them."""
        drawn = self._generated(count(HELD_OUT), TEST, journal)
        yield from islice(first_of_held_out_forms(drawn), self.settings.held_out)
        yield from self.given
        yield from self._generated(
            range(self.settings.first, self.settings.first + self.settings.count), TRAIN, journal
        )

    def _generated(self, seeds: Iterable[int], split: str, journal: Journal) -> Iterator[Problem]:
        for seed in seeds:
            name = self.drawing.name(seed)
            known = journal.results.get(name)
            source = known["source"] if known else self.drawing.source(seed)
            yield Problem(name, source, {"format": GENERATED, **self.drawing.provenance(seed, source)}, split)

    def _collect(self, journal: Journal) -> PairSet:
        """The pairs of all problems that were wanted, less those that turn out to be copies or too long."""
        pairs: list[Pair] = []
        outcomes: dict[str, dict[str, Any]] = {}
        seen: set[str] = set()
        for name, split in self._splits.items():
            result = self._dropped.get(name) or journal.results.get(name)
            if result is None:
                continue
            found = {key: value for key, value in result.items() if key not in ("id", "source", "pairs")}
            for content in result.get("pairs", ()):
                pair = Pair(**content)
                found |= self._judged(pair, seen)
                if found["status"] == "ok":
                    seen.add(pair.digest)
                    pairs.append(pair)
            outcomes[name] = {**found, "split": split}
        return PairSet(tuple(pairs), outcomes)

    def _judged(self, pair: Pair, seen: set[str]) -> dict[str, Any]:
        """The status of a pair that was made."""
        if self.settings.max_chars is not None and len(pair.before) + len(pair.after) > self.settings.max_chars:
            return {"status": "too_long"}
        if not self.settings.externs and _calls_operators(pair):
            return {"status": "extern"}
        if pair.digest in seen:
            return {"status": "duplicate"}
        if not pair.has_program:
            return {"status": "ok"}
        match = self.screen.match(pair.after)  # benchmarks that give Triton alone
        return {"status": "ok"} if match is None else _copied(match, _EVALUATION)


def _journal(out: Path) -> Path:
    """The journal beside a file of pairs."""
    return out.with_name(f"{out.name}.journal")


def _is_generated(problem: Problem) -> bool:
    return problem.provenance.get("format") == GENERATED


def _calls_operators(pair: Pair) -> bool:
    """Whether the program that is asked for, or to be made faster, calls library operators."""
    if pair.stage == MIDEND and not pair.has_program:
        return bool(extern_ops(parse_module(pair.before)))
    return _EXTERNS in pair.after.split("\n")


def _copied(match: Match, place: str) -> dict[str, Any]:
    return {"status": "contaminated", "copy_of": match.id, "copied_from": place, "similarity": match.similarity}


def _given(settings: PairSettings) -> tuple[tuple[Problem, ...], tuple[Problem, ...]]:
    """The problems to learn from, and those that nothing may be a copy of: the test split, and what is given."""
    measured = [problem for place in settings.against for problem in load_problems(place)]
    train: list[Problem] = []
    for place in settings.problems:
        ratios = {TRAIN: settings.ratio, TEST: 1 - settings.ratio}
        found = with_splits(load_problems(place), ratios, settings.split_seed)
        train += (problem for problem in found if problem.split == TRAIN)
        measured += (problem for problem in found if problem.split != TRAIN)
    twice = [name for name, count in Counter(problem.id for problem in train).items() if count > 1]
    if twice:
        raise UserError(f"problems: {twice[0]!r} is there twice, in {', '.join(settings.problems)}; rename one")
    return tuple(train), tuple(measured)
