"""Returns and advantages: against a loop, against exact enumeration, and by the identities that they have."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelwright.rl.algorithms.returns import advantages, group_ids, nonconstant_groups, settled, turn_returns

RAGGED = [3, 1, 4, 2, 1]


def ragged(seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rewards, trajectories and turns of trajectories of different depth, in random order."""
    pairs = [(traj + 10, turn) for traj, depth in enumerate(RAGGED) for turn in range(depth)]
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(pairs), generator=generator)
    traj, turn = torch.tensor(pairs)[order].unbind(-1)
    return torch.randn(len(pairs), generator=generator, dtype=torch.float64), traj, turn


STEPS: dict[str, Callable[[float, float], float]] = {
    "sum": lambda reward, later: reward + later,
    "max": max,
    "outcome": lambda _, later: later,
}


@pytest.mark.parametrize("how", list(STEPS))
@pytest.mark.parametrize("gamma", [0.0, 0.4, 1.0])
def test_returns_of_ragged_turns_are_those_of_a_loop(how: Any, gamma: float) -> None:
    reward, traj, turn = ragged(seed=3)
    table = {(int(i), int(t)): float(r) for i, t, r in zip(traj, turn, reward, strict=True)}

    def expected(i: int, t: int) -> float:
        if (i, t + 1) not in table:
            return table[i, t]
        return STEPS[how](table[i, t], gamma * expected(i, t + 1))

    found = turn_returns(reward, traj, turn, gamma, how)
    assert found.tolist() == pytest.approx([expected(int(i), int(t)) for i, t in zip(traj, turn, strict=True)])


def test_returns_are_of_the_trajectory_alone() -> None:
    reward, traj, turn = ragged(seed=5)
    changed = torch.where(traj == 12, reward + 7, reward)
    same = traj != 12
    before, after = turn_returns(reward, traj, turn, 0.9), turn_returns(changed, traj, turn, 0.9)
    assert torch.equal(before[same], after[same])
    assert (before[~same] != after[~same]).all()


def test_a_fault_leaves_the_returns_before_it_unknown() -> None:
    traj, turn = torch.tensor([0, 0, 0, 1, 1]), torch.tensor([0, 1, 2, 0, 1])
    valid = torch.tensor([True, False, True, True, True])
    assert settled(valid, traj, turn).tolist() == [False, False, True, True, True]
    assert settled(valid, traj, turn, gamma=0.0).tolist() == valid.tolist()


def test_groups() -> None:
    prompt, turn = torch.tensor([7, 7, 9, 7, 9]), torch.tensor([0, 1, 0, 0, 1])
    by_prompt, by_turn = group_ids(prompt, turn, "prompt"), group_ids(prompt, turn, "prompt_turn")
    assert by_prompt.tolist() == [0, 0, 1, 0, 1]
    assert len(set(by_turn.tolist())) == 4
    assert by_turn[0] == by_turn[3]


groups = st.lists(st.lists(st.floats(-10, 10), min_size=2, max_size=6), min_size=1, max_size=4)


