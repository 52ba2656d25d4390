"""What is logged of a step: sums that add up over micro-batches and processes, and the means that they make."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from kernelwright.rl.algorithms.turns import Turns

#: Lengths in tokens up to which acceptance is told apart.
LENGTHS = (128, 256, 512, 1024, 2048, 4096, 8192)


@dataclass(frozen=True)
class Loss:
    """The loss of some rows, a scalar with gradients, and sums that their statistics are made of: (sum, count) each.

    Losses of micro-batches add up, in value and statistics, to that of their batch; `sums` of several processes too.
    """

    value: Tensor
    sums: Mapping[str, Tensor]

    def __add__(self, other: "Loss") -> "Loss":
        return Loss(self.value + other.value, {name: total + other.sums[name] for name, total in self.sums.items()})

    def detach(self) -> "Loss":
        """The same without gradients, to be added up."""
        return Loss(self.value.detach(), self.sums)

    def statistics(self) -> dict[str, float]:
        """`loss`, `kept_rows`, and means over kept tokens or rows; what has no token or row to it is left out."""
        names = list(self.sums)
        rows = torch.stack([self.sums[name] for name in names]).tolist()
        found = {"loss": float(self.value.detach()), "kept_rows": rows[names.index("acceptance")][0]}
        found |= {name: total / count for name, (total, count) in zip(names, rows, strict=True) if count}
        return found


def share(part: Tensor, whole: Tensor) -> float:
    """How many of the rows that are in `whole` are in `part`; 0 of none."""
    return float((part & whole).sum()) / max(1.0, float(whole.sum()))


def mismatch(token_lw: Tensor, mask: Tensor) -> dict[str, float]:
    """How far the engine is from the trainer: mean |lw| of tokens in nats, its deviation, KL, the largest weight."""
    values = token_lw[mask]
    if not len(values):
        return {}
    return {
        "mismatch": float(values.abs().mean()),
        "mismatch_std": float(values.std(correction=0)),
        "mismatch_kl": float((values.exp() - values - 1).mean()),
        "weight_max": float(values.max().exp()),
    }


def acceptance(turns: Turns, keep: Tensor) -> dict[str, Tensor]:
    """Rows learnt from, of those that are valid and have tokens, and the same by length: (sum, count) each."""
    candidates, kept = turns.mask.any(-1) & turns.valid, keep.any(-1)
    length = turns.mask.sum(-1)
    found = {"acceptance": sum_and_count(kept, candidates)}
    bounds = [0, *LENGTHS, torch.iinfo(torch.int64).max]
    names = [*(f"acceptance/to_{bound}" for bound in LENGTHS), f"acceptance/over_{LENGTHS[-1]}"]
    for name, low, high in zip(names, bounds[:-1], bounds[1:], strict=True):
        found[name] = sum_and_count(kept, candidates & (length > low) & (length <= high))
    return found


def sum_and_count(values: Tensor, where: Tensor) -> Tensor:
    """(2,) fp64: the sum of some values and how many they are."""
    return torch.stack([torch.where(where, values.double(), 0.0).sum(), where.sum().double()])
