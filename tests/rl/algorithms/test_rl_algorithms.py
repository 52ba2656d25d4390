"""Algorithms as wholes: what they are made of, micro-batches, rejection, batches with nothing in them."""

from dataclasses import fields, replace
from typing import Any

import pytest
import torch
from sample_turns import make_turns

from kernelwright.ir.errors import UserError
from kernelwright.rl.algorithms.algorithm import Algorithm
from kernelwright.rl.algorithms.objectives import Prepared, objective, prepare
from kernelwright.rl.algorithms.presets import PRESETS, preset
from kernelwright.rl.algorithms.statistics import Loss
from kernelwright.rl.algorithms.turns import Turns

LENGTHS = [3, 1, 5, 2, 4, 4, 2, 5, 1, 3, 2, 6]
NAMES = sorted(PRESETS)

#: What the presets are, as sources have them: γ, group, baseline, scale, aggregation, kind, level, KL.
TABLE = {
    "grpo": (1.0, "prompt", "mean", "group", "seq_mean", "ppo", "token", 0.1),
    "dr_grpo": (1.0, "prompt", "mean", "none", "const", "ppo", "token", 0.0),
    "dapo": (1.0, "prompt", "mean", "group", "token", "ppo", "token", 0.0),
    "bnpo": (1.0, "prompt", "mean", "group", "token", "ppo", "token", 0.0),
    "rloo": (1.0, "prompt", "loo", "none", "seq_sum", "ppo", "token", 0.0),
    "trloo": (1.0, "prompt_turn", "loo", "none", "seq_sum", "ppo", "token", 0.0),
    "dr_kernel": (1.0, "prompt_turn", "loo", "none", "seq_sum", "ppo", "token", 0.0),
    "kevin": (0.4, "prompt", "mean", "group", "const", "ppo", "token", 0.0),
    "gspo": (1.0, "prompt", "mean", "group", "seq_mean", "ppo", "sequence", 0.0),
    "cispo": (1.0, "prompt", "mean", "group", "token", "cispo", "token", 0.0),
    "raft": (1.0, "prompt", "mean", "none", "seq_mean", "ppo", "token", 0.0),
}


