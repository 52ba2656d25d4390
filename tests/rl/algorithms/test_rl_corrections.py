"""Importance weights and rejection: what is kept, and that none of it carries a gradient."""

import math
from typing import Any, get_args

import pytest
import torch
from sample_turns import make_turns

from kernelwright.rl.algorithms.algorithm import Level
from kernelwright.rl.algorithms.corrections import band_keep, log_ratio, prs_keep, truncate, veto_keep

MASK = torch.tensor([[True, True, True], [True, False, False], [True, True, False]])
TRAJ = torch.tensor([4, 9, 4])
DIFFERENCE = torch.tensor([[0.1, -0.3, 0.5], [0.2, 99.0, 99.0], [-0.7, 0.4, 99.0]], dtype=torch.float64)
ROLLOUT = torch.full((3, 3), -1.0, dtype=torch.float64)
EXPECTED: dict[str, list[float]] = {
    "turn": [0.3, 0.2, -0.3],
    "turn_geo": [0.1, 0.2, -0.15],
    "traj": [0.0, 0.2, 0.0],
    "traj_geo": [0.0, 0.2, 0.0],
}


@pytest.mark.parametrize("level", list(EXPECTED))
def test_log_ratios_of_turns_and_trajectories(level: Any) -> None:
    found = log_ratio(ROLLOUT + DIFFERENCE, ROLLOUT, MASK, level, TRAJ)
    assert found.shape == (3, 1)
    assert found[:, 0].tolist() == pytest.approx(EXPECTED[level], abs=1e-12)


def test_the_mean_over_a_trajectory_is_over_its_tokens_not_its_turns() -> None:
    mask = torch.tensor([[True, True, True], [True, False, False]])
    difference = torch.tensor([[0.1, 0.2, 0.3], [0.8, 0.0, 0.0]], dtype=torch.float64)
    found = log_ratio(difference, torch.zeros_like(difference), mask, "traj_geo", torch.tensor([3, 3]))
    assert found[:, 0].tolist() == pytest.approx([1.4 / 4] * 2)


def test_token_ratios_are_zero_where_masked_and_bounded() -> None:
    rollout = torch.tensor([[-1.0, -1.0, -math.inf], [-1.0, math.nan, math.nan], [-90.0, -1.0, math.nan]])
    train = torch.tensor([[-1.5, -80.0, -1.0], [-1.0, math.nan, -math.inf], [-1.0, -1.0, 0.0]])
    found = log_ratio(train, rollout, MASK)
    assert found.tolist() == [[-0.5, -20.0, 20.0], [0.0, 0.0, 0.0], [20.0, 0.0, 0.0]]
    assert log_ratio(train, rollout, MASK, "turn")[2, 0] == 20


def test_trajectories_have_to_be_told() -> None:
    with pytest.raises(ValueError, match="traj_geo: the rows' trajectories"):
        log_ratio(ROLLOUT, ROLLOUT, MASK, "traj_geo")


@pytest.mark.parametrize("level", get_args(Level))
def test_the_same_policy_has_weight_one_and_keeps_all(level: Any) -> None:
    turns = make_turns([3, 1, 5, 2])
    lw = log_ratio(turns.old_logp, turns.old_logp, turns.mask, level, turns.traj)
    assert (truncate(lw) == 1).all()
    assert band_keep(lw, 0.999, 1.001).all()
    assert veto_keep(log_ratio(turns.old_logp, turns.old_logp, turns.mask), turns.mask).all()


def test_weights_are_truncated_and_bands_are_closed() -> None:
    lw = torch.tensor([0.5, 1.0, 2.0, 3.0], dtype=torch.float64).log()
    assert truncate(lw).tolist() == pytest.approx([0.5, 1.0, 2.0, 2.0])
    assert band_keep(lw, 0.7, 2.5).tolist() == [False, True, True, False]


def test_weights_carry_no_gradient() -> None:
    turns = make_turns([3, 2])
    lw = log_ratio(turns.logp, turns.rollout_logp, turns.mask)
    assert lw.requires_grad
    assert not truncate(lw).requires_grad
    assert not band_keep(lw, 0.5, 2.0).requires_grad
    assert not veto_keep(lw, turns.mask).requires_grad


def test_veto_drops_its_row_alone() -> None:
    lw = torch.zeros(3, 3)
    lw[0, 1] = math.log(0.9e-4)
    lw[1, 2] = -20.0  # in the padding
    lw[2, 0] = math.log(1.1e-4)
    assert veto_keep(lw, MASK)[:, 0].tolist() == [False, True, True]


class TestProfilingBasedRejection:
    """Rates of 4,000 draws within five standard deviations."""

    def rate(self, coverage: float, correct: bool, seed: int = 0) -> float:
        keep = prs_keep(torch.full((4000,), coverage), torch.full((4000,), correct), 0.3, 0.1, seed)
        return float(keep.double().mean())

    @pytest.mark.parametrize("coverage", [0.31, 0.325, 0.35, 0.39])
    def test_rates_rise_over_the_ramp(self, coverage: float) -> None:
        p = (coverage - 0.3) / 0.1
        assert abs(self.rate(coverage, True) - p) < 5 * math.sqrt(p * (1 - p) / 4000)

    def test_nothing_below_everything_above_and_all_that_is_wrong(self) -> None:
        assert self.rate(0.3, True) == 0
        assert self.rate(0.0, True) == 0
        assert self.rate(0.41, True) == 1
        assert self.rate(0.0, False) == 1
        assert self.rate(math.nan, True) == 1

    def test_draws_are_the_seeds(self) -> None:
        coverage, correct = torch.full((100,), 0.35), torch.ones(100, dtype=torch.bool)
        first = prs_keep(coverage, correct, seed=1)
        assert torch.equal(first, prs_keep(coverage, correct, seed=1))
        assert not torch.equal(first, prs_keep(coverage, correct, seed=2))
