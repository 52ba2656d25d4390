"""One row of an ablation, in a process of its own: a program through an arm's pipeline, and how fast the result is."""

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch

from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.policy import PolicyError, PromptTooLongError
from kernelwright.agent.rewards import Reward, make_reward
from kernelwright.agent.services import AgentServices
from kernelwright.backend.compile.compiler import CompileFailureError
from kernelwright.backend.targets import get_target
from kernelwright.driver.campaigns.programs import Program, attempt, outcome, read_module
from kernelwright.driver.compiling.measure import HOW, measure_ms
from kernelwright.driver.compiling.program import compile_module
from kernelwright.driver.compiling.stages import CompileResult
from kernelwright.driver.config.policies import PolicyKind, open_policy
from kernelwright.driver.config.settings import Settings
from kernelwright.ir.errors import LoweringError, PassError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import Pipeline
from kernelwright.ir.values import KernelModule

#: Statuses that say nothing about the arm and end the run: it is configured wrongly, or the policy does not answer.
MISUSED, UNANSWERED = "misused", "unanswered"


@dataclass(frozen=True)
class Question:
    """What one row is about."""

    arm: str
    pipeline: Pipeline
    seed: int
    program: Program


@dataclass
class RowMaker:
    """Answers questions (`workers.Answer`); the settings' pipeline makes what estimated speedups are against.

    Passes that several arms begin with run once for a program and a seed: the arms then differ by nothing but the
    passes that they differ in. What is kept is of the last program and seed.
    """

    _about: tuple[Program, int] | None = None
    _given: tuple[KernelModule, KernelModule | None] | None = None
    _made: dict[Pipeline, CompileResult] = field(default_factory=dict)

    def __call__(self, question: Question, settings: Settings, context: Context) -> dict[str, Any]:
        """The row; what comes of the program is its status."""
        if self._about != (question.program, question.seed):
            self._about, self._given, self._made = (question.program, question.seed), None, {}
        return attempt(partial(self._row, question, settings, context))

    def _row(self, question: Question, settings: Settings, context: Context) -> dict[str, Any]:
        context = replace(context, seed=question.seed)
        if self._given is None:
            module = read_module(question.program, settings.importing)
            self._given = module, _lowered(module, settings.pipeline, context)
        module, lowered = self._given
        with ExitStack() as stack:
            services = replace(context.service(AgentServices), rewards=_rewards(lowered, context))
            if settings.policy.kind is PolicyKind.replay:  # what a row says must not hang on rows before it
                services = replace(services, policy=stack.enter_context(open_policy(settings.policy)))
            try:
                result = self._compiled(module, question.pipeline, context.having(services))
            except LoweringError:
                raise
            except UserError as error:
                return {"status": MISUSED, "cause": str(error)}
            except PassError as error:
                return _failed(error)
        passes = {stage.name for stage in result.stages if stage.changed}
        found = {**outcome(result), "changed_by": sorted(passes), "made_in": round(result.seconds, 3)}
        return found | _speed(result, lowered, context)

    def _compiled(self, module: KernelModule, pipeline: Pipeline, context: Context) -> CompileResult:
        """The pipeline's result, of which what an arm before began with is taken from there."""
        result = CompileResult(module, None, (), 0.0)
        for place, pass_ in enumerate(pipeline.passes, 1):
            if result.module.level < pass_.reads:  # nothing was lowered, by an agent that did not find anything
                break
            prefix = Pipeline(pipeline.passes[:place])
            if prefix not in self._made:
                step = compile_module(result.module, Pipeline((pass_,)), context)
                self._made[prefix] = _joined(result, step)
            result = self._made[prefix]
            if result.verdict is not None and not result.verdict.ok:
                break
        return result


def _joined(before: CompileResult, step: CompileResult) -> CompileResult:
    verdict: Verdict | None = step.verdict or before.verdict
    return CompileResult(step.module, verdict, (*before.stages, *step.stages), before.seconds + step.seconds)


def _failed(error: PassError) -> dict[str, Any]:
    """The row of a pass that failed: a policy that gives no answer at all ends the run."""
    cause = error.__cause__
    if isinstance(cause, PromptTooLongError):
        return {"status": "too_long", "cause": str(cause)}
    if isinstance(cause, PolicyError):
        return {"status": UNANSWERED, "cause": str(cause)}
    raise error


def _lowered(module: KernelModule, baseline: Pipeline, context: Context) -> KernelModule | None:
    """What estimated speedups are against; None with a GPU, which measures, and for what cannot be lowered."""
    if torch.cuda.is_available():
        return None
    try:
        return baseline.run(module, context)
    except (LoweringError, PassError):
        return None


def _rewards(lowered: KernelModule | None, context: Context) -> dict[str, Reward]:
    """Without a GPU, the joint reward by estimated times: 1 + t_baseline / t of what is correct.

    Where the baseline is not known, it is correctness that counts.
    """
    if torch.cuda.is_available():
        return {}
    if lowered is None:
        return {"joint": make_reward("frontend")}
    by_estimate = make_reward("cost_model", estimate=context.service(AgentServices).estimate)

    def joint(before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        del before
        return by_estimate(lowered, after, verdict)

    return {"joint": joint}


def _speed(result: CompileResult, lowered: KernelModule | None, context: Context) -> dict[str, Any]:
    """How many times faster the module is, and how that is known."""
    if torch.cuda.is_available():
        how = f"measured on {torch.cuda.get_device_name()}, against eager, {HOW}"
        how += f", numerics {result.module.reference.numerics}"
        if not result.ok:
            return {"speedup": None, "how": how}
        times = measure_ms(result.module)
        return {"speedup": times["eager"] / times["candidate"], "how": how, "times_ms": times}
    how = f"estimated for {context.target} by the cost model, not measured"
    if not result.ok or lowered is None or not get_target(context.target).is_gpu:
        return {"speedup": None, "how": how}
    estimate = context.service(AgentServices).estimate
    assert estimate is not None
    try:
        return {"speedup": estimate(lowered) / estimate(result.module), "how": how}
    except CompileFailureError:
        return {"speedup": None, "how": how}
