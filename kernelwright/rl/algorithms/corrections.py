"""What is done about tokens that another policy drew: importance weights are truncated, and rows are rejected.

Weights compare the trainer's copy of the policy with the engine that drew the tokens: the same weights, other kernels,
other rounding. Nothing here passes on gradients, `log_ratio` excepted.
"""

import torch
from torch import Tensor

from kernelwright.rl.algorithms.algorithm import Level

#: Bound on the exponent of a weight.
MAX_LOG = 20.0


def log_ratio(
    train: Tensor, rollout: Tensor, mask: Tensor, level: Level = "token", traj: Tensor | None = None
) -> Tensor:
    """ln of the probability ratio train/rollout, within ±20 and 0 where masked, from log-probabilities (N, T).

    token     (N, T)  of each token
    turn      (N, 1)  sum over the row's tokens: the ratio of whole answers
    turn_geo  (N, 1)  mean over the row's tokens
    traj      (N, 1)  sum over the tokens of all rows of the trajectory, the same in each
    traj_geo  (N, 1)  mean over them

    `traj` (N,) int64 is needed for the last two, and all rows of a trajectory have to be there.
    """
    # Not their difference under the mask: what stands in the padding need not be finite, nor may its gradient be.
    difference = torch.where(mask, train, 0.0) - torch.where(mask, rollout, 0.0)
    if level == "token":
        return difference.clamp(-MAX_LOG, MAX_LOG)
    total, count = difference.sum(-1), mask.sum(-1).to(difference.dtype)
    if level in ("traj", "traj_geo"):
        if traj is None:
            raise ValueError(f"level {level}: the rows' trajectories are needed")
        names, place = torch.unique(traj, return_inverse=True)
        total = total.new_zeros(len(names)).index_add(0, place, total)[place]
        count = count.new_zeros(len(names)).index_add(0, place, count)[place]
    if level in ("turn_geo", "traj_geo"):
        total = total / count.clamp(min=1)
    return total.clamp(-MAX_LOG, MAX_LOG)[:, None]


def truncate(lw: Tensor, hi: float = 2.0) -> Tensor:
    """Truncated importance weights (TIS): min(e^lw, hi), detached, in the shape of lw."""
    return lw.detach().exp().clamp(max=hi)


def band_keep(lw: Tensor, lo: float, hi: float) -> Tensor:
    """Bool in the shape of lw: lo ≤ e^lw ≤ hi. Masked importance sampling; with level `traj_geo`, MRS."""
    weight = lw.detach().exp()
    return (weight >= lo) & (weight <= hi)


def veto_keep(token_lw: Tensor, mask: Tensor, threshold: float = 1e-4) -> Tensor:
    """(N, 1) bool: no token of the row is one that the trainer's policy finds impossible, e^lw < threshold."""
    impossible = (token_lw.detach().exp() < threshold) & mask
    return ~impossible.any(-1, keepdim=True)


def prs_keep(coverage: Tensor, correct: Tensor, tau: float = 0.3, s: float = 0.1, seed: int = 0) -> Tensor:
    """Profiling-based rejection (Dr. Kernel): (N,) bool, drawn by the seed alike on all devices.

    A correct row is kept with probability (coverage − tau) / s, between 0 and 1; an incorrect one always, and one whose
    coverage (N,) was not measured (NaN).
    """
    draws = torch.rand(len(coverage), generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    keep = draws.to(coverage.device) < ((coverage - tau) / s).clamp(0, 1)
    return keep | ~correct | torch.isnan(coverage)
