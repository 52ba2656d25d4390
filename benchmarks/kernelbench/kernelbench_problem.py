"""One problem of `kernelbench.py`, in a process of its own: search for the fastest verified program, and measure it."""

import gc
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from benchmarks.kernelbench.kernelbench_memory import Shares, need_of
from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.agent.services import AgentServices
from kernelwright.driver.campaigns.programs import Program, attempt, read_module
from kernelwright.driver.config.settings import Settings
from kernelwright.driver.run.workers import Worker
from kernelwright.evaluation.judge.comparison import Timing
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.ir.errors import KernelwrightError, LoweringError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import extern_ops, launched

#: What stands in for Inductor where only the cost model tells times: its own kernels, as they are lowered.
PLAIN = "lower-inductor"
#: The status of what was searched for and is to be measured yet, and of another run's row, whose winner is to be made.
SEARCHED, KNOWN = "searched", "known"


@dataclass(frozen=True)
class Question:
    """A problem, what to measure against (nothing: search alone), and the text of a winner that was searched for;
    `judged`: it was found right already, and is only timed. With a `spec` that pipeline is run, and nothing else."""

    program: Program
    baselines: tuple[str, ...]
    module: str = ""
    judged: bool = False
    spec: str = ""


class OneProblem(Worker):
    """A worker whose process ends with each answer: memory, contexts and whatever else went wrong end with it."""

    def ask(self, question: Question) -> dict[str, Any]:
        """As of any worker."""
        try:
            return super().ask(question)
        finally:
            self.close()


def solve(
    question: Question, settings: Settings, context: Context, processes: tuple[int, int], shares: Shares
) -> dict[str, Any]:
    """What comes of one problem, as JSON values; the text of the winner under `module`."""
    return attempt(partial(_solve, question, settings, context, processes, shares))


def _solve(
    question: Question, settings: Settings, context: Context, processes: tuple[int, int], shares: Shares
) -> dict[str, Any]:
    if question.spec:
        return _made_by(question.spec, question.program, settings, context) | {"status": SEARCHED}
    if not question.baselines:
        return _searched(question.program, settings, context, shares)[1] | {"status": SEARCHED}
    chosen, timing = settings.evaluator, Timing(baselines=question.baselines, processes=processes)
    evaluator = LocalEvaluator(
        context.target, seeds=chosen.seeds, timeout_s=chosen.timeout_s, memory_gb=chosen.memory_gb, timing=timing
    )
    with evaluator, ThreadPoolExecutor(2) as starting:
        starting.submit(_start, evaluator)
        if question.module:
            module, found = parse_module(question.module), {}
        else:
            starting.submit(_start, context.evaluator)
            module, found = _searched(question.program, settings, context, shares)
        _give_back(context)
        with shares.of(need_of(module.reference)):
            start = time.perf_counter()
            found |= _measured(module, evaluator, context, question.judged)
    return found | {"tried": list(question.baselines), "measuring_s": round(time.perf_counter() - start, 3)}


def _start(evaluator: Any) -> None:
    """Have an evaluator start its worker, which takes seconds, while there is other work; what fails will be said by
    whoever needs it."""
    with suppress(KernelwrightError):
        assert evaluator.machine


def _searched(
    program: Program, settings: Settings, context: Context, shares: Shares
) -> tuple[KernelModule, dict[str, Any]]:
    """The pipeline's result and how it came about. Nothing verifies between: the result is judged afterwards."""
    start = time.perf_counter()
    module = read_module(program, settings.importing)
    read = time.perf_counter() - start
    with shares.of(need_of(module.reference)):
        start = time.perf_counter()
        final = settings.pipeline.run(module, context)
        searched = time.perf_counter() - start
    notes = dict(final.provenance[-1].notes) if final.provenance else {}
    how = {"spec": notes.get("best", str(settings.pipeline)), "search": notes}
    return final, how | {"import_s": round(read, 3), "search_s": round(searched, 3)} | _told(final)


