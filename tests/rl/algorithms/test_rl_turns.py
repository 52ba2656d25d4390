"""Rows of a batch: their checks, and how they come from trajectories."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from sample_turns import make_turns

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.policy import Completion
from kernelwright.agent.trajectory import Trajectory, Turn
from kernelwright.rl.algorithms.turns import padded, turns_of


def test_rows_are_selected_by_index_and_by_mask() -> None:
    turns = make_turns([3, 1, 5], prompt=torch.tensor([4, 5, 6]), ref_logp=None)
    for rows in ([2, 0], torch.tensor([2, 0])):
        found = turns.select(rows)
        assert found.prompt.tolist() == [6, 4]
        assert torch.equal(found.mask, turns.mask[[2, 0]])
        assert found.ref_logp is None
    assert turns.select(torch.tensor([False, True, True])).prompt.tolist() == [5, 6]
    assert len(turns.select([1])) == 1


def test_a_narrower_pass_is_padded() -> None:
    turns = make_turns([3, 1, 5]).select([0, 1])
    found = turns.with_logp(torch.ones(2, 3)).logp
    assert found.tolist() == [[1.0, 1.0, 1.0, 0.0, 0.0]] * 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"reward": torch.zeros(4)}, r"reward: \(3,\) expected, not \(4,\)"),
        ({"mask": torch.ones(3, 5)}, "mask: torch.bool expected"),
        ({"turn": torch.zeros(3)}, "turn: torch.int64 expected"),
        ({"old_logp": torch.full((3, 5), float("nan"))}, "turns 0, 1, 2: old_logp is no finite number"),
        ({"reward": torch.tensor([0.0, float("inf"), 0.0])}, "turns 1: the reward"),
        ({"turn": torch.tensor([0, 1, 0])}, r"trajectory 1: turns 0 to 0 expected, not \[1\]"),
        ({"traj": torch.tensor([0, 0, 1])}, r"trajectory 0: turns 0 to 1 expected, not \[0, 0\]"),
        (
            {"traj": torch.zeros(3).long(), "turn": torch.arange(3), "prompt": torch.tensor([0, 0, 1])},
            "trajectory 0: turns of prompts 0 and 1",
        ),
    ],
)
def test_mistakes_are_named(columns: dict[str, Any], message: str) -> None:
    make_turns([3, 1, 5]).validate()
    with pytest.raises(ValueError, match=message):
        replace(make_turns([3, 1, 5]), **columns).validate()


def test_what_a_fault_left_is_not_looked_at() -> None:
    turns = make_turns([3, 1], valid=torch.tensor([True, False]))
    turns = replace(turns, reward=torch.tensor([1.0, float("nan")]), old_logp=turns.old_logp.clone())
    turns.old_logp[1] = float("nan")
    turns.validate()


def turn(tokens: int, reward: float, status: Status = Status.OK, valid: bool = True) -> Turn:
    completion = Completion("", "stop", "base", (1,), tuple(range(tokens)), tuple(-0.1 * i for i in range(tokens)))
    return Turn((), completion, None, Verdict(status, Rung.RUN), reward, valid)


def test_trajectories_become_rows_in_order() -> None:
    module: Any = None
    first = Trajectory(3, module, (turn(2, -10.0, Status.MISMATCH), turn(3, 1.0)))
    second = Trajectory(5, module, (turn(1, 0.0, Status.TIMEOUT, valid=False),))
    found = turns_of([first, second], torch.full((3, 4), -0.5), speedup=[0.0, 1.5, 0.0])
    found.validate()
    assert found.prompt.tolist() == [3, 3, 5]
    assert found.traj.tolist() == [0, 0, 1]
    assert found.turn.tolist() == [0, 1, 0]
    assert found.reward.tolist() == [-10, 1, 0]
    assert found.valid.tolist() == [True, True, False]
    assert found.correct.tolist() == [False, True, False]
    assert found.mask.sum(-1).tolist() == [2, 3, 1]
    assert found.rollout_logp[1].tolist() == pytest.approx([0.0, -0.1, -0.2, 0.0])
    assert found.speedup.tolist() == [0.0, 1.5, 0.0]
    assert found.coverage.isnan().all()


def test_tokens_of_unknown_probability_are_refused() -> None:
    bad = replace(turn(2, 1.0), completion=Completion("", "stop", "base", (1,), (4, 5), ()))
    with pytest.raises(ValueError, match="trajectory 0, turn 0: 2 tokens, 0 log-probabilities"):
        turns_of([Trajectory(0, None, (bad,))], torch.zeros(1, 2))  # type: ignore[arg-type]
    fault = replace(bad, valid=False)
    assert not turns_of([Trajectory(0, None, (fault,))], torch.zeros(1, 2)).mask.any()  # type: ignore[arg-type]


def test_rows_are_padded() -> None:
    assert padded([[1, 2], []], 3).tolist() == [[1, 2, 0], [0, 0, 0]]
    assert padded([[1], [2, 3]]).shape == (2, 2)
