"""Test-time strategies: what each asks, sees and keeps."""

import pytest
from scripted import PROBLEM, FakeEvaluation, ScriptedPolicy, block_of, ok, with_block, wrong

from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.policy import Prompt, Sampling
from kernelwright.agent.rewards import make_reward
from kernelwright.agent.rollout import Roller
from kernelwright.agent.search import STRATEGIES, Budget, beam, best_of_n, best_turn, sequential, strategy_named
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule

AGENT = FrontendAgent("h100", make_reward("midend", {"cap": 100.0}))


def by_block(module: KernelModule) -> Verdict:
    """The faster the larger the block; wrong below 128."""
    block = block_of(module)
    return ok(candidate=128 / block, eager=1.0) if block >= 128 else wrong()


def roller(*blocks: int) -> tuple[Roller, ScriptedPolicy]:
    """Answers with these blocks."""
    policy = ScriptedPolicy([with_block(block) for block in blocks])
    return Roller(AGENT, policy, FakeEvaluation(by_block), Sampling(seed=0)), policy


def remembered(prompt: Prompt) -> list[int]:
    """The blocks of the answers that a prompt shows."""
    return [int(m.content.split("BLOCK=")[1].split(",")[0]) for m in prompt if m.role == "assistant"]


def best_block(trajectories: list) -> int:
    """The block of the best verified turn."""
    turn = best_turn(trajectories)
    assert turn is not None and turn.candidate is not None
    return block_of(turn.candidate)


def test_best_of_n_keeps_the_best() -> None:
    rolls, _ = roller(128, 512, 64, 256)
    found = best_of_n(rolls, [PROBLEM], Budget(n=4))
    assert best_block(found) == 512 and len(found) == 4


def test_the_earlier_of_equals_is_kept_and_nothing_unverified() -> None:
    rolls, policy = roller(256, 256)
    assert best_turn(best_of_n(rolls, [PROBLEM], Budget(n=2))).prompt is policy.prompts[0][0]  # type: ignore[union-attr]
    rolls, _ = roller(64, 32)
    assert best_turn(best_of_n(rolls, [PROBLEM], Budget(n=2))) is None


def test_sequential_goes_on_from_a_memory_of_the_best() -> None:
    rolls, policy = roller(128, 64, 512, 256, 1024)
    (found,) = sequential(rolls, [PROBLEM], Budget(n=1, turns=3, rounds=2, width=2))
    assert len(found.turns) == 5 and best_block([found]) == 1024
    seen = [remembered(prompts[0]) for prompts in policy.prompts]
    assert seen == [[], [128], [128, 64], [128, 512], [256, 512]]
    assert len({sampling.seed for sampling in policy.samplings}) == 5


def test_sequential_stops_when_told_to() -> None:
    rolls, policy = roller(64, 128)
    sequential(rolls, [PROBLEM], Budget(n=1, turns=1, rounds=4, stop=lambda turn: turn.verdict.ok))
    assert len(policy.prompts) == 2


def test_beam_branches_the_best() -> None:
    rolls, policy = roller(128, 64, 256, 32, 512, 128, 1024, 64)
    found = beam(rolls, [PROBLEM], Budget(n=4, turns=2, width=2))
    assert [len(prompts) for prompts in policy.prompts] == [1, 2]
    assert [sampling.n for sampling in policy.samplings] == [4, 2]
    assert [remembered(prompt) for prompt in policy.prompts[1]] == [[256], [128]]
    assert best_block(found) == 1024
    assert sorted(len(one.turns) for one in found) == [1, 1, 2, 2, 2, 2]


def test_beam_ends_where_one_has_what_was_looked_for() -> None:
    rolls, policy = roller(128, 64)
    found = beam(rolls, [PROBLEM], Budget(n=2, turns=3, width=2, stop=lambda turn: turn.verdict.ok))
    assert len(policy.prompts) == 1 and len(found) == 2


@pytest.mark.parametrize("options", [{"n": 0}, {"turns": 0}, {"width": 0}, {"rounds": -1}])
def test_budgets_are_checked(options: dict[str, int]) -> None:
    with pytest.raises(UserError):
        Budget(**options)


def test_strategies_have_names() -> None:
    assert all(strategy_named(name) is STRATEGIES[name] for name in ("best-of-n", "sequential", "beam"))
    with pytest.raises(UserError, match="choose from best-of-n, sequential, beam"):
        strategy_named("luck")
