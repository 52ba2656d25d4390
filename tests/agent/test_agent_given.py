"""Modules of pairs as problems, and rewards that compare with the module that was given."""

import math
from pathlib import Path

import pytest
from scripted import PROBLEM, FakeEvaluation, ScriptedPolicy, block_of, given_module, ok, with_block, wrong

from kernelwright.agent.evaluator import Rung, Verdict
from kernelwright.agent.rewards import make_reward, needs_of
from kernelwright.agent.rollout import roll_out
from kernelwright.agent.trajectory import Trajectory
from kernelwright.driver.config.train_settings import ProblemSettings
from kernelwright.driver.training.given import Given, paired_modules
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.midend.agent import MidendAgent
from kernelwright.rl.data.rows import MIDEND, Pair, Problem, write_rows

GIVEN = given_module()
LOG = make_reward("log_speedup")


def pairs(path: Path) -> ProblemSettings:
    problem = Problem("generated/5/1", PROBLEM.reference.source)
    rows = [Pair.of_choice(f"{problem.id}/{place}", problem, GIVEN, spec) for place, spec in enumerate(("a", "b"))]
    write_rows(path, rows)
    return ProblemSettings(place=str(path))


def test_pairs_are_problems_once_each(tmp_path: Path) -> None:
    problems = pairs(tmp_path / "pairs.jsonl")
    found = paired_modules(problems, MIDEND)
    assert found is not None and len(found) == 2  # their names differ, by which a log tells them apart
    assert found[0].kernels == GIVEN.kernels and found[0].name == "generated_5_1_0"
    with pytest.raises(UserError, match="no pairs of the stage frontend and the split train"):
        paired_modules(problems, "frontend")
    problems.split = "test"
    with pytest.raises(UserError, match="split test"):
        paired_modules(problems, MIDEND)


def test_other_places_hold_none(tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    write_rows(path, [Problem("p", PROBLEM.reference.source)])
    assert paired_modules(ProblemSettings(place=str(path)), MIDEND) is None
    assert paired_modules(ProblemSettings(), MIDEND) is None


def by_block(module: KernelModule) -> Verdict:
    """Larger blocks are faster."""
    return ok(candidate=100 / block_of(module))


def test_log_speedup_is_paid_against_what_was_given() -> None:
    judge = FakeEvaluation(by_block)
    given = Given(judge, (Rung.RUN,), lambda _line: None)
    places, before = given.timed([GIVEN])
    assert places == [0]
    agent = MidendAgent("h100", LOG)
    made = roll_out(agent, [GIVEN], ScriptedPolicy([with_block(256), with_block(64)]), judge, n=2, given=before)
    assert [one.turns[0].reward for one in made] == pytest.approx([math.log(2), -math.log(2)])
    given.timed([GIVEN, GIVEN])
    assert [len(call) for call in judge.calls] == [1, 2]


def test_what_cannot_be_compared_with_is_left_out_and_said() -> None:
    said: list[str] = []
    other = given_module(with_block(256).removeprefix("```python\n").removesuffix("```"))
    judge = FakeEvaluation(lambda module: wrong() if block_of(module) == 256 else by_block(module))
    given = Given(judge, (Rung.RUN,), said.append)
    assert given.timed([other, GIVEN])[0] == [1]
    assert given.timed([GIVEN, other])[0] == [0]
    made = given.rolled([other, GIVEN], lambda some, _before: [Trajectory(0, module) for module in some])
    assert made == [Trajectory(1, GIVEN)]
    assert len(said) == 1 and "is left out" in said[0]
    with pytest.raises(UserError, match=r"evaluator\.samples"):
        given.timed([other])


def test_which_rewards_compare() -> None:
    assert needs_of(LOG).of_given and needs_of(make_reward("midend", {"baseline": "before"})).of_given
    assert not needs_of(make_reward("midend")).of_given and not needs_of(make_reward("cost_model")).of_given
