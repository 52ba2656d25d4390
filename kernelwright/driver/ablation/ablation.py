"""Ablations: every arm on every problem with every seed, a row each, kept as they come.

Rows are made in processes beside this one, as those of a campaign. The table is a journal: its first line says what the
rows were made with, and a run that was stopped, or killed, goes on with the rows that it lacks.
"""

import hashlib
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from kernelwright.driver.ablation.rows import MISUSED, UNANSWERED, Question, RowMaker
from kernelwright.driver.ablation.settings import AblateSettings, Arm, with_times
from kernelwright.driver.ablation.table import summarize_arms
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.campaigns.problem_sources import read_programs
from kernelwright.driver.campaigns.programs import Program
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.paths import free_place, remove_if_bare
from kernelwright.driver.config.policies import PolicyKind, PolicySettings
from kernelwright.driver.config.train_settings import ProblemSettings
from kernelwright.driver.run.activity import Activity, sayer
from kernelwright.driver.run.build import resolve_target
from kernelwright.driver.run.closing import GOES_ON, closing_with
from kernelwright.driver.run.journal import Journal, other_journal
from kernelwright.driver.run.locks import locked
from kernelwright.driver.run.workers import Worker, answers
from kernelwright.evaluation.pools.pool import usable_cores
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.rl.data.normal_form import normal_digest
from kernelwright.rl.data.rows import write_text

#: Statuses of rows that say more about the machine than about the arm; they are made again by the next run.
AGAIN = frozenset({"error", "crash"})
#: Where a run goes that names no folder, under the name of its experiment.
DEFAULT = Path("runs/ablate")
_TRAINING = "training"
#: Policies that hold a model in the process that asks them.
_OWN_MODEL = (PolicyKind.hf, PolicyKind.vllm)