def flat(values: list[list[float]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    returns = torch.tensor([value for group in values for value in group], dtype=torch.float64)
    gid = torch.tensor([place for place, group in enumerate(values) for _ in group])
    return returns, gid, torch.ones(len(returns), dtype=torch.bool)


@settings(deadline=None, max_examples=60)
@given(groups)
def test_groups_sum_to_zero_and_leave_one_out_is_n_over_n_minus_1_of_mean(values: list[list[float]]) -> None:
    returns, gid, valid = flat(values)
    for scale in ("none", "group", "batch"):
        mean = advantages(returns, gid, valid, "mean", scale)
        loo = advantages(returns, gid, valid, "loo", scale)
        for place, group in enumerate(values):
            chosen = gid == place
            bound = 1e-8 * (1 + float(mean[chosen].abs().sum()))
            assert abs(float(mean[chosen].sum())) < bound
            assert abs(float(loo[chosen].sum())) < 2 * bound
            torch.testing.assert_close(loo[chosen], len(group) / (len(group) - 1) * mean[chosen])


@settings(deadline=None, max_examples=60)
@given(groups, st.floats(-100, 100))
def test_a_shift_of_all_rewards_changes_no_advantage(values: list[list[float]], shift: float) -> None:
    returns, gid, valid = flat(values)
    for baseline, scale in itertools.product(("mean", "loo"), ("none", "group", "batch")):
        found = advantages(returns, gid, valid, baseline, scale)  # type: ignore[arg-type]
        shifted = advantages(returns + shift, gid, valid, baseline, scale)  # type: ignore[arg-type]
        torch.testing.assert_close(found, shifted, atol=1e-6, rtol=1e-6)


def test_leave_one_out_is_the_return_less_the_mean_of_the_others() -> None:
    returns, gid, valid = flat([[1.0, 4.0, -2.0, 9.0], [5.0, 6.0]])
    others = [(4 - 2 + 9) / 3, (1 - 2 + 9) / 3, (1 + 4 + 9) / 3, (1 + 4 - 2) / 3, 6.0, 5.0]
    found = advantages(returns, gid, valid, "loo", "none")
    assert found.tolist() == pytest.approx((returns - torch.tensor(others)).tolist())


def test_scales_are_standard_deviations_with_one_degree_of_freedom_off() -> None:
    returns, gid, valid = flat([[1.0, 4.0, -2.0, 9.0], [5.0, 6.0]])
    by_group = [(x - 3.0) / (torch.tensor([1.0, 4.0, -2.0, 9.0]).std().item() + 1e-4) for x in (1.0, 4.0, -2.0, 9.0)]
    by_group += [x / (0.5**0.5 + 1e-4) for x in (-0.5, 0.5)]
    assert advantages(returns, gid, valid, "mean", "group").tolist() == pytest.approx(by_group)
    by_batch = torch.tensor([-2.0, 1.0, -5.0, 6.0, -0.5, 0.5]) / (returns.std() + 1e-4)
    assert advantages(returns, gid, valid, "mean", "batch").tolist() == pytest.approx(by_batch.tolist())


@pytest.mark.parametrize("scale", ["none", "group"])
@pytest.mark.parametrize("baseline", ["mean", "loo"])
def test_a_group_of_one_gives_nothing_or_its_return(baseline: Any, scale: Any) -> None:
    returns, gid = torch.tensor([3.0, 1.0, 2.0]), torch.tensor([0, 1, 1])
    valid = torch.ones(3, dtype=torch.bool)
    assert advantages(returns, gid, valid, baseline, scale)[0] == 0
    assert advantages(returns, gid, valid, baseline, scale, "return")[0] == 3


def test_rows_that_are_not_valid_count_for_nothing() -> None:
    returns, gid = torch.tensor([3.0, float("nan"), 1.0, 2.0, 5.0]), torch.tensor([0, 0, 0, 0, 1])
    valid = torch.tensor([True, False, True, True, False])
    for baseline, scale in itertools.product(("mean", "loo"), ("none", "group", "batch")):
        found = advantages(returns, gid, valid, baseline, scale)  # type: ignore[arg-type]
        alone = advantages(returns[valid], gid[valid], valid[valid], baseline, scale)  # type: ignore[arg-type]
        assert found[valid].tolist() == pytest.approx(alone.tolist())
        assert (found[~valid] == 0).all()


def test_dynamic_sampling_drops_groups_without_a_signal() -> None:
    x = torch.tensor([1.0, 1.0, 1.0, 0.0, 5.0, 5.0005, 2.0, 9.0, 4.0])
    gid = torch.tensor([0, 0, 1, 1, 2, 2, 3, 3, 4])
    valid = torch.tensor([True] * 7 + [False, True])
    found = nonconstant_groups(x, gid, valid)
    assert found.tolist() == [False, False, True, True, False, False, False, False, False]


class TestExactBandit:
    """A softmax bandit whose expected gradient estimate is the sum over all samples of three actions of three."""

    logits = torch.tensor([0.3, -0.8, 0.9], dtype=torch.float64)
    reward = torch.tensor([1.0, -10.0, 4.0], dtype=torch.float64)
    samples = torch.tensor(list(itertools.product(range(3), repeat=3)))

    def truth(self) -> torch.Tensor:
        logits = self.logits.clone().requires_grad_()
        (torch.softmax(logits, -1) @ self.reward).backward()
        assert logits.grad is not None
        return logits.grad

    def estimate(self, baseline: Any, valid: torch.Tensor) -> torch.Tensor:
        """E[1/N Σ A_i ∇ ln π(a_i)], one group for each sample; the mean is over valid rows of a sample."""
        probabilities = torch.softmax(self.logits, -1)
        weight = probabilities[self.samples].prod(-1)
        returns, gid = self.reward[self.samples].flatten(), torch.arange(27).repeat_interleave(3)
        adv = advantages(returns, gid, valid.flatten(), baseline, "none").view(27, 3)
        score = torch.eye(3, dtype=torch.float64)[self.samples] - probabilities  # ∇ ln π of each action
        rows = valid.sum(-1).clamp(min=1)
        return (weight[:, None] * (adv[..., None] * score).sum(1) / rows[:, None]).sum(0)

    def test_leave_one_out_is_unbiased_and_mean_is_short_by_one_nth(self) -> None:
        everything = torch.ones(27, 3, dtype=torch.bool)
        torch.testing.assert_close(self.estimate("loo", everything), self.truth())
        torch.testing.assert_close(self.estimate("mean", everything), (1 - 1 / 3) * self.truth())

    def test_validity_that_depends_on_the_outcome_is_a_bias(self) -> None:
        """What KernelGYM does to turns that break an earlier success: the -10 never counts."""
        found = self.estimate("loo", self.samples != 1)
        truth = self.truth()
        assert torch.cosine_similarity(found, truth, dim=0) < 0.9
        assert abs(float(found[1])) < 0.1 * abs(float(truth[1]))

    def test_validity_that_does_not_depend_on_it_is_none(self) -> None:
        faults = torch.ones(27, 3, dtype=torch.bool)
        faults[:, 1] = False
        torch.testing.assert_close(self.estimate("loo", faults), self.truth())
