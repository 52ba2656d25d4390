"""Rollouts with a scripted policy and a scripted evaluator: batching, turns, faults, order, seeds."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pytest
from scripted import (
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
    wrong,
)

from kernelwright.agent.answer_cache import AnswerCache
from kernelwright.agent.evaluating import confirmed, fault, judge_all, one_by_one
from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.judge import JudgeError, Scores
from kernelwright.agent.policy import Completion, PolicyError, Prompt, PromptTooLongError, Sampling
from kernelwright.agent.rewards import make_reward
from kernelwright.agent.rollout import roll_out
from kernelwright.agent.trajectory import Turn
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.ir.errors import Diagnostic, KernelwrightError, UserError
from kernelwright.ir.values import KernelModule

AGENT = FrontendAgent("h100", make_reward("frontend"))
OTHER = replace(PROBLEM, name="other")


def by_block(module: KernelModule) -> Verdict:
    """Right with a block of 128 or more, the faster the larger."""
    block = block_of(module)
    return ok(candidate=1 / block, eager=1.0) if block >= 128 else wrong()


def test_all_prompts_of_a_turn_are_one_call() -> None:
    policy = ScriptedPolicy([with_block(b) for b in (64, 128, 256, 64, 512, 128)])
    evaluation = FakeEvaluation(by_block)
    found = roll_out(
        AGENT,
        [PROBLEM, OTHER],
        policy,
        evaluation,
        n=2,
        turns=2,
        sampling=Sampling(n=7, max_tokens=99, seed=5),
        adapter="fe",
        stop=lambda turn: turn.verdict.ok,
    )
    assert [len(prompts) for prompts in policy.prompts] == [2, 2]  # the second and third trajectories stopped
    assert [(s.n, s.max_tokens) for s in policy.samplings] == [(2, 99), (1, 99)]
    assert policy.samplings[0].seed == 5 != policy.samplings[1].seed
    assert policy.adapters == ["fe", "fe"]
    assert [len(modules) for modules in evaluation.calls] == [4, 2]
    assert [(t.problem, len(t.turns)) for t in found] == [(0, 2), (0, 1), (1, 1), (1, 2)]
    assert [t.best is not None for t in found] == [True] * 4
    assert found[0].module is PROBLEM and found[3].module is OTHER
    assert [turn.reward for turn in found[0].turns] == [-10.0, 1.0]
    assert found[0].turns[1].prompt is policy.prompts[1][0]


def test_equal_candidates_are_judged_once_and_unread_ones_never() -> None:
    evaluation = FakeEvaluation(by_block)
    policy = ScriptedPolicy([with_block(128), with_block(128), "nothing", answer(OUTSIDE)])
    found = roll_out(AGENT, [PROBLEM], policy, evaluation, n=4)
    assert [len(modules) for modules in evaluation.calls] == [1]
    verdicts = [t.turns[0].verdict for t in found]
    assert [v.status for v in verdicts] == [Status.OK, Status.OK, Status.UNPARSED, Status.UNPARSED]
    assert all(t.turns[0].valid for t in found)
    assert found[2].turns[0].candidate is None and found[2].turns[0].reward == -10.0
    assert "there is no code block" in verdicts[2].detail and verdicts[3].diagnostics


def test_nothing_is_evaluated_where_nothing_was_read() -> None:
    evaluation = FakeEvaluation(by_block)
    roll_out(AGENT, [PROBLEM], ScriptedPolicy(["a", "b"]), evaluation, turns=2)
    assert evaluation.calls == []


class BrokenError(KernelwrightError):
    """A framework that failed."""


def test_a_fault_of_the_framework_is_neither_paid_nor_gone_on_from() -> None:
    def judge(module: KernelModule) -> Verdict:
        if block_of(module) == 512:
            raise BrokenError("worker gone")
        return by_block(module)

    policy = ScriptedPolicy([with_block(512), with_block(64), with_block(128)])
    first, second = roll_out(AGENT, [PROBLEM], policy, FakeEvaluation(judge), n=2, turns=2)
    (turn,) = first.turns
    assert not turn.valid and turn.reward == 0.0 and first.best is None
    assert fault(turn.verdict) == "BrokenError: worker gone" and turn.candidate is not None
    assert [t.valid for t in second.turns] == [True, True]


def test_a_stream_that_breaks_keeps_what_it_gave() -> None:
    def evaluate(modules: Iterable[KernelModule], rungs: tuple[Rung, ...] | None) -> Iterator[Verdict]:
        del rungs
        yield by_block(next(iter(modules)))
        raise BrokenError("closed")

    policy = ScriptedPolicy([with_block(128), with_block(256), with_block(512)])
    found = roll_out(AGENT, [PROBLEM], policy, evaluate, n=3)
    assert [t.turns[0].valid for t in found] == [True, False, False]


def test_what_cannot_be_judged_is_not_valid_but_can_be_written_anew() -> None:
    def judge(module: KernelModule) -> Verdict:
        unsupported = Verdict(Status.UNSUPPORTED, Rung.INTERPRET, "no libdevice")
        return unsupported if block_of(module) == 64 else by_block(module)

    (found,) = roll_out(
        AGENT, [PROBLEM], ScriptedPolicy([with_block(64), with_block(128)]), FakeEvaluation(judge), turns=2
    )
    assert [turn.valid for turn in found.turns] == [False, True]
    assert "cannot be judged here" in found.turns[1].prompt[-1].content


def test_wrong_configuration_and_bugs_are_raised() -> None:
    def raises(error: Exception) -> FakeEvaluation:
        def judge(_module: KernelModule) -> Verdict:
            raise error

        return FakeEvaluation(judge)

    for error in (UserError("rung time needs a GPU"), ZeroDivisionError()):
        with pytest.raises(type(error)):
            roll_out(AGENT, [PROBLEM], ScriptedPolicy([with_block(128)]), raises(error))
    with pytest.raises(UserError, match="needs times"):
        timed = FrontendAgent("h100", make_reward("midend"))
        roll_out(timed, [PROBLEM], ScriptedPolicy([with_block(128)]), FakeEvaluation(lambda _: ok()))
    with pytest.raises(UserError, match="n=0"):
        roll_out(AGENT, [PROBLEM], ScriptedPolicy([]), FakeEvaluation(by_block), n=0)


def test_a_policy_that_answers_too_little_is_an_error() -> None:
    class Short(ScriptedPolicy):
        def sample(
            self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
        ) -> list[list[Completion]]:
            return super().sample(prompts, replace(sampling, n=1), adapter)

    with pytest.raises(PolicyError, match=r"gave \[1\] answers to 1 prompts of 2"):
        roll_out(AGENT, [PROBLEM], Short([with_block(128)]), FakeEvaluation(by_block), n=2)


def test_a_judge_that_fails_makes_the_turn_invalid() -> None:
    class Silent:
        def scores(self, before: KernelModule, after: KernelModule) -> Scores:
            raise JudgeError(f"no answer about @{after.name} from @{before.name}")

    agent = FrontendAgent("h100", make_reward("composite", {"judge_weight": 0.5, "speed": 0}, judge=Silent()))
    (found,) = roll_out(agent, [PROBLEM], ScriptedPolicy([with_block(128)]), FakeEvaluation(by_block))
    assert not found.turns[0].valid and fault(found.turns[0].verdict).startswith("JudgeError")


def test_times_of_the_given_module_are_before() -> None:
    agent = FrontendAgent("h100", make_reward("log_speedup"))
    given = given_module()
    (before,) = judge_all([given], FakeEvaluation(by_block))
    policy = ScriptedPolicy([with_block(256)])
    (found,) = roll_out(agent, [given], policy, FakeEvaluation(by_block), given=[before])
    assert found.turns[0].verdict.times_ms["before"] == 1 / 128
    assert found.turns[0].reward == pytest.approx(0.6931, abs=1e-3)


def test_the_same_seed_gives_the_same_again() -> None:
    texts = [answer(WRONG), with_block(128), with_block(64), with_block(256)]

    def run() -> tuple[list[tuple[Turn, ...]], list[Sampling]]:
        policy = ScriptedPolicy(texts)
        options = {"n": 2, "turns": 2, "sampling": Sampling(seed=3)}
        return [
            t.turns for t in roll_out(AGENT, [PROBLEM], policy, FakeEvaluation(by_block), **options)
        ], policy.samplings

    assert run() == run()


def test_feedback_of_the_last_turn_is_in_the_next_prompt() -> None:
    policy = ScriptedPolicy([answer(WRONG), answer(RIGHT)])
    evaluation = FakeEvaluation(lambda module: wrong() if "x + scale" in module.kernels[0].source else ok())
    (found,) = roll_out(AGENT, [PROBLEM], policy, evaluation, turns=2)
    prompt = found.turns[1].prompt
    assert [m.role for m in prompt] == ["system", "user", "assistant", "user"]
    assert prompt[2].content == answer(WRONG) and "expected 1, got 2" in prompt[3].content


def test_progress_is_told() -> None:
    lines: list[str] = []
    policy = ScriptedPolicy([with_block(64), with_block(128)])
    roll_out(AGENT, [PROBLEM], policy, FakeEvaluation(by_block), n=2, progress=lines.append)
    assert lines == ["turn 1: 1 of 2 answers verified"]


def test_a_high_speedup_is_measured_again_and_the_second_counts() -> None:
    times = iter([0.01, 0.9, 0.5])
    evaluate = confirmed(FakeEvaluation(lambda _: ok(candidate=next(times), eager=1.0)), above=3.0)
    found = judge_all([given_module(), given_module(RIGHT.replace("128", "256"))], evaluate)
    assert [verdict.times_ms["candidate"] for verdict in found] == [0.9, 0.5]


def test_a_speedup_over_the_given_module_is_measured_again_too() -> None:
    times, module = iter([0.1, 0.5, 0.4]), given_module()
    judged = FakeEvaluation(lambda _: ok(candidate=next(times), eager=0.1))
    evaluate = confirmed(judged, baseline="before", given=[(module, ok(candidate=1.0))])
    found = judge_all([module, given_module(RIGHT.replace("128", "256"))], evaluate)
    assert [verdict.times_ms["candidate"] for verdict in found] == [0.5, 0.4]


@dataclass
class Bounded(ScriptedPolicy):
    """Has no room for prompts with a word in them."""

    word: str = "@other"

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        long = [place for place, prompt in enumerate(prompts) if self.word in "".join(m.content for m in prompt)]
        if long:
            raise PromptTooLongError("prompt is too long", long)
        return super().sample(prompts, sampling, adapter)


def named(module: KernelModule, name: str) -> KernelModule:
    return replace(
        module, name=name, reference=replace(module.reference, source=f"# @{name}\n" + PROBLEM.reference.source)
    )


def test_a_prompt_that_is_too_long_is_set_aside_and_ends_nothing() -> None:
    said, over = list[str](), list[int]()
    modules = [PROBLEM, named(OTHER, "other"), PROBLEM]
    policy = Bounded([with_block(block) for block in (128, 64, 256, 64)])
    found = roll_out(
        AGENT, modules, policy, FakeEvaluation(by_block), n=2,
        too_long=lambda name, cause: said.append(f"{name}: {cause}"), over=lambda: over.append(1),
    )  # fmt: skip
    assert [one.problem for one in found] == [0, 0, 2, 2] and over == [1]
    assert said == ["other: turn 1: prompt is too long"]
    nothing = roll_out(AGENT, modules[1:2], policy, FakeEvaluation(by_block), too_long=lambda *_: None)
    assert nothing == []
    with pytest.raises(PromptTooLongError):
        roll_out(AGENT, modules, policy, FakeEvaluation(by_block))


def test_a_later_prompt_that_is_too_long_ends_its_trajectory_alone() -> None:
    said = list[str]()
    policy = Bounded([with_block(64), with_block(128), with_block(256), with_block(512)], word="BLOCK=64")
    found = roll_out(
        AGENT, [PROBLEM], policy, FakeEvaluation(by_block), n=2, turns=3,
        too_long=lambda name, _cause: said.append(name),
    )  # fmt: skip
    assert [len(one.turns) for one in found] == [1, 3]
    assert said == [PROBLEM.name]  # once


def test_an_evaluator_is_asked_one_by_one() -> None:
    class Evaluator:
        def evaluate(self, module: KernelModule, rungs: tuple[Rung, ...] | None = None) -> Verdict:
            assert rungs == (Rung.INTERPRET,)
            if block_of(module) == 64:
                raise BrokenError("no")
            return ok()

    modules = [given_module(), given_module(RIGHT.replace("BLOCK=128", "BLOCK=64"))]
    outcomes = list(one_by_one(Evaluator())(modules, (Rung.INTERPRET,)))
    assert outcomes[0] == ok() and isinstance(outcomes[1], BrokenError)


def test_what_is_remembered_is_neither_read_nor_judged_again() -> None:
    @dataclass(frozen=True)
    class Counting(FrontendAgent):
        def parse(self, text: str, module: KernelModule) -> KernelModule | tuple[Diagnostic, ...]:
            read.append(text)
            return super().parse(text, module)

    def judge(module: KernelModule) -> Verdict:
        if block_of(module) == 512:
            raise BrokenError("worker gone")
        return by_block(module)

    read: list[str] = []
    agent, evaluation, cache = Counting("h100", make_reward("frontend")), FakeEvaluation(judge), AnswerCache(8)
    texts = [with_block(128), with_block(64), "nothing", with_block(512)]
    for again in range(2):
        found = roll_out(agent, [PROBLEM], ScriptedPolicy(texts), evaluation, n=4, cache=cache)
        assert [track.turns[0].verdict.status for track in found[:3]] == [Status.OK, Status.MISMATCH, Status.UNPARSED]
        assert [track.turns[0].reward for track in found] == [1.0, -10.0, -10.0, 0.0]
        assert [block_of(module) for module in evaluation.calls[again]] == [[128, 64, 512], [512]][again]
    assert read == texts
    roll_out(agent, [OTHER], ScriptedPolicy(texts[:1]), evaluation, cache=cache)  # another problem's answer
    assert read == [*texts, texts[0]] and len(evaluation.calls) == 3


def test_only_the_latest_answers_are_remembered() -> None:
    evaluation, cache = FakeEvaluation(by_block), AnswerCache(2)
    for block in (128, 256, 128, 64, 256):
        roll_out(AGENT, [PROBLEM], ScriptedPolicy([with_block(block)]), evaluation, cache=cache)
    assert [block_of(module) for (module,) in evaluation.calls] == [128, 256, 64, 256]
