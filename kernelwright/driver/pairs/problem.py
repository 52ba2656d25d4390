"""Making the pairs of one problem, in a process of its own: whatever comes of it is a result."""

import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from kernelwright.agent.evaluator import Verdict
from kernelwright.backend.compile.compiler import CompileFailureError
from kernelwright.backend.cost.model import estimate
from kernelwright.backend.targets import get_target
from kernelwright.driver.config.settings import ImportSettings, Settings
from kernelwright.driver.pairs.settings import PairPlan
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import KernelwrightError, LoweringError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import Pipeline
from kernelwright.ir.values import KernelModule, Level, Reference
from kernelwright.midend.search.choice_search import ChoiceSearch
from kernelwright.rl.data.rows import CHOICE, FRONTEND, Pair, Problem

#: Candidates of a search that are verified, best first, before it is given up.
_TRIES = 3
GENERATED = "generated"


class _NoPairError(Exception):
    """A problem that gives no pair: `args` are a status and a cause."""


def make_pairs(problem: Problem, settings: Settings, context: Context, plan: PairPlan) -> dict[str, Any]:
    """The pairs of a problem as JSON values, with a status and the seconds that it took.

    Statuses: ok, not_imported, too_large, not_lowered, error, no_gain (nothing was faster by the margin), not_printed
    (a text does not read back as the module that it is of), or a verdict's.
    """
    start = time.perf_counter()
    pairs: list[Pair] = []
    try:
        answering = _frontend if plan.stage == FRONTEND else _choices if plan.action == CHOICE else _midend
        make = answering if plan.answers else _unanswered
        try:
            module = _imported(problem, settings.importing)
        except UserError as error:
            raise _NoPairError("not_imported", _brief(error)) from error
        _check_size(module.reference, plan.max_mb)
        pairs = list(make(problem, module, context, plan))
        found: dict[str, Any] = {"status": "ok" if pairs else "no_gain"}
    except _NoPairError as nothing:
        found = {"status": nothing.args[0], "cause": nothing.args[1]}
    except Exception as error:  # noqa: BLE001 - one problem must not end the run
        found = {"status": "not_lowered" if isinstance(error, LoweringError) else "error", "cause": _brief(error)}
    seconds = round(time.perf_counter() - start, 3)
    return found | {"pairs": [asdict(pair) for pair in pairs], "seconds": seconds}


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def _imported(problem: Problem, importing: ImportSettings) -> KernelModule:
    shrink = "never" if problem.provenance.get("format") == GENERATED else importing.shrink.value
    return import_source(problem.source, "module", shrink=shrink, **importing.options)


def _check_size(reference: Reference, most: float | None) -> None:
    size = sum(tensor.nbytes for tensor in (*reference.tensors, *reference.outputs)) / 1e6
    if most is not None and size > most:
        raise _NoPairError("too_large", f"inputs, state and outputs take {size:.3g} MB, more than max_mb={most:g}")


def _unanswered(problem: Problem, module: KernelModule, context: Context, plan: PairPlan) -> Iterator[Pair]:
    """What an agent is given: the program, or the modules that each start makes of it."""
    if plan.stage == FRONTEND:
        yield Pair.unanswered(problem.id, problem, plan.stage, module)
        return
    for place, (pipeline, before) in enumerate(_starts(module, context, plan)):
        pair = Pair.unanswered(f"{problem.id}/{place}", problem, plan.stage, before)
        yield replace(pair, provenance={**pair.provenance, "start": str(pipeline)})


def _frontend(problem: Problem, module: KernelModule, context: Context, plan: PairPlan) -> Iterator[Pair]:
    """Program -> what the teacher lowers it to."""
    after = _kernels(plan.lower, module, context)
    how = {"pipeline": str(plan.lower), **_verified(after, context, plan)}
    yield _pair(problem.id, problem, plan, module, after, how)


