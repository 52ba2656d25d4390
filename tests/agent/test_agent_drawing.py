"""Answers are taken as they end: judged while others are drawn, and in order at the end all the same."""

import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from scripted import PROBLEM, FakeEvaluation, ScriptedPolicy, block_of, ok, with_block

from kernelwright.agent.drawing import drawn
from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.policy import Answer, Completion, Message, PolicyError, Prompt, Sampling, in_order
from kernelwright.agent.rewards import make_reward
from kernelwright.agent.rollout import roll_out
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.ir.values import KernelModule

AGENT = FrontendAgent("h100", make_reward("frontend"))
PROMPT = (Message("user", "hello"),)
#: For what has to happen; it is never waited out where things are right.
PATIENCE_S = 30.0


@dataclass
class Streamer(ScriptedPolicy):
    """Gives its texts the last first, each once `goes` is set as often as there were texts before."""

    goes: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(1000))
    closed: threading.Event = field(default_factory=threading.Event)

    def stream(self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None) -> Generator[Answer]:
        """As `Streaming` has it."""
        groups = self.sample(prompts, sampling, adapter)
        answers = [(i, j, answer) for i, group in enumerate(groups) for j, answer in enumerate(group)]
        try:
            for one in reversed(answers):
                if not self.goes.acquire(timeout=PATIENCE_S):
                    raise PolicyError("nobody took the answer before")
                yield one
        finally:
            self.closed.set()


def test_an_answer_is_judged_before_the_next_is_drawn() -> None:
    policy = Streamer([with_block(64), with_block(128), with_block(256)], goes=threading.Semaphore(1))
    over = threading.Event()

    def evaluate(modules: Iterable[KernelModule], _rungs: object) -> Iterator[Verdict]:
        for number, module in enumerate(modules):
            assert over.wait(PATIENCE_S) if number == 2 else not over.is_set()
            policy.goes.release()  # the next answer waits for this one's verdict
            yield ok(candidate=float(block_of(module)))

    found = roll_out(AGENT, [PROBLEM], policy, evaluate, n=3, over=over.set)
    assert [made.turns[0].verdict.times_ms["candidate"] for made in found] == [64.0, 128.0, 256.0]


def test_streaming_changes_nothing_but_when() -> None:
    texts = [with_block(64), "nothing", with_block(128), with_block(64), with_block(256), with_block(128), "no", "-"]
    evaluation = FakeEvaluation(lambda module: ok(candidate=float(block_of(module))))
    made = [
        roll_out(AGENT, [PROBLEM, PROBLEM], policy, evaluation, n=2, turns=2)
        for policy in (ScriptedPolicy(texts), Streamer(texts))
    ]
    assert made[0] == made[1]
    assert [len(call) for call in evaluation.calls] == [2, 2, 2, 2]  # equal ones once


def test_a_policy_that_fails_halfway_is_no_fault_of_the_evaluator() -> None:
    class Failing(Streamer):
        def stream(
            self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
        ) -> Generator[Answer]:
            yield next(super().stream(prompts, sampling, adapter))
            raise PolicyError("the engine has ended")

    evaluation = FakeEvaluation(lambda _: ok())
    with pytest.raises(PolicyError, match="the engine has ended"):
        roll_out(AGENT, [PROBLEM], Failing([with_block(64), with_block(128)]), evaluation, n=2)


def test_a_policy_is_told_when_nobody_wants_the_rest() -> None:
    policy = Streamer(["a", "b", "c"])
    answers = drawn(policy, [PROMPT], Sampling(n=3))
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert policy.closed.wait(PATIENCE_S)


def test_too_few_answers_are_an_error() -> None:
    class Short(Streamer):
        def stream(
            self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
        ) -> Generator[Answer]:
            yield next(super().stream(prompts, sampling, adapter))

    with pytest.raises(PolicyError, match=r"gave \[1\] answers to 1 prompts of 2"):
        list(drawn(Short(["a", "b"]), [PROMPT], Sampling(n=2)))


def test_answers_are_put_in_order() -> None:
    answers = [Completion(text, "stop", "") for text in "abc"]
    given = [(1, 0, answers[2]), (0, 1, answers[1]), (0, 0, answers[0])]
    assert in_order(given, 2) == [answers[:2], answers[2:]]
