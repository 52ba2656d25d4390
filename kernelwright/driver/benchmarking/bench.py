"""Measuring a policy on a suite of problems: answers are drawn and judged in batches, each kept as it comes."""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from kernelwright.agent.policy import Policy
from kernelwright.agent.trajectory import Trajectory
from kernelwright.driver.benchmarking.asking import Asking
from kernelwright.driver.benchmarking.settings import BenchSchema, BenchSettings
from kernelwright.driver.benchmarking.table import answer_row, summarize_bench
from kernelwright.driver.campaigns.problem_sources import read_programs
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.run.activity import Activity, sayer
from kernelwright.driver.run.build import resolve_target
from kernelwright.driver.run.journal import Journal
from kernelwright.driver.run.locks import locked
from kernelwright.driver.run.provenance import record_start
from kernelwright.driver.run.set_aside import NOT_READ, TOO_LONG, SetAside
from kernelwright.driver.training.given import read_modules
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.rl.data.rows import write_text

#: What of the configuration decides no row.
_FREE = ("out", "workers")


def run_bench(settings: BenchSettings[BenchSchema], console: Console, policy: Policy | None = None) -> dict[str, Any]:
    """Measure; the summary, which the run folder gets too. A run that was stopped goes on after its last batch.

    `policy` is one that is open already. Raises UserError for what cannot be read, PolicyError for a policy that fails.
    """
    discover()
    plain, say = settings.plain, sayer(console)
    folder = Path(plain.out)
    programs = read_programs(plain.problems)
    if not programs:
        raise UserError(f"suite={plain.suite}: no problems there; give another suite, levels or split")
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    made_with = {key: value for key, value in settings.content.items() if key not in _FREE}
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        table = stack.enter_context(Journal(folder / "table.jsonl", made_with))
        record_start(folder, settings.content, torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu")
        if table.results:
            say(f"{folder}: going on after {len(table.results)} problems")
        levels = {name: one.labels.get("level") for one in programs for name in (one.name, one.module_name)}
        try:
            _make(settings, table, SetAside(folder, say), levels, console, policy, stack)
        except UserError:
            if not table.results:  # a run that is refused leaves nothing
                for path in set(folder.iterdir()) - before:
                    path.unlink()
            raise
        rows = [{"problem": name, **row} for name, row in table.results.items()]
    turns = plain.rollout.turns + plain.rounds
    asked = f"{plain.rollout.n} answers" + (f" of up to {turns} turns" if turns > 1 else "")
    summary = {"title": f"{plain.suite}: {asked} to each problem, {plain.policy.model}"}
    summary |= summarize_bench(rows, plain.rollout.n, turns)
    write_text(folder / "summary_bench.json", json.dumps(summary, indent=1) + "\n")
    return summary


def _make(
    settings: BenchSettings[BenchSchema],
    table: Journal,
    aside: SetAside,
    levels: Mapping[str, Any],
    console: Console,
    policy: Policy | None,
    stack: ExitStack,
) -> None:
    """Make the rows that the table lacks."""
    plain = settings.plain

    def unread(name: str, cause: str) -> None:
        aside.add(NOT_READ, name, cause)
        if name not in table.results:
            table.add(name, {"level": levels.get(name), "answers": [], "aside": NOT_READ})

    with Activity(console, "reading problems"):
        modules = read_modules(
            plain.problems, plain.stage.name, resolve_target(plain.target.chosen), settings, unread, plain.limit
        )
    long = set[str]()
    asking = Asking(plain, console, policy, partial(_too_long, aside, long))
    for some, made in asking.batches(modules, table.results, stack):
        _keep(table, some, made, levels, long)


def _too_long(aside: SetAside, names: set[str], name: str, cause: str) -> None:
    names.add(name)
    aside.add(TOO_LONG, name, cause)


def _keep(
    table: Journal,
    some: Sequence[KernelModule],
    made: Sequence[Trajectory],
    levels: Mapping[str, Any],
    long: set[str],
) -> None:
    for place, module in enumerate(some):
        answers = [answer_row(one) for one in made if one.problem == place]
        aside = {"aside": TOO_LONG} if not answers and module.name in long else {}
        table.add(module.name, {"level": levels.get(module.name), "answers": answers, **aside})
