"""Losses and gradients are those of TRL's own code, run on a stand-in for its trainer. TRL 1.16 was tried."""

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from sample_turns import make_turns
from torch import Tensor

from kernelwright.rl.algorithms.algorithm import Algorithm
from kernelwright.rl.algorithms.losses import denominator
from kernelwright.rl.algorithms.objectives import objective, prepare
from kernelwright.rl.algorithms.presets import PRESETS
from kernelwright.rl.algorithms.turns import Turns

pytestmark = pytest.mark.slow

LENGTHS, MAX_LEN = [3, 1, 7, 2, 5, 5, 4, 6], 9


@pytest.fixture(scope="module")
def trl() -> Iterator[Any]:
    """TRL's trainers; vLLM, which takes longer to import than all else here, is hidden from them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "vllm", None)
        from trl.trainer.grpo_trainer import GRPOTrainer
        from trl.trainer.rloo_trainer import RLOOTrainer

        yield SimpleNamespace(grpo=GRPOTrainer._compute_loss, rloo=RLOOTrainer._compute_loss)


def scores(turns: Turns) -> dict[str, Tensor]:
    """The log-probabilities without the NaN of the padding, which TRL multiplies by 0."""
    names = ("old_logp", "rollout_logp", "ref_logp")
    return {name: torch.where(turns.mask, getattr(turns, name), 0.0) for name in names}


def trainer(logp: Tensor, algorithm: Algorithm, **settings: Any) -> Any:
    """What `_compute_loss` reads of its trainer; the forward pass gives `logp`."""
    args = SimpleNamespace(
        delta=algorithm.dual_c, use_bias_correction_kl=False, steps_per_generation=settings.get("steps", 1)
    )
    return SimpleNamespace(
        _get_per_token_logps_and_entropies=lambda *_, **__: (logp, torch.zeros_like(logp.detach()), None),
        accelerator=SimpleNamespace(num_processes=1, gather=lambda x: x, reduce=lambda x, **_: x),
        model=SimpleNamespace(training=True),
        args=args,
        loss_type=settings.get("loss_type"),
        importance_sampling_level=algorithm.level,
        beta=algorithm.kl,
        epsilon_low=algorithm.clip_low,
        epsilon_high=algorithm.clip_high if algorithm.kind != "cispo" else 1 + algorithm.clip_high,
        use_vllm=algorithm.tis_cap is not None,
        vllm_importance_sampling_correction=True,
        max_completion_length=algorithm.max_len,
        current_gradient_accumulation_steps=settings.get("steps", 1),
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        aux_loss_enabled=False,
        _entropy_bonus_enabled=False,
        _metrics={"train": defaultdict(list)},
    )


def trl_loss(
    trl: Any, turns: Turns, algorithm: Algorithm, loss_type: str, adv: Tensor, weights: Tensor | None
) -> Tensor:
    ids, known = torch.zeros_like(turns.mask, dtype=torch.int64), scores(turns)
    inputs = {
        "prompt_ids": ids[:, :1],
        "prompt_mask": ids[:, :1],
        "completion_ids": ids,
        "completion_mask": turns.mask.long(),
        "advantages": adv,
        "old_per_token_logps": known["old_logp"],
        "ref_per_token_logps": known["ref_logp"],
        "num_items_in_batch": turns.mask.sum(),
        "importance_sampling_ratio": weights,
    }
    stub = trainer(torch.where(turns.mask, turns.logp, 0.0), algorithm, loss_type=loss_type)
    loss: Tensor = trl.grpo(stub, None, inputs)
    return loss


CASES = {
    "grpo": ("grpo", {}),
    "grpo without a penalty": ("grpo", {"kl": 0.0}),
    "bnpo": ("bnpo", {}),
    "bnpo with a penalty": ("bnpo", {"kl": 0.3}),
    "dr_grpo": ("dr_grpo", {}),
    "dr_grpo with a dual clip": ("dr_grpo", {"dual_c": 1.5}),
    "dapo": ("dapo", {}),
    "dapo with truncated weights": ("dapo", {"tis_cap": 1.05}),
    "cispo": ("cispo", {}),
    "cispo with a low cap": ("cispo", {"clip_high": 0.1, "kl": 0.2}),
    "gspo": ("grpo", {}),
    "gspo with a wide clip": ("grpo", {"clip_low": 0.1, "clip_high": 0.1}),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("case", list(CASES))
def test_loss_and_gradient_are_trls(trl: Any, case: str, seed: int) -> None:
    loss_type, changes = CASES[case]
    algorithm = replace(PRESETS[case.split()[0]], max_len=MAX_LEN, **changes)  # type: ignore[arg-type]
    turns = make_turns(LENGTHS, seed, prompt=torch.arange(8) // 4)
    prepared = prepare(turns, algorithm)
    loss = objective(turns, algorithm, prepared.advantages, prepared.keep, prepared.denominator, prepared.weights).value
    expected = trl_loss(trl, turns, algorithm, loss_type, prepared.advantages, prepared.weights)
    torch.testing.assert_close(loss, expected)
    found, wanted = (torch.autograd.grad(value, turns.logp)[0] for value in (loss, expected))
    assert float(wanted.abs().max()) > 1e-4
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("case", ["dapo", "cispo"])
def test_micro_batches_of_a_global_batch_are_trls(trl: Any, case: str) -> None:
    """TRL's two token losses with a denominator of the whole batch: four steps of accumulation, two rows each."""
    algorithm = PRESETS[case]
    turns = make_turns(LENGTHS, 5)
    prepared, known = prepare(turns, algorithm), scores(turns)
    loss = objective(turns, algorithm, prepared.advantages, prepared.keep, prepared.denominator).value
    parts = []
    for rows in torch.arange(8).split(2):
        logp = torch.where(turns.mask, turns.logp, 0.0)[rows]
        inputs = {
            "prompt_ids": turns.traj[rows, None],
            "prompt_mask": turns.traj[rows, None],
            "completion_ids": turns.mask[rows].long(),
            "completion_mask": turns.mask[rows].long(),
            "advantages": prepared.advantages[rows],
            "old_per_token_logps": known["old_logp"][rows],
            "num_items_in_batch": turns.mask.sum(),
        }
        parts.append(trl.grpo(trainer(logp, algorithm, loss_type=case, steps=4), None, inputs))
    torch.testing.assert_close(loss, torch.stack(parts).sum())


