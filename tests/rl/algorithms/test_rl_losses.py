"""Losses of tokens, the KL estimate and aggregation, against what they are by definition."""

import itertools
from typing import Any

import pytest
import torch
from sample_turns import make_turns

from kernelwright.rl.algorithms.losses import aggregate, clipped, denominator, k3, pg_loss, policy_ratio

KINDS = ("ppo", "reinforce", "cispo")
LENGTHS = [3, 1, 5, 2]
ADV = torch.tensor([1.0, -2.0, 0.5, 0.0], dtype=torch.float64)[:, None]


def gradient(kind: Any, level: Any) -> torch.Tensor:
    """Of the sum of all tokens' losses, by logp, where the policy is the anchor."""
    turns = make_turns(LENGTHS)
    loss = pg_loss(turns.logp, turns.logp.detach(), ADV, kind, level=level, mask=turns.mask)
    torch.where(turns.mask, loss, 0.0).sum().backward()
    assert turns.logp.grad is not None
    return turns.logp.grad


@pytest.mark.parametrize("level", ["token", "sequence"])
def test_at_the_anchor_all_kinds_have_the_gradient_of_reinforce(level: Any) -> None:
    mask = make_turns(LENGTHS).mask
    for kind in KINDS:
        torch.testing.assert_close(gradient(kind, level), torch.where(mask, -ADV, 0.0))


def test_a_sequences_ratio_is_the_geometric_mean_of_its_tokens() -> None:
    turns = make_turns(LENGTHS)
    logp = turns.logp.detach()
    found = policy_ratio(logp, turns.old_logp, turns.mask, "sequence")
    for row, length in enumerate(LENGTHS):
        tokens = (logp - turns.old_logp)[row, :length].exp()
        assert float(found[row, 0]) == pytest.approx(float(tokens.prod() ** (1 / length)))


RATIOS = torch.tensor([[0.5, 0.9, 1.1, 1.5, 6.0]], dtype=torch.float64)
FULL = torch.ones(1, 5, dtype=torch.bool)


def at_ratios(kind: Any, adv: float, **options: Any) -> tuple[list[float], list[float]]:
    """Losses, and gradients by logp, of tokens with these ratios."""
    logp = RATIOS.log().requires_grad_()
    anchor = torch.zeros_like(RATIOS)
    loss = pg_loss(logp, anchor, torch.tensor([[adv]], dtype=torch.float64), kind, 0.2, 0.28, mask=FULL, **options)
    loss.sum().backward()
    assert logp.grad is not None
    return loss[0].tolist(), logp.grad[0].tolist()


def test_ppo_clips_on_the_side_of_the_advantage() -> None:
    loss, slope = at_ratios("ppo", 1.0)
    assert loss == pytest.approx([-0.5, -0.9, -1.1, -1.28, -1.28])
    assert slope == pytest.approx([-0.5, -0.9, -1.1, 0.0, 0.0])
    loss, slope = at_ratios("ppo", -1.0)
    assert loss == pytest.approx([0.8, 0.9, 1.1, 1.5, 6.0])
    assert slope == pytest.approx([0.0, 0.9, 1.1, 1.5, 6.0])


def test_dual_clip_bounds_the_loss_of_negative_advantages_alone() -> None:
    loss, slope = at_ratios("ppo", -1.0, dual_c=3.0)
    assert loss == pytest.approx([0.8, 0.9, 1.1, 1.5, 3.0])
    assert slope[-1] == 0
    assert at_ratios("ppo", 1.0, dual_c=3.0) == at_ratios("ppo", 1.0)


def test_cispo_truncates_the_weight_and_keeps_the_gradient() -> None:
    assert at_ratios("cispo", 2.0)[1] == pytest.approx([-1.0, -1.8, -2.2, -2.56, -2.56])


def test_clipped_tokens_are_those_without_a_gradient() -> None:
    for adv in (1.0, -1.0):
        where = clipped(RATIOS, torch.full_like(RATIOS, adv), "ppo", 0.2, 0.28)[0].tolist()
        assert where == [slope == 0 for slope in at_ratios("ppo", adv)[1]]
    assert clipped(RATIOS, torch.ones_like(RATIOS), "cispo", 0.2, 0.28)[0].tolist() == [False] * 3 + [True] * 2
    assert not clipped(RATIOS, torch.ones_like(RATIOS), "reinforce").any()


def test_k3_is_not_negative_and_its_mean_is_the_kl() -> None:
    generator = torch.Generator().manual_seed(1)
    for _ in range(20):
        policy, ref = torch.randn(2, 50, generator=generator, dtype=torch.float64).log_softmax(-1)
        found = k3(policy, ref)
        assert (found >= 0).all()
        torch.testing.assert_close((policy.exp() * found).sum(), (policy.exp() * (policy - ref)).sum())
    assert (k3(policy, policy) == 0).all()


def test_aggregations() -> None:
    mask = torch.tensor([[True, True, True], [True, False, False]])
    loss = torch.tensor([[1.0, 2.0, 6.0], [4.0, 1e9, float("nan")]])
    expected = {"token": 13 / 4, "seq_mean": (3 + 4) / 2, "seq_sum": 13 / 2, "const": 13 / (2 * 8)}
    for how, value in expected.items():
        found = aggregate(loss, mask, how, denominator(mask, how, 8))  # type: ignore[arg-type]
        assert float(found) == pytest.approx(value)
    with pytest.raises(ValueError, match="max_len"):
        denominator(mask, "const")


@pytest.mark.parametrize("how", ["token", "seq_mean", "seq_sum", "const"])
def test_micro_batches_add_up_whatever_their_sizes(how: Any) -> None:
    turns = make_turns([3, 1, 5, 2, 4, 4])
    loss = turns.logp.detach()
    denom = denominator(turns.mask, how, 5)
    whole = aggregate(loss, turns.mask, how, denom)
    for cut in itertools.combinations(range(1, 6), 2):
        parts = torch.tensor_split(torch.arange(6), cut)
        found = torch.stack([aggregate(loss[rows], turns.mask[rows], how, denom) for rows in parts]).sum()
        torch.testing.assert_close(found, whole)


def test_an_empty_mask_has_a_denominator() -> None:
    mask = torch.zeros(2, 3, dtype=torch.bool)
    for how in ("token", "seq_mean", "seq_sum", "const"):
        assert denominator(mask, how, 8) >= 1  # type: ignore[arg-type]
