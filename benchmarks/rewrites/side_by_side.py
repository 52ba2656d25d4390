"""A module and what a search or another pipeline makes of it, timed in turns.

Each question has a process of its own, several at a time. While times are taken, nobody else has a turn on the GPU.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from rich.console import Console

from benchmarks.kernelbench.kernelbench_memory import Shares, need_of
from benchmarks.kernelbench.kernelbench_problem import OneProblem
from benchmarks.kernelbench.kernelbench_work import CROWDED
from kernelwright.agent.services import AgentServices
from kernelwright.backend.measure.clock import middle
from kernelwright.driver.campaigns.programs import attempt
from kernelwright.driver.compiling.measure import HOW, ROUNDS, RUNS, rounds_ms
from kernelwright.driver.config.settings import Settings
from kernelwright.driver.run.journal import Journal
from kernelwright.driver.run.workers import answers
from kernelwright.evaluation.checks.timing import speedup
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule

#: The two modules among the sides, and what is added where there is no GPU to measure on.
BEFORE, AFTER = "before", "after"
MODELLED = "estimated by the cost model, not measured"
#: How times are taken, for calibers.
TRIALS = {"rounds": ROUNDS, "runs_in_a_round": RUNS, "how": HOW, "interval": "95%, bootstrap over rounds and runs"}


@dataclass(frozen=True)
class Question:
    """The text of a module; the pipeline makes the one that is timed beside it.

    `digest` says what the texts come from: an answer is kept as long as that is the same.
    """

    name: str
    digest: str
    before: str
    baselines: tuple[str, ...] = ()


def answer(question: Question, settings: Settings, context: Context, shares: Shares) -> dict[str, Any]:
    """What comes of a question, as JSON values, with its `digest`."""
    return attempt(partial(_answer, question, settings, context, shares)) | {"digest": question.digest}


def _answer(question: Question, settings: Settings, context: Context, shares: Shares) -> dict[str, Any]:
    before = parse_module(question.before)
    with shares.of(need_of(before.reference)):
        found: dict[str, Any] = {"as_given": _judged(before, context)}
        after = settings.pipeline.run(before, context)
        notes = dict(after.provenance[-1].notes) if after.provenance else {}
        found |= {"spec": notes.get("best", ""), "search": brief(notes)}
        same = (before.kernels, before.launcher) == (after.kernels, after.launcher)
        found |= {"same": same, "kernels": [len(before.kernels), len(after.kernels)], "module": print_module(after)}
        judged = found["as_given"] if same else _judged(after, context)
        found |= {"status": judged["status"]} | ({"cause": judged["cause"]} if "cause" in judged else {})
        if judged["status"] != "ok":
            return found
        if isinstance(context.evaluator, LocalEvaluator):
            context.evaluator.close()  # timing wants what its worker holds of the device
        modules = {BEFORE: before} | ({} if same else {AFTER: after})
        return found | _timed(modules, question.baselines, context)


def _judged(module: KernelModule, context: Context) -> dict[str, Any]:
    assert context.evaluator is not None
    verdict = context.evaluator.evaluate(module)
    found = {"status": str(verdict.status), "rungs": [str(rung) for rung in verdict.rungs]}
    return found if verdict.ok else found | {"cause": " ".join(verdict.detail.split())[:300]}


def brief(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Of a search's notes what tells how far it came."""
    keys = ("made", "distinct", "pruned", "measured", "trials", "verified", "refused", "failed", "seconds", "stopped")
    return {key: notes[key] for key in keys if key in notes}


def _timed(modules: Mapping[str, KernelModule], baselines: Sequence[str], context: Context) -> dict[str, Any]:
    if torch.cuda.is_available():
        return {"how": "measured"} | figures(rounds_ms(modules, baselines))
    estimate = context.service(AgentServices).estimate
    assert estimate is not None
    return {"how": MODELLED} | figures({name: [[estimate(module)]] for name, module in modules.items()})


def figures(rounds: Mapping[str, Sequence[Sequence[float]]]) -> dict[str, Any]:
    """Median microseconds of each side, and how many times longer each takes than the last module, with intervals.

    A module that stayed as it was takes as long as itself.
    """
    mine = AFTER if AFTER in rounds else BEFORE
    found: dict[str, Any] = {"us": {}, "over": {}}
    for name, side in rounds.items():
        found["us"][name] = round(1e3 * middle([middle(list(one)) for one in side]), 3)
        if name != mine:
            ratio = speedup(side, rounds[mine], seed=0)
            found["over"][name] = [round(number, 4) for number in (ratio.ratio, ratio.low, ratio.high)]
    if mine == BEFORE:
        found["over"][BEFORE] = [1.0, 1.0, 1.0]
    return found


def work_off(
    questions: Sequence[Question],
    journal: Journal,
    settings: Settings,
    shares: Shares,
    *,
    jobs: int,
    seconds: float,
    timeout_s: float,
    console: Console,
) -> None:
    """Answer what the journal lacks, `jobs` at a time; after so many seconds nothing more is begun.

    What may have failed because of what ran beside it is asked again by the next run.
    """
    due = [one for one in questions if not _is_answered(journal.results.get(one.name, {}), one)]
    began = time.monotonic()

    def in_time() -> Iterator[Question]:
        for one in due:
            if time.monotonic() - began > seconds:
                return
            yield one

    workers = [OneProblem(settings, partial(answer, shares=shares), timeout_s) for _ in range(min(jobs, len(due)) or 1)]
    with closing(answers(in_time(), workers)) as found_so_far:
        for done, (question, found) in enumerate(found_so_far, 1):
            journal.add(question.name, {"digest": question.digest} | found)
            left_s = (time.monotonic() - began) / done * (len(due) - done)
            line = f"{done}/{len(due)}, {left_s:.0f} s left  {question.name}: {told(found)}"
            console.print(line, markup=False, highlight=False, soft_wrap=True)


def _is_answered(row: Mapping[str, Any], question: Question) -> bool:
    """Whether a row is of these texts, and came to an end that is not due to what ran beside it."""
    return row.get("digest") == question.digest and row["status"] not in CROWDED


def told(row: Mapping[str, Any]) -> str:
    """A row in one line."""
    if "over" not in row:
        return f"{row['status']}: {row.get('cause', '')}"
    ratios = ", ".join(f"{ratio[0]:.2f}x {name}" for name, ratio in row["over"].items())
    return f"{row.get('spec', '')} {ratios} ({row['how']})".strip()