def multi_turn(**columns: Any) -> Turns:
    """Twelve rows: two prompts, three trajectories of two turns each."""
    traj = torch.arange(6).repeat_interleave(2)
    return make_turns(LENGTHS, prompt=traj // 3, traj=traj, turn=torch.tensor([0, 1] * 6), **columns)


def whole(turns: Turns, algorithm: Algorithm, prepared: Prepared) -> Loss:
    part = prepared
    return objective(turns, algorithm, part.advantages, part.keep, part.denominator, part.weights)


def gradient(turns: Turns, loss: Loss) -> torch.Tensor:
    (found,) = torch.autograd.grad(loss.value, turns.logp)
    return found


def test_presets_are_what_their_sources_say() -> None:
    assert set(TABLE) == set(PRESETS)
    for name, expected in TABLE.items():
        a = PRESETS[name]
        assert (a.gamma, a.group, a.baseline, a.scale, a.aggregation, a.kind, a.level, a.kl) == expected, name
    assert PRESETS["dapo"].dynamic_sampling
    assert PRESETS["dapo"].clip_high == 0.28
    assert {name: a.negative for name, a in PRESETS.items() if a.negative != 1.0} == {"raft": 0.0}
    ours, plain = PRESETS["dr_kernel"], PRESETS["trloo"]
    changed = {f.name for f in fields(Algorithm) if getattr(ours, f.name) != getattr(plain, f.name)}
    assert changed == {"band", "veto", "prs_tau", "dual_c"}


def test_a_preset_can_be_changed_and_mistakes_are_named() -> None:
    assert preset("grpo", kl=0.0) == replace(PRESETS["grpo"], kl=0.0)
    assert preset("trloo", band=[0.9, 1.1]).band == (0.9, 1.1)
    for name, changes, message in (
        ("grppo", {}, r"did you mean 'grpo'\? .algorithms: bnpo, cispo"),
        ("grpo", {"klx": 1}, "no field klx"),
        ("grpo", {"scale": "std"}, "scale=std: choose from none, group, batch"),
        ("grpo", {"gamma": 1.5}, "gamma=1.5: out of range, 0 to 1"),
        ("grpo", {"band": (1.1, 0.9)}, "band="),
    ):
        with pytest.raises(UserError, match=message):
            preset(name, **changes)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sizes", [[12], [5, 4, 3], [1] * 12])
def test_micro_batches_make_the_loss_gradient_and_statistics_of_their_batch(name: str, sizes: list[int]) -> None:
    algorithm = replace(PRESETS[name], band=None if PRESETS[name].band is None else (0.95, 1.05), tis_cap=1.05)
    turns = multi_turn()
    prepared = prepare(turns, algorithm, seed=3)
    expected = whole(turns, algorithm, prepared)
    parts = []
    for rows in torch.randperm(12, generator=torch.Generator().manual_seed(0)).split(sizes):
        micro = turns.select(rows)
        narrow = micro.with_logp(micro.logp[:, : int(micro.mask.sum(-1).max())])
        parts.append(whole(narrow, algorithm, prepared.select(rows)))
    total = sum(parts[1:], parts[0])
    torch.testing.assert_close(total.value, expected.value)
    torch.testing.assert_close(gradient(turns, total), gradient(turns, expected))
    assert total.statistics() == pytest.approx(expected.statistics())


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_with_nothing_in_it_gives_zero_that_can_be_differentiated(name: str) -> None:
    algorithm = replace(PRESETS[name], tis_cap=2.0, kl=0.1)
    nothing = torch.zeros(12, dtype=torch.bool)
    empty = torch.zeros(12, 6, dtype=torch.bool)
    for turns in (multi_turn(valid=nothing), multi_turn(mask=empty), multi_turn(rollout_logp=torch.zeros(12, 6))):
        prepared = prepare(turns, algorithm)
        if turns.valid.any() and turns.mask.any():
            prepared = replace(prepared, keep=empty)
        loss = whole(turns, algorithm, prepared)
        assert loss.value == 0
        assert (gradient(turns, loss) == 0).all()
        assert all(value == value for value in loss.statistics().values())


def test_rejection_multiplies_the_mask_and_changes_no_advantage_or_denominator() -> None:
    turns = multi_turn()
    plain = preset("trloo")
    strict = replace(plain, band=(0.95, 1.05), band_level="traj_geo")
    before, after = prepare(turns, plain), prepare(turns, strict)
    assert torch.equal(before.advantages, after.advantages)
    assert before.denominator == after.denominator == 12
    rows = after.keep.any(-1)
    assert 0 < rows.sum() < 12
    assert (rows[0::2] == rows[1::2]).all()  # whole trajectories
    kept = torch.where(rows[:, None], gradient(turns, whole(turns, plain, before)), 0.0)
    torch.testing.assert_close(gradient(turns, whole(turns, strict, after)), kept)
    assert after.statistics["kept/band"] == pytest.approx(float(rows.double().mean()))


def test_an_impossible_token_drops_its_row_alone() -> None:
    turns = multi_turn()
    rollout = turns.rollout_logp.clone()
    rollout[7, 2] = turns.old_logp[7, 2] + 9.3  # e^-9.3 < 1e-4
    keep = prepare(replace(turns, rollout_logp=rollout), preset("trloo", veto=1e-4)).keep
    assert not keep[7].any()
    rows = torch.arange(12) != 7
    assert torch.equal(keep[rows], turns.mask[rows])


def test_bands_of_tokens_keep_the_other_tokens() -> None:
    turns = multi_turn()
    rollout = turns.old_logp.clone()
    rollout[4, 1] -= 3.0
    keep = prepare(replace(turns, rollout_logp=rollout), preset("grpo", band=(0.5, 2.0), band_level="token")).keep
    assert (turns.mask & ~keep).nonzero().tolist() == [[4, 1]]


def test_truncated_weights_multiply_the_policys_loss_alone() -> None:
    turns = multi_turn()
    algorithm = preset("grpo", tis_cap=1.01)
    prepared = prepare(turns, algorithm)
    assert prepared.weights is not None
    assert not prepared.weights.requires_grad
    expected = (turns.old_logp - turns.rollout_logp).exp().clamp(max=1.01)[turns.mask]
    torch.testing.assert_close(prepared.weights[turns.mask], expected)
    policy = gradient(turns, whole(turns, replace(algorithm, kl=0.0), replace(prepared, weights=None)))
    penalty = gradient(turns, whole(turns, algorithm, replace(prepared, advantages=torch.zeros(12).double())))
    found = gradient(turns, whole(turns, algorithm, prepared))
    torch.testing.assert_close(found, policy * prepared.weights + penalty)


def test_a_reward_that_is_none_spoils_no_return_that_is_known() -> None:
    valid = torch.arange(12) != 3
    turns = multi_turn(valid=valid, reward=torch.where(valid, 1.0, float("nan")).double())
    for gamma, known in ((0.0, 11), (1.0, 10)):
        prepared = prepare(turns, preset("rloo", gamma=gamma))
        assert prepared.keep.any(-1).sum() == known
        assert torch.isfinite(prepared.advantages).all()
        assert torch.isfinite(prepared.returns).all()


def test_rows_of_unknown_return_are_no_part_of_the_batch() -> None:
    valid = torch.ones(12, dtype=torch.bool)
    valid[3] = False  # the last turn of the second trajectory
    reward = torch.where(valid, torch.arange(12.0).double(), float("nan"))
    turns = multi_turn(valid=valid, reward=reward)
    logp, old = turns.logp.detach().clone(), turns.old_logp.clone()
    logp[3], old[3] = float("nan"), float("nan")
    turns = replace(turns, logp=logp.requires_grad_(), old_logp=old, rollout_logp=old.clone())
    prepared = prepare(turns, preset("trloo"))
    assert not prepared.keep[2:4].any()
    assert prepared.keep[[0, 1, 4, 5]].any(-1).all()
    assert prepared.denominator == 10
    assert prepared.advantages[[2, 3]].tolist() == [0, 0]
    assert prepared.advantages[[0, 4]].tolist() == [1.0 - 9.0, 9.0 - 1.0]
    assert torch.isfinite(gradient(turns, whole(turns, preset("trloo"), prepared))).all()


def test_negative_outcomes_are_learnt_from() -> None:
    turns = multi_turn(reward=torch.tensor([1.0, -10.0] * 6).double() + torch.arange(12) * 0.1)
    for name in NAMES:
        prepared = prepare(turns, replace(PRESETS[name], band=None, prs_tau=None))
        assert prepared.keep.any(-1).all(), name
    assert (gradient(turns, whole(turns, preset("rloo"), prepare(turns, preset("rloo")))) != 0).any(-1).all()


def test_dynamic_sampling_takes_groups_without_a_signal_out_of_the_denominator() -> None:
    turns = multi_turn(reward=torch.cat([torch.ones(6), torch.arange(6.0)]).double())
    algorithm = preset("dapo", gamma=0.0)
    prepared = prepare(turns, algorithm)
    assert prepared.keep.any(-1).tolist() == [False] * 6 + [True] * 6
    assert prepared.denominator == sum(LENGTHS[6:])
    assert prepared.statistics["signal"] == 0.5


def test_profiling_based_rejection_is_the_seeds() -> None:
    turns = multi_turn(coverage=torch.full((12,), 0.35).double(), correct=torch.ones(12, dtype=torch.bool))
    algorithm = preset("trloo", prs_tau=0.3)
    keeps = [prepare(turns, algorithm, seed).keep.any(-1) for seed in (0, 0, 1)]
    assert torch.equal(keeps[0], keeps[1])
    assert not torch.equal(keeps[0], keeps[2])


def test_statistics_are_of_kept_tokens() -> None:
    turns = multi_turn()
    algorithm = preset("dapo", dynamic_sampling=False)
    prepared = prepare(turns, algorithm)
    keep = prepared.keep.clone()
    keep[5] = False
    found = objective(turns, algorithm, prepared.advantages, keep, prepared.denominator).statistics()
    logp, ratio = turns.logp.detach()[keep], (turns.logp.detach() - turns.old_logp).exp()[keep]
    assert turns.ref_logp is not None
    difference = turns.ref_logp[keep] - logp
    assert found["kept_rows"] == 11
    assert found["acceptance"] == pytest.approx(11 / 12)
    assert found["acceptance/to_128"] == pytest.approx(11 / 12)
    assert "acceptance/to_256" not in found
    assert found["entropy"] == pytest.approx(float(-logp.mean()))
    assert found["ratio"] == pytest.approx(float(ratio.mean()))
    assert found["kl"] == pytest.approx(float((difference.exp() - difference - 1).mean()))
    assert 0 < found["clip_fraction"] < 1
    exact = torch.full((12, 3), 2.5)
    part = objective(turns, algorithm, prepared.advantages, keep & (torch.arange(6) < 3), 1.0, entropy=exact)
    assert part.statistics()["entropy"] == 2.5


def test_acceptance_is_told_by_length() -> None:
    turns = make_turns([100, 200, 300, 9000], valid=torch.tensor([True, True, True, True]))
    keep = turns.mask.clone()
    keep[1] = False
    found = objective(turns, preset("rloo"), torch.zeros(4).double(), keep, 4.0).statistics()
    by_length = {name: value for name, value in found.items() if name.startswith("acceptance/")}
    assert by_length == {
        "acceptance/to_128": 1.0,
        "acceptance/to_256": 0.0,
        "acceptance/to_512": 1.0,
        "acceptance/over_8192": 1.0,
    }


def test_a_penalty_needs_a_reference() -> None:
    turns = multi_turn(ref_logp=None)
    prepared = prepare(turns, preset("grpo"))
    with pytest.raises(ValueError, match=r"penalty of 0\.1 needs"):
        whole(turns, preset("grpo"), prepared)
    assert "kl" not in whole(turns, preset("dapo"), prepared).statistics()


def test_what_is_negative_teaches_less_or_nothing() -> None:
    turns = multi_turn(reward=torch.linspace(-1, 1, 12))
    plain = prepare(turns, replace(PRESETS["raft"], negative=1.0)).advantages
    assert (plain < 0).any() and (plain > 0).any()
    for share in (0.0, 0.25):
        found = prepare(turns, replace(PRESETS["raft"], negative=share)).advantages
        torch.testing.assert_close(found, torch.where(plain < 0, share * plain, plain))


def test_good_is_what_is_better_than_a_group_that_differs_and_is_not_rejected() -> None:
    reward = torch.tensor([0.3] * 6 + [0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    prepared = prepare(multi_turn(reward=reward), preset("trloo"))
    assert (prepared.good > 0).nonzero()[:, 0].tolist() == [10]
    assert prepared.good[10] == prepared.advantages[10]
    seen = {"reward": reward, "coverage": torch.where(reward == 1.0, 0.0, 1.0), "correct": reward == 1.0}
    rejected = prepare(multi_turn(**seen), preset("trloo", prs_tau=0.3))
    assert rejected.advantages[10] > 0 and not rejected.good.any()


def test_solved_is_what_is_right_in_a_group_that_does_not_differ_and_is_not_rejected() -> None:
    reward, correct = torch.tensor([0.3] * 6 + [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]), torch.tensor([True, False] * 6)
    prepared = prepare(multi_turn(reward=reward, correct=correct), preset("trloo"))
    differ = (prepared.good > 0).nonzero()[:, 0].tolist()
    alike = (prepared.advantages == 0).nonzero()[:, 0].tolist()
    assert differ == [10] and prepared.solved.nonzero()[:, 0].tolist() == [place for place in alike if correct[place]]
    seen = {"reward": reward, "coverage": torch.zeros(12), "correct": correct}
    assert not prepare(multi_turn(**seen), preset("trloo", prs_tau=0.3)).solved.any()