class Ablation:
    """One run. The folder `out` gets table.jsonl and summary.json, and a folder for each adapter that is trained."""

    def __init__(self, settings: AblateSettings) -> None:
        discover()
        if torch.cuda.is_available():
            settings = replace(settings, arms=tuple(map(with_times, settings.arms)))
        self.settings, self.folder = settings, Path(settings.out)
        self.programs = read_programs(settings.problems)[: settings.limit]
        if not self.programs:
            raise UserError("no problems found; choose other problems=…, or another problems.split=train|test|null")
        for arm in settings.arms:
            if arm.training:
                _check_apart(arm.training[settings.seeds[0]].plain.problems, self.programs, arm.name)

    def run(self, console: Console, report: Callable[[dict[str, Any]], None]) -> None:
        """Make the rows that the table lacks; however it ends, those that it has are reported. A run that ends before
        it has any leaves nothing.

        The default folder gets a number where it holds another run.
        """
        made_with, wanted = self._made_with(), self.folder
        other = lambda place: other_journal(place / "table.jsonl", made_with)  # noqa: E731
        self.folder = free_place(wanted, wanted == DEFAULT / self.settings.name, other, sayer(console))
        new = not self.folder.exists()
        with locked(self.folder), Journal(self.folder / "table.jsonl", made_with) as table:
            if table.results:
                sayer(console)(f"{self.folder}: resuming after {self._progress(table)}")
            try:
                with closing_with(lambda: self._kept(table), also=True):
                    self._make(table, console)
            except BaseException:
                if self._has_something(table):
                    self._finish(table, report)
                else:
                    table.remove()
                    if new:
                        remove_if_bare(self.folder)
                raise
            self._finish(table, report)

    def _finish(self, table: Journal, report: Callable[[dict[str, Any]], None]) -> None:
        summary = self._summary(table)
        write_text(self.folder / "summary.json", json.dumps(summary, indent=1) + "\n")
        report(summary)

    def _has_something(self, table: Journal) -> bool:
        """Whether a run that ends here leaves a row, or an adapter that was trained for rows."""
        return bool(table.results) or (self.folder / _TRAINING).exists()

    def _kept(self, table: Journal) -> str:
        """What a run that is stopped leaves, in one line."""
        if not self._has_something(table):
            return "stopped before a row was made; nothing of this run is kept"
        return f"kept {self._progress(table)} in {self.folder}; {GOES_ON}"

    def _progress(self, table: Journal) -> str:
        total = len(self.settings.arms) * len(self.settings.seeds) * len(self.programs)
        return f"{len(table.results)} of {total} rows"

    def _made_with(self) -> dict[str, Any]:
        """What rows follow from besides their arm, seed and problem, one line each."""
        compiling = self.settings.compiling
        sources = hashlib.sha256("\0".join(f"{one.name}\0{one.source}" for one in self.programs).encode()).hexdigest()
        known = machine()
        return {
            **{f"arms.{arm.name}": _brief(arm) for arm in self.settings.arms},
            "arms": [arm.name for arm in self.settings.arms],
            "seeds": list(self.settings.seeds),
            "problems": f"{len(self.programs)} ({sources[:12]})",
            "target": resolve_target(compiling.target),
            "baseline": str(compiling.pipeline),
            "import": [
                compiling.importing.shrink.value,
                compiling.importing.numerics.value,
                compiling.importing.budget,
            ],
            "evaluator": [compiling.evaluator.seeds, compiling.evaluator.externs],
            **{name: known[name] for name in ("device", "torch", "triton")},
        }

    def _make(self, table: Journal, console: Console) -> None:
        total = len(self.settings.arms) * len(self.settings.seeds) * len(self.programs)
        for arms, seeds in self._groups():
            due = [one for one in self._questions(arms, seeds) if not _is_done(table, one)]
            if not due:
                continue
            policy = self._policy(arms[0], seeds[0], console)
            done = sum(row["status"] not in AGAIN for row in _rows(table))
            with Activity(console, "starting processes", total, done) as activity:

                def drawn(due: Sequence[Question] = due, activity: Activity = activity) -> Iterator[Question]:
                    for one in due:
                        activity.show(f"{one.arm}, {one.program.name}, seed {one.seed}")
                        yield one

                with closing(answers(drawn(), self._workers(policy, len(due)))) as found:
                    for question, row in found:
                        _check_row(question, row)
                        table.add(_key(question), _row(question, row))
                        activity.advance()

    def _groups(self) -> Iterator[tuple[list[Arm], list[int]]]:
        """Arms and seeds whose rows one policy answers, in the order of the arms."""
        groups: list[tuple[PolicySettings, list[Arm]]] = []
        for arm in self.settings.arms:
            if arm.training:
                continue
            same = [arms for policy, arms in groups if policy == arm.policy]
            if same:
                same[0].append(arm)
            else:
                groups.append((arm.policy, [arm]))
        yield from ((arms, list(self.settings.seeds)) for _, arms in groups)
        yield from (([arm], [seed]) for seed in self.settings.seeds for arm in self.settings.arms if arm.training)

    def _questions(self, arms: Sequence[Arm], seeds: Sequence[int]) -> Iterator[Question]:
        """In the order in which arms share most: problem by problem, so that a run that is stopped compares as well."""
        for program in self.programs:
            for seed in seeds:
                yield from (Question(arm.name, arm.pipeline, seed, program) for arm in arms)

    def _policy(self, arm: Arm, seed: int, console: Console) -> PolicySettings:
        """What answers an arm's agents; trained before, where the arm trains."""
        if not arm.training:
            return arm.policy
        from kernelwright.driver.training.run import run_train  # it needs packages that comparing passes does without

        folder = self.folder / _TRAINING / arm.name / str(seed)
        training = replace(arm.training[seed], plain=replace(arm.training[seed].plain, out=str(folder)))
        finished, told = folder / "finished.json", json.loads(arm.trained(seed))
        if not finished.is_file():
            sayer(console)(f"training {arm.name}, seed {seed}: {folder}")
            metrics = run_train(training, console)
            write_text(finished, json.dumps({"told": told, "metrics": metrics}) + "\n")
        elif json.loads(finished.read_text("utf-8"))["told"] != told:
            raise UserError(f"{folder} holds an adapter of a run with other settings; give another out=…, or remove it")
        adapters = {**arm.policy.adapters, training.plain.stage.name: str(folder / "adapter")}
        return replace(arm.policy, adapters=adapters)

    def _workers(self, policy: PolicySettings, questions: int) -> list[Worker]:
        jobs = self.settings.jobs
        if jobs is None:
            alone = torch.cuda.is_available() or policy.kind in _OWN_MODEL
            jobs = 1 if alone else usable_cores()
        settings = replace(self.settings.compiling, policy=policy)
        return [Worker(settings, RowMaker(), self.settings.timeout_s) for _ in range(min(jobs, questions))]

    def _summary(self, table: Journal) -> dict[str, Any]:
        names = [arm.name for arm in self.settings.arms]
        found = summarize_arms(_rows(table), names, self.settings.seeds, [one.name for one in self.programs])
        return {
            "name": self.settings.name,
            "command": shlex.join(["kernelwright", *sys.argv[1:]]),
            "made_with": self._made_with(),
            **found,
        }


def _brief(arm: Arm) -> str:
    return f"{arm.pipeline} [{hashlib.sha256(arm.told().encode()).hexdigest()[:12]}]"


def _rows(table: Journal) -> list[dict[str, Any]]:
    return list(table.results.values())


def _key(question: Question) -> str:
    return f"{question.arm}/{question.seed}/{question.program.name}"


def _is_done(table: Journal, question: Question) -> bool:
    row = table.results.get(_key(question))
    return row is not None and row["status"] not in AGAIN


def _row(question: Question, found: dict[str, Any]) -> dict[str, Any]:
    return {"arm": question.arm, "seed": question.seed, "problem": question.program.name, **found}


def _check_row(question: Question, row: dict[str, Any]) -> None:
    """Raise what ends the run: no row after this one would be another."""
    where = f"arm {question.arm}, problem {question.program.name}, seed {question.seed}"
    if row["status"] == MISUSED:
        raise UserError(f"{where}: {row['cause']}")
    if row["status"] == UNANSWERED:
        raise KernelwrightError(f"{where}: {row['cause']}; rows so far are kept; the same command resumes the run")


def _check_apart(trained: ProblemSettings, programs: Sequence[Program], arm: str) -> None:
    """UserError where what is measured with is learnt from."""
    told = _name if trained.place is None else _form
    learnt = set(map(told, read_programs(trained)))
    both = [one.name for one in programs if told(one) in learnt]
    if both:
        raise UserError(
            f"arm {arm} trains on {both[0]} and is measured on it; choose other problems for training or measuring"
        )


def _name(program: Program) -> str:
    return program.name


def _form(program: Program) -> str:
    return normal_digest(program.source)