@pytest.mark.parametrize("name", ["rloo", "trloo"])
def test_leave_one_out_has_the_gradient_of_trls_rloo_on_policy(trl: Any, name: str) -> None:
    """TRL takes the ratio of whole sequences there: on policy the sum over tokens is the same."""
    turns = make_turns(LENGTHS, 7)
    turns = replace(turns, old_logp=turns.logp.detach().clone())
    prepared = prepare(turns, PRESETS[name])
    loss = objective(turns, PRESETS[name], prepared.advantages, prepared.keep, prepared.denominator).value
    logp = torch.where(turns.mask, turns.logp, 0.0)
    ids = turns.mask.long()
    inputs = {"prompt_ids": ids, "prompt_mask": ids, "completion_ids": ids, "completion_mask": ids}
    inputs |= {"old_logps": logp.detach().sum(-1), "advantages": prepared.advantages}
    expected = trl.rloo(trainer(logp, PRESETS[name]), None, inputs)
    torch.testing.assert_close(*(torch.autograd.grad(value, turns.logp)[0] for value in (loss, expected)))


def test_the_comparison_would_notice(trl: Any) -> None:
    """One token too many in the denominator, and an advantage of the wrong sign."""
    turns = make_turns(LENGTHS, 1)
    algorithm = PRESETS["dapo"]
    prepared = prepare(turns, algorithm)
    expected = trl_loss(trl, turns, algorithm, "dapo", prepared.advantages, None)
    more = denominator(turns.mask, "token") + 1
    for adv, denom in ((prepared.advantages, more), (-prepared.advantages, prepared.denominator)):
        loss = objective(turns, algorithm, adv, prepared.keep, denom).value
        with pytest.raises(AssertionError):
            torch.testing.assert_close(loss, expected)
