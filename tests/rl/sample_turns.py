"""Batches of random turns for the tests."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from kernelwright.rl.algorithms.turns import Turns


def make_turns(lengths: Sequence[int], seed: int = 0, width: int | None = None, **columns: Any) -> Turns:
    """fp64 turns of these response lengths, each its own trajectory of prompt 0 unless a column says otherwise.

    The trained policy has moved a little since the tokens were drawn, and padding holds NaN.
    """
    generator = torch.Generator().manual_seed(seed)
    rows, longest = len(lengths), width or max(lengths)
    mask = torch.arange(longest)[None, :] < torch.tensor(lengths)[:, None]

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    old = -draw(rows, longest).abs() - 0.1
    values: dict[str, Any] = {
        "logp": old + 0.3 * draw(rows, longest),
        "old_logp": old,
        "rollout_logp": old + 0.1 * draw(rows, longest),
        "ref_logp": old + 0.5 * draw(rows, longest),
        "mask": mask,
        "reward": draw(rows),
        "prompt": torch.zeros(rows, dtype=torch.int64),
        "traj": torch.arange(rows),
        "turn": torch.zeros(rows, dtype=torch.int64),
        "valid": torch.ones(rows, dtype=torch.bool),
        "correct": draw(rows) > 0,
        "speedup": draw(rows).abs(),
        "coverage": draw(rows).abs().clamp(max=1),
    } | columns
    for name in ("logp", "old_logp", "rollout_logp", "ref_logp"):
        if name not in columns and values[name] is not None:
            values[name] = torch.where(mask, values[name], float("nan"))
    values["logp"] = values["logp"].clone().requires_grad_()
    return Turns(**values)