def _midend(problem: Problem, module: KernelModule, context: Context, plan: PairPlan) -> Iterator[Pair]:
    """Each start that is verified -> the fastest module by the cost model, where it is faster by the margin."""
    found = [
        (_estimated_us(after, context), pipeline, after) for pipeline, after in _lowered(plan.search, module, context)
    ]
    ranked = sorted(found, key=lambda item: item[0])  # of equals the first in the list
    for place, (pipeline, before) in enumerate(_starts(module, context, plan)):
        before_us = _estimated_us(before, context)
        better = [item for item in ranked if item[0] * plan.margin <= before_us < float("inf")]
        if not better or not context.evaluator.evaluate(before, plan.rungs).ok:
            continue
        for us, search, after in better[:_TRIES]:
            verdict = context.evaluator.evaluate(after, plan.rungs)
            if verdict.ok:
                times = {"before_us": round(before_us, 3), "after_us": round(us, 3), "target": context.target}
                how = {"start": str(pipeline), "pipeline": str(search), **times, **_proof(after, verdict)}
                yield _pair(f"{problem.id}/{place}", problem, plan, before, after, how)
                break


def _choices(problem: Problem, module: KernelModule, context: Context, plan: PairPlan) -> Iterator[Pair]:
    """Each start that is verified -> the best choice of passes by the cost model, where it is faster by the margin."""
    known: dict[str, float] = {}  # starts of one program lead to the same modules

    def score(one: KernelModule) -> float:
        if one.digest not in known:
            known[one.digest] = _estimated_us(one, context)
        return known[one.digest]

    for place, (pipeline, before) in enumerate(_starts(module, context, plan)):
        best = ChoiceSearch(before, score, context.target, plan.trials).best()
        before_us = score(before)
        if not best.us * plan.margin <= before_us < float("inf"):
            continue
        verdicts = [context.evaluator.evaluate(one, plan.rungs) for one in (before, best.module)]
        if not all(verdict.ok for verdict in verdicts):
            continue
        times = {"before_us": round(before_us, 3), "after_us": round(best.us, 3), "target": context.target}
        pair = Pair.of_choice(f"{problem.id}/{place}", problem, before, best.spec)
        how = {"start": str(pipeline), **times, **_proof(best.module, verdicts[1])}
        yield replace(pair, provenance={**pair.provenance, **how})


def _starts(module: KernelModule, context: Context, plan: PairPlan) -> list[tuple[Pipeline, KernelModule]]:
    """What is to be made faster, each module once."""
    return list({after.digest: (one, after) for one, after in _lowered(plan.starts, module, context)}.values())


def _lowered(
    pipelines: tuple[Pipeline, ...], module: KernelModule, context: Context
) -> Iterator[tuple[Pipeline, KernelModule]]:
    """What each pipeline makes; those that cannot are left out, unless none can."""
    failed, made = None, 0
    for pipeline in pipelines:
        try:
            after = _kernels(pipeline, module, context)
        except (LoweringError, CompileFailureError) as error:
            failed = error
            continue
        made += 1
        yield pipeline, after
    if failed is not None and not made:
        raise failed


def _kernels(pipeline: Pipeline, module: KernelModule, context: Context) -> KernelModule:
    after = pipeline.run(module, context)
    if after.level is Level.TORCH:
        raise LoweringError(f"the pipeline `{pipeline}` made no kernels")
    return after


def _estimated_us(module: KernelModule, context: Context) -> float:
    """Microseconds by the cost model; infinite for what Triton refuses."""
    try:
        return estimate(module, get_target(context.target)).us
    except CompileFailureError:
        return float("inf")


def _verified(module: KernelModule, context: Context, plan: PairPlan) -> dict[str, Any]:
    verdict = context.evaluator.evaluate(module, plan.rungs)
    if not verdict.ok:
        raise _NoPairError(str(verdict.status), verdict.detail[:300])
    return _proof(module, verdict)


def _proof(module: KernelModule, verdict: Verdict) -> dict[str, Any]:
    return {
        "rungs": [str(rung) for rung in verdict.rungs],
        "shrunken": module.reference.shrunken,
        "caliber": dict(verdict.caliber),
    }


def _pair(
    name: str, problem: Problem, plan: PairPlan, before: KernelModule, after: KernelModule, how: dict[str, Any]
) -> Pair:
    """The pair, once both texts have been read back."""
    pair = Pair.make(name, problem, plan.stage, before, after)
    wanted = tuple(replace(module, name="module", provenance=()) for module in (before, replace(after, target=None)))
    try:
        same = pair.modules() == wanted
    except KernelwrightError as error:
        raise _NoPairError("not_printed", _brief(error)) from error
    if not same:
        raise _NoPairError("not_printed", "a text reads back as another module")
    return replace(pair, provenance={**pair.provenance, **how})