def _made_by(spec: str, program: Program, settings: Settings, context: Context) -> dict[str, Any]:
    """What a pipeline makes of a problem, by shapes alone as a search does; on tensors where that does not do."""
    bare, pipeline = read_module(program, settings.importing), parse_pipeline(spec)
    try:
        made = pipeline.run(bare, Context(context.target, seed=context.seed, lowering_device="meta"))
    except LoweringError:
        made = pipeline.run(bare, context)
    return {"spec": spec} | _told(replace(made, target=context.target, provenance=bare.provenance))


def _told(module: KernelModule) -> dict[str, Any]:
    """What a row says of a winner, whatever its times are."""
    return {
        "shrunken": module.reference.shrunken,
        "numerics": module.reference.numerics,
        "kernels": len(launched(module)),
        "externs": list(extern_ops(module)),
        "digest": module.digest,
        "module": print_module(module),
    }


def _give_back(context: Context) -> None:
    """End the search's workers and free what it holds on the device: measuring wants all of it."""
    if isinstance(context.evaluator, LocalEvaluator):
        context.evaluator.close()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _measured(module: KernelModule, evaluator: LocalEvaluator, context: Context, judged: bool) -> dict[str, Any]:
    """Judge the winner by an evaluator whose draws no search has seen, on a GPU beside its baselines; estimate else.

    Of one that was judged before only outputs of timed calls are checked.
    """
    on_gpu = evaluator.machine.gpu
    before = (Rung.PARSE,) if judged and on_gpu else evaluator.rungs()
    rungs = (*before, Rung.TIME) if on_gpu else before
    verdict = evaluator.evaluate(module, rungs)
    found = {
        "status": str(verdict.status),
        "rungs": [str(rung) for rung in verdict.rungs],
        "errors": dict(verdict.errors),
        "caliber": caliber_of(verdict),
    }
    if not verdict.ok:
        return found | {"cause": " ".join(verdict.detail.split())[:500]}
    return found | (times(verdict) if on_gpu else _estimates(module, context))


def times(verdict: Verdict) -> dict[str, Any]:
    """What the evaluator measured: medians, ratios to the candidate's time with their intervals, spreads by mode."""
    timing = verdict.caliber["timing"]
    keys = ("speedup", "ci", "mode", "modes")
    return {"how": "measured", "times_ms": dict(verdict.times_ms)} | {key: timing[key] for key in keys}


def _estimates(module: KernelModule, context: Context) -> dict[str, Any]:
    """The cost model's times of the winner and of Inductor's own kernels."""
    bare = replace(module, kernels=(), launcher=None, target=None, constants=(), provenance=())
    plain = replace(parse_pipeline(PLAIN).run(bare, context), target=context.target)
    estimate = context.service(AgentServices).estimate
    assert estimate is not None
    times = {"candidate": estimate(module), PLAIN: estimate(plain)}
    return {
        "how": f"cost model, estimated for {context.target}",
        "times_ms": times,
        "speedup": {PLAIN: times[PLAIN] / times["candidate"]},
        "ci": {},
    }


def caliber_of(verdict: Verdict) -> dict[str, Any]:
    """The verdict's, less what is told elsewhere; clocks and temperatures as the range that each side saw."""
    caliber = dict(verdict.caliber)
    timing = caliber.pop("timing", None)
    if timing is None:
        return caliber
    seen = {side: ranges(processes) for side, processes in timing["device"].items()}
    return caliber | {"trials": timing["caliber"], "timing_notes": timing["notes"], "device_seen": seen}


def ranges(processes: Sequence[Mapping[str, Any] | None]) -> dict[str, list[Any]]:
    """Facts of the device before and after each process, by name: least and greatest number, or the texts."""
    by_name: dict[str, list[Any]] = {}
    for process in processes:
        for moment in (process or {}).values():
            for name, value in moment.items():
                by_name.setdefault(name, []).append(value)
    found = {}
    for name, values in by_name.items():
        numbers = [value for value in values if isinstance(value, int | float)]
        found[name] = [min(numbers), max(numbers)] if numbers else sorted(set(map(str, values)))
    return found
