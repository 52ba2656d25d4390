"""Rows to learn from, out of a policy's own answers: right ones alone, and wrong ones with what they were told and the
right answer that follows (rejection sampling and repair, in turns)."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from rich.console import Console

from kernelwright.agent.feedback import feedback
from kernelwright.agent.policy import Policy
from kernelwright.agent.reading import program_text
from kernelwright.agent.rewards import make_reward
from kernelwright.agent.trajectory import Trajectory
from kernelwright.driver.benchmarking.asking import Asking
from kernelwright.driver.benchmarking.rollouts_card import rollouts_card
from kernelwright.driver.benchmarking.settings import BenchSettings, RolloutsSchema
from kernelwright.driver.benchmarking.table import failure_class
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.stage_agents import make_agent
from kernelwright.driver.pairs.rows import answer_of
from kernelwright.driver.run.activity import Activity, sayer
from kernelwright.driver.run.build import resolve_target
from kernelwright.driver.run.closing import GOES_ON, closing_with
from kernelwright.driver.run.journal import Journal
from kernelwright.driver.run.set_aside import NOT_READ, TOO_LONG
from kernelwright.driver.training.given import read_modules
from kernelwright.frontend.computed import computed
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.rl.data.contamination import Screen
from kernelwright.rl.data.problems import load_problems
from kernelwright.rl.data.rows import TRAIN, Pair, module_text, read_lines, read_rows, write_rows, write_text

#: Where the right answer of a row comes from: its own trajectory, another one of the problem, or the problem's pair.
OWN, OTHER, PAIR = "own", "other", "pair"
#: What of the configuration decides no trajectory.
_FREE = ("out", "workers", "compose", "per_problem")


@dataclass
class Rollouts:
    """One run. All that the policy answered is kept in the journal beside `out`; rows are made of it at the end."""

    settings: BenchSettings[RolloutsSchema]
    console: Console
    aside: dict[str, str] = field(default_factory=dict)

    def run(self, policy: Policy | None = None) -> dict[str, Any]:
        """Ask what the journal lacks, write rows, card and summary, and give the summary.

        `policy` is one that is open already. Raises UserError for what cannot be read, PolicyError for a policy that
        fails.
        """
        discover()
        plain, out = self.settings.plain, Path(self.settings.plain.out)
        journal = out.with_name(f"{out.name}.journal")
        made_with = {key: value for key, value in self.settings.content.items() if key not in _FREE}
        with ExitStack() as stack:
            known = stack.enter_context(Journal(journal, made_with))
            if known.results:
                sayer(self.console)(f"{out}: going on after {len(known.results)} problems")
            stack.enter_context(closing_with(lambda: f"{len(known.results)} problems are kept in {journal}; {GOES_ON}"))
            try:
                modules = self._modules()
            except UserError:
                if not known.results:
                    known.remove()
                raise
            asking = Asking(plain, self.console, policy, partial(self._aside, TOO_LONG), attrgetter("verified"))
            for some, made in asking.batches(modules, known.results, stack):
                for place, module in enumerate(some):
                    own = [_told(one) for one in made if one.problem == place]
                    known.add(module.name, {"before": module_text(module), "trajectories": own})
            found = {module.name: known.results[module.name] for module in modules if module.name in known.results}
        rows = self._rows(found)
        summary = self._summary(found, rows)
        write_rows(out, rows)
        write_text(Path(f"{out}.summary.json"), json.dumps(summary, indent=1) + "\n")
        write_text(Path(f"{out}.card.md"), rollouts_card(summary, plain))
        return summary

    def _aside(self, why: str, name: str, _cause: str) -> None:
        self.aside[name] = why

    def _modules(self) -> list[KernelModule]:
        """The modules to ask about, none of which is a copy of what is measured with."""
        plain = self.settings.plain
        measured = [problem for place in plain.against for problem in load_problems(place)]
        screen = Screen(measured, plain.similarity, computed)
        target = resolve_target(plain.target.chosen)
        with Activity(self.console, "reading problems"):
            unread = partial(self._aside, NOT_READ)
            found = read_modules(plain.problems, plain.stage.name, target, self.settings, unread, plain.limit)
        kept = []
        for module in found:
            if measured and screen.match(module.reference.source):
                self.aside[module.name] = "contaminated"
            else:
                kept.append(module)
        if not kept:
            raise UserError(f"suite={plain.suite}: every problem is a copy of one of against=; give other problems")
        return kept

    def _rows(self, found: Mapping[str, Mapping[str, Any]]) -> list[Pair]:
        plain = self.settings.plain
        taught = self._taught() if plain.compose else {}
        rows: dict[str, Pair] = {}
        for name, one in found.items():
            ends = list(_ends(one["trajectories"], taught.get(one["before"]), plain.compose))
            ends.sort(key=lambda end: len(end.wrong))
            counted = 0
            for end in ends:
                row = self._row(f"{name}/{counted}", name, one["before"], end)
                if row.digest not in rows and (plain.per_problem is None or counted < plain.per_problem):
                    rows[row.digest] = row
                    counted += 1
        return list(rows.values())

    def _taught(self) -> dict[str, "Right"]:
        """What a file of pairs answers, by the text of the module; nothing where problems come from elsewhere."""
        plain = self.settings.plain
        place = Path(plain.problems.place or "")
        if not place.is_file() or "before" not in next((row for _, row in read_lines(place)), {}):
            return {}
        agent = make_agent(
            plain.stage.name, resolve_target(plain.target.chosen), plain.rollout, make_reward("frontend")
        )
        found = {}
        if plain.rollout.form != "modelnew":
            for pair in read_rows(place, Pair):
                if pair.stage == plain.stage.name and pair.after and (said := answer_of(pair, agent)) is not None:
                    found[pair.before] = Right(said, pair.after, PAIR)
        return found

    def _row(self, row_id: str, problem: str, before: str, end: "End") -> Pair:
        plain = self.settings.plain
        texts = (plain.stage.name, before, *(turn["answer"] for turn in end.wrong), end.right.answer)
        provenance = {
            "form": plain.rollout.form,
            "kind": "repair" if end.wrong else "answer",
            "right_from": end.right.origin,
            "policy": plain.policy.model,
        }
        turns = tuple({"answer": turn["answer"], "told": turn["told"]} for turn in end.wrong)
        digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
        split = plain.split or TRAIN
        return Pair(
            row_id, problem, plain.stage.name, before, end.right.program, digest, split, provenance, end.right.answer,
            turns,
        )  # fmt: skip

    def _summary(self, found: Mapping[str, Mapping[str, Any]], rows: Sequence[Pair]) -> dict[str, Any]:
        tried = [one for kept in found.values() for one in kept["trajectories"]]
        answers = [turn for one in tried for turn in one]
        kinds = Counter(f"{row.provenance['kind']}, right answer: {row.provenance['right_from']}" for row in rows)
        return {
            "problems": len(found),
            "set_aside": dict(Counter(self.aside.values())),
            "trajectories": len(tried),
            "answers": len(answers),
            "right": sum(turn["ok"] for turn in answers),
            "right_by_turn": _by_turn(tried),
            "failures": dict(Counter(turn["class"] for turn in answers if not turn["ok"]).most_common(12)),
            "rows": len(rows),
            "answer_rows": sum(row.provenance["kind"] == "answer" for row in rows),
            "repair_rows": sum(row.provenance["kind"] == "repair" for row in rows),
            "rows_by_kind": dict(kinds),
            "digest": hashlib.sha256("\n".join(sorted(row.digest for row in rows)).encode()).hexdigest(),
        }


@dataclass(frozen=True)
class Right:
    """A right answer, in the policy's words and as a program, and where it comes from."""

    answer: str
    program: str
    origin: str


