"""Agents as passes, a scripted policy in front and the real evaluator behind them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted import (
    GOLDEN,
    HOSTILE,
    OUTSIDE,
    PROBLEM,
    RIGHT,
    WRONG,
    FakeEvaluation,
    ScriptedPolicy,
    answer,
    block_of,
    given_module,
    ok,
    with_block,
)

from kernelwright.agent.agent_pass import NothingJudgedError, read_rungs
from kernelwright.agent.evaluator import Rung, Status
from kernelwright.agent.reading import fenced, program_text
from kernelwright.agent.rewards import make_reward
from kernelwright.agent.services import AgentServices
from kernelwright.driver.compiling.program import compile_module
from kernelwright.driver.config.discovery import discover, registered_passes
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.agent import FrontendAgent, FrontendAgentPass
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import KernelwrightError, PassError, SpecError, UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.agent import MidendAgentPass

PWNED = Path("/tmp/pwned")


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    discover()
    with LocalEvaluator(seeds=1, timeout_s=60, memory_gb=4, use_gpu=False) as evaluator:
        yield evaluator


def hinted_is_faster(module: KernelModule) -> float:
    """An estimate that likes cache hints."""
    return 1.0 if "evict_last" in module.kernels[0].source else 2.0


def context(evaluator: LocalEvaluator | None, policy: ScriptedPolicy | None, **options: Any) -> Context:
    """A context with a policy; what is judged is judged by the interpreter alone."""
    services = AgentServices(policy, rungs=(Rung.PARSE, Rung.INTERPRET), **options)
    return Context("h100", evaluator, 7, services=(services,))


def test_a_right_answer_is_accepted_at_once(evaluator: LocalEvaluator) -> None:
    policy = ScriptedPolicy([answer(RIGHT, "Easy.\n")])
    found = parse_pipeline("fe-agent{n=1,turns=3}").run(PROBLEM, context(evaluator, policy))
    assert found.level is Level.TRITON and program_text(found) == RIGHT
    assert len(policy.prompts) == 1 and policy.samplings[0].seed == 7
    (record,) = found.provenance
    assert record.pass_spec == "fe-agent{n=1,turns=3}" and record.policy == "scripted@1" and record.seed == 7
    assert record.verdict == "ok@interpret" and record.parent == PROBLEM.digest


def test_a_wrong_answer_is_corrected_by_feedback(evaluator: LocalEvaluator) -> None:
    policy = ScriptedPolicy([answer(WRONG), answer(OUTSIDE), answer(RIGHT)])
    found = parse_pipeline("fe-agent{n=1,turns=3}").run(PROBLEM, context(evaluator, policy))
    assert program_text(found) == RIGHT
    second, third = policy.prompts[1][0], policy.prompts[2][0]
    assert "Status: mismatch" in second[-1].content and "Worst: output out[" in second[-1].content
    assert "- line 17: arithmetic on tensors in host code: `x * scale`" in third[-1].content


def test_answers_that_cannot_be_used_leave_the_input(evaluator: LocalEvaluator) -> None:
    policy = ScriptedPolicy(["I cannot.", answer(WRONG), answer(OUTSIDE), RIGHT])
    assert parse_pipeline("fe-agent{n=4}").run(PROBLEM, context(evaluator, policy)) is PROBLEM


def test_a_hostile_answer_is_never_run(evaluator: LocalEvaluator) -> None:
    PWNED.unlink(missing_ok=True)
    policy = ScriptedPolicy([answer(HOSTILE), answer(RIGHT)])
    found = parse_pipeline("fe-agent{n=1,turns=2}").run(PROBLEM, context(evaluator, policy))
    assert not PWNED.exists() and program_text(found) == RIGHT
    assert "Status: unparsed" in policy.prompts[1][0][-1].content


def test_a_cheat_is_not_kept(evaluator: LocalEvaluator) -> None:
    idle = RIGHT.replace("    return out\n", "    return x\n")
    aside = 'def forward(x: "f32[64, 100]", scale: "f32[100]"):\n    return torch.ops.aten.mul(x, scale)\n'
    library = RIGHT.partition("def forward")[0] + aside
    policy = ScriptedPolicy([answer(idle), answer(library)])
    assert parse_pipeline("fe-agent{n=2}").run(PROBLEM, context(evaluator, policy)) is PROBLEM


def test_the_best_of_several_is_kept(evaluator: LocalEvaluator) -> None:
    blocks = (128, 512, 64, 256)  # 64 leaves columns out
    policy = ScriptedPolicy([with_block(block) for block in blocks])
    rewards = {"midend": make_reward("cost_model", estimate=lambda module: 1000 / block_of(module))}
    ctx = context(evaluator, policy, rewards=rewards)
    found = parse_pipeline("me-agent{n=4,reward=midend}").run(given_module(), ctx)
    assert block_of(found) == 512 and found.provenance[-1].policy == "scripted@1"


def test_the_mid_end_chooses_passes(evaluator: LocalEvaluator) -> None:
    policy = ScriptedPolicy(["The scale is read by all.\n```\ncache-hints\n```", "```\nno-such-pass\n```"])
    ctx = context(evaluator, policy, estimate=hinted_is_faster)
    module = parse_module((GOLDEN / "cache-hints" / "before.py").read_text("utf-8"))
    after = parse_module((GOLDEN / "cache-hints" / "after.py").read_text("utf-8"))
    found = parse_pipeline("me-agent{action=pipeline,n=2}").run(module, ctx)
    assert replace(found, provenance=()) == after and len(found.provenance) == 1
    assert "`cache-hints`" in policy.prompts[0][0][0].content


@pytest.mark.parametrize("reply", [answer(RIGHT), answer(RIGHT.replace("128", "256")), answer(WRONG), "no"])
def test_what_is_no_better_is_not_kept(evaluator: LocalEvaluator, reply: str) -> None:
    module = given_module()
    ctx = context(evaluator, ScriptedPolicy([reply]), estimate=hinted_is_faster)
    assert parse_pipeline("me-agent{n=1}").run(module, ctx) is module


def test_both_agents_in_one_pipeline(evaluator: LocalEvaluator) -> None:
    policy = ScriptedPolicy([answer(WRONG), answer(RIGHT), *["```\ncache-hints\n```"] * 4])
    ctx = context(evaluator, policy, estimate=hinted_is_faster)
    pipeline = parse_pipeline("fe-agent{n=2},me-agent{action=pipeline}")
    result = compile_module(PROBLEM, pipeline, ctx)
    assert result.ok and [stage.changed for stage in result.stages] == [True, True]
    assert "evict_last" in result.module.kernels[0].source
    records = result.module.provenance
    assert [record.pass_spec for record in records] == ["fe-agent{n=2}", "me-agent{action=pipeline}"]
    assert all(record.verdict.startswith("ok@") and record.policy == "scripted@1" for record in records)


@pytest.mark.parametrize("form", ["native", "modelnew"])
def test_the_worked_examples_are_right(evaluator: LocalEvaluator, form: str) -> None:
    agent = FrontendAgent("h100", make_reward("frontend"), form)
    blocks = agent.render(PROBLEM)[1].content.split("```python\n")[1:]
    reference, program = (block.partition("```")[0] for block in blocks[:2])
    problem = import_source(reference, "example", shrink="never")
    candidate = agent.parse(fenced(program), problem)
    assert isinstance(candidate, KernelModule), candidate
    verdict = evaluator.evaluate(candidate)
    assert verdict.status is Status.OK, verdict


def test_without_a_policy_it_says_how_to_give_one() -> None:
    with pytest.raises(UserError, match="pass fe-agent asks a policy, and none is configured; choose one with"):
        FrontendAgentPass().run(PROBLEM, Context("h100", object()))
    with pytest.raises(UserError, match="needs an evaluator"):
        FrontendAgentPass().run(PROBLEM, context(None, ScriptedPolicy([])))


def test_the_mid_end_does_not_guess_times() -> None:
    ctx = context(None, ScriptedPolicy([]), evaluate=FakeEvaluation(lambda _: ok()))
    with pytest.raises(UserError, match="finds no times to compare"):
        MidendAgentPass().run(given_module(), ctx)
    assert MidendAgentPass().reward_name(ctx, (Rung.RUN, Rung.TIME)) == "midend"


def test_times_decide_where_there_are_some() -> None:
    judge = FakeEvaluation(lambda module: ok(candidate=1 / block_of(module), eager=1.0))
    policy = ScriptedPolicy([with_block(256), with_block(64)])
    ctx = context(None, policy, evaluate=judge)
    options = 'me-agent{n=2,reward=log_speedup,rungs="run time",adapter=midend,strategy=beam}'
    found = parse_pipeline(options).run(given_module(), ctx)
    assert block_of(found) == 256 and policy.adapters == ["midend"]


def test_an_evaluator_that_only_fails_is_an_error() -> None:
    class GoneError(KernelwrightError):
        pass

    def judge(module: KernelModule) -> Any:
        raise GoneError(f"no worker for @{module.name}")

    ctx = context(None, ScriptedPolicy([answer(RIGHT)] * 2), evaluate=FakeEvaluation(judge))
    with pytest.raises(NothingJudgedError, match="GoneError: no worker"):
        FrontendAgentPass(n=2).run(PROBLEM, ctx)
    with pytest.raises(PassError, match="pass fe-agent on @scale_columns"):
        parse_pipeline("fe-agent{n=2}").run(
            PROBLEM,
            replace(ctx, services=(replace(ctx.service(AgentServices), policy=ScriptedPolicy(["x", answer(RIGHT)])),)),
        )


def test_agents_are_listed_with_their_options() -> None:
    passes = registered_passes()
    assert passes["fe-agent"] is FrontendAgentPass and passes["me-agent"] is MidendAgentPass
    pipeline = parse_pipeline('fe-agent{n=8,form=modelnew},me-agent{turns=2,reward=kevin,rungs="parse run time"}')
    assert parse_pipeline(str(pipeline)) == pipeline


@pytest.mark.parametrize(
    "text",
    [
        "fe-agent{n=0}",
        "fe-agent{strategy=luck}",
        "fe-agent{history=some}",
        "fe-agent{reward=praise}",
        "fe-agent{form=poem}",
        "fe-agent{rungs=top}",
        "fe-agent{top_p=0}",
        "fe-agent{temperature=-1}",
        "fe-agent{max_tokens=0}",
        "me-agent{action=wait}",
        "me-agent{form=modelnew}",
        "me-agent{form=brief}",  # it shows no program to rewrite
    ],
)
def test_options_are_checked_when_the_pipeline_is_read(text: str) -> None:
    discover()
    with pytest.raises(SpecError):
        parse_pipeline(text)


def test_rungs_are_named() -> None:
    assert read_rungs("parse  time") == (Rung.PARSE, Rung.TIME) and read_rungs("") is None
