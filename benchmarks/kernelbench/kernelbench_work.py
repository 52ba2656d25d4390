"""Do the work of `kernelbench.py` on many problems: search some, measure others, and retry alone where memory ran
out.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rich.console import Console

from benchmarks.kernelbench.kernelbench_memory import Shares
from benchmarks.kernelbench.kernelbench_problem import KNOWN, SEARCHED, OneProblem, Question, solve
from benchmarks.kernelbench.kernelbench_summary import outcome
from kernelwright.backend.measure.children import cores
from kernelwright.driver.campaigns.programs import Program
from kernelwright.driver.config.settings import Settings
from kernelwright.driver.run.journal import Journal
from kernelwright.driver.run.workers import Worker, answers
from kernelwright.ir.pipeline import Pipeline

#: How many times as many problems as are worked on at a time are searched before they are measured.
PART = 4
#: What may be due to other problems beside it, so that it is tried once more alone.
CROWDED = frozenset(("crash", "error", "runtime_error", "timeout"))


def with_searches(settings: Settings, **options: Any) -> Settings:
    """The settings with other options of every `search`."""
    passes = [replace(one, **options) if one.name == "search" else one for one in settings.pipeline.passes]
    return replace(settings, pipeline=Pipeline(tuple(passes)))


@dataclass
class Bench:
    """Works problems off into a journal. `baselines` are wanted of each; those of a status in `again` are done anew."""

    journal: Journal
    settings: Settings
    baselines: tuple[str, ...]
    processes: tuple[int, int]
    timeout_s: float
    jobs: int
    measuring: int
    again: frozenset[str]
    shares: Shares
    console: Console

    def run(self, programs: Sequence[Program]) -> None:
        """All that is due. Raises UserError where no process starts.

        Winners that another run found are made first, which takes no device. Of several problems at a time some are
        searched, then the same are measured: who measures waits for the device and has others wait, which would be
        taken from a search's seconds. What may have failed because of what ran beside it is done again alone.
        """
        self._pass([question for question in self._all_due(programs) if question.spec], max(self.jobs, self.measuring))
        if self._alone:
            self._pass(self._all_due(programs), 1)
            return
        for first in range(0, len(programs), PART * self.jobs):
            part = programs[first : first + PART * self.jobs]
            searches = [question for question in self._all_due(part) if not question.module]
            self._pass(searches, self.jobs)
            searched = [one.program for one in searches]
            measures = [question for program in part if (question := self._due(program, searched))]
            self._pass(measures, self.measuring)
            tried = {one.program.name: one.program for one in (*searches, *measures)}
            self._pass([question for program in tried.values() if (question := self._crowded(program))], 1)

    @property
    def _alone(self) -> bool:
        """Whether a problem has nothing beside it, so that it is searched and measured in one go."""
        return self.jobs == self.measuring == 1

    def _all_due(self, programs: Sequence[Program]) -> list[Question]:
        return [question for program in programs if (question := self._due(program))]

    def _pass(self, questions: Sequence[Question], jobs: int) -> None:
        answer = partial(solve, processes=self.processes, shares=self.shares)
        settings = with_searches(self.settings, workers=max(1, cores() // jobs)) if jobs > 1 else self.settings
        # Searches leave their processes to the next search; what is measured has a process of its own.
        searches = all(not question.baselines and not question.spec for question in questions)
        kind = Worker if searches else OneProblem
        workers = [kind(settings, answer, self.timeout_s) for _ in range(min(jobs, len(questions)) or 1)]
        with closing(answers(questions, workers)) as found_so_far:
            for done, (question, found) in enumerate(found_so_far, 1):
                name = question.program.name
                self.journal.add(name, self._row(question, found))
                line = f"{done}/{len(questions)} {name}: {told(self.journal.results[name])}"
                self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _due(self, program: Program, done: Sequence[Program] = ()) -> Question | None:
        """What is to be done about a problem: search, measure, more baselines, or nothing. `done`: what was searched
        just now, whatever came of it."""
        row = self.journal.results.get(program.name)
        if program not in done and (row is None or row["status"] in self.again):
            return Question(program, self.baselines if self._alone else ())
        if row["status"] == KNOWN:
            return Question(program, (), spec=row["spec"])
        missing = tuple(name for name in self.baselines if name not in row.get("tried", ()))
        if row["status"] not in ("ok", SEARCHED) or not missing:
            return None
        return Question(program, missing, row["module"], judged=row["status"] == "ok")

    def _crowded(self, program: Program) -> Question | None:
        row = self.journal.results[program.name]
        lacks = row["status"] == "ok" and not set(self.baselines) <= set(row["speedup"])
        short = "out of memory" in row.get("cause", "")
        if row["status"] not in CROWDED and not lacks and not short:
            return None
        return Question(program, self.baselines, row.get("module", ""))

    def _row(self, question: Question, found: dict[str, Any]) -> dict[str, Any]:
        """The row, of an earlier one what that has and this has not; a failure to add baselines takes nothing away. A
        winner of another run that was made again to the letter is as that run judged it, any other keeps how it was
        found."""
        row = dict(self.journal.results.get(question.program.name, {}))
        if question.spec and found.get("digest") == row["digest"]:
            return row | {"status": "ok", "module": found["module"]}
        if not question.module:
            found_by = {"search": row["search"]} if question.spec and "search" in row else {}
            return {**question.program.labels, **found_by, **found}
        if found["status"] != "ok":
            if row["status"] != "ok":
                return row | found
            return row | {"not_added": {name: found.get("cause", found["status"]) for name in question.baselines}}
        if row["status"] != "ok" or set(question.baselines) >= set(row["tried"]):
            return {key: value for key, value in row.items() if key != "cause"} | found
        return added(row, found)


def added(row: dict[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """A row with more baselines: their ratios are to the candidate as measured beside them, which `later` tells."""
    joined = {key: {**found[key], **row[key]} for key in ("speedup", "ci", "mode") if key in row}
    times = {name: row["times_ms"]["candidate"] * ratio for name, ratio in found["speedup"].items()}
    later = {key: found[key] for key in ("times_ms", "modes", "caliber", "measuring_s") if key in found}
    return (
        row
        | joined
        | {
            "times_ms": {**times, **row["times_ms"]},
            "tried": [*row["tried"], *found["tried"]],
            "later": [*row.get("later", ()), later],
        }
    )


def told(row: Mapping[str, Any]) -> str:
    """A row in one line."""
    if row["status"] != "ok":
        return f"{row['status']}: {row.get('cause', row.get('spec', ''))}"
    found = outcome(row)
    ratios = ", ".join(f"{ratio:.2f}x {name}" for name, ratio in found.own.items())
    return f"{found.winner}; candidate {ratios} ({row['how']})"