@dataclass(frozen=True)
class End:
    """Wrong answers in order, each with what it was told, and the right one after them."""

    wrong: tuple[Mapping[str, Any], ...]
    right: Right


def _told(made: Trajectory) -> list[dict[str, Any]]:
    """A trajectory as JSON values: every answer, and what it was told; of a right one its program."""
    turns = []
    for turn in made.turns:
        if not turn.valid:
            break  # says nothing of the answer
        right = turn.verdict.ok and turn.candidate is not None
        turns.append(
            {
                "answer": turn.completion.text,
                "ok": right,
                "told": "" if right else feedback(turn.verdict, turn.candidate),
                "class": "" if right else failure_class(turn.verdict),
                "program": program_text(turn.candidate) if right and turn.candidate is not None else "",
            }
        )
    return turns


def _ends(trajectories: Sequence[Sequence[Mapping[str, Any]]], taught: Right | None, compose: bool) -> Iterable[End]:
    """What can be learnt from a problem's trajectories: each up to its right answer; with `compose` also wrong ones,
    each followed by a right answer of another, or by the taught one."""
    right = [
        (tuple(one[:-1]), Right(one[-1]["answer"], one[-1]["program"], OWN))
        for one in trajectories
        if one and one[-1]["ok"]
    ]
    for wrong, answer in right:
        yield End(wrong, answer)
    if not compose:
        return
    known = Right(right[0][1].answer, right[0][1].program, OTHER) if right else taught
    for one in trajectories:
        if known is not None and one and not one[-1]["ok"]:
            yield End(tuple(one), known)


def _by_turn(trajectories: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, int]:
    found = Counter(len(one) for one in trajectories if one and one[-1]["ok"])
    return {str(turn): count for turn, count in sorted(found.items())}
