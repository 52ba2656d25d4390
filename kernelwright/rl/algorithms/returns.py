"""From rewards of turns to advantages: returns, groups, baselines, scales.

All functions are of N rows; none of them passes on gradients.
"""

import torch
from torch import Tensor

from kernelwright.rl.algorithms.algorithm import Baseline, Group, How, Scale, Singleton

#: What is added to a standard deviation before dividing by it, as in TRL.
SCALE_EPS = 1e-4


def turn_returns(reward: Tensor, traj: Tensor, turn: Tensor, gamma: float = 1.0, how: How = "sum") -> Tensor:
    """Returns G (N,) of rewards (N,); rows in any order, turns of a trajectory are 0, 1, 2, …

    `sum`: G[i,t] = r[i,t] + γ·G[i,t+1]; `max`: the larger of r[i,t] and γ·G[i,t+1]; `outcome`: the reward of the last
    turn, discounted by γ for each turn before it.
    """
    table = _table(traj, turn)
    returns = reward.detach().clone()
    for now, later in zip(table.flip(0)[1:], table.flip(0)[:-1], strict=True):
        has = later >= 0
        here, ahead = now[has], gamma * returns[later[has]]
        if how == "sum":
            returns[here] = returns[here] + ahead
        elif how == "max":
            returns[here] = torch.maximum(returns[here], ahead)
        else:
            returns[here] = ahead
    return returns


def settled(valid: Tensor, traj: Tensor, turn: Tensor, gamma: float = 1.0, how: How = "sum") -> Tensor:
    """Rows (N,) bool whose return is made of valid rewards alone.

    A fault leaves the returns of the turns before it unknown: to count it as a reward of 0 would be a bias.
    """
    if gamma == 0 and how == "sum":
        return valid.clone()
    faults = turn_returns((~valid).double(), traj, turn, 1.0, "sum")
    return faults == 0


def _table(traj: Tensor, turn: Tensor) -> Tensor:
    """(K, I): the row of each turn of each trajectory, -1 where there is none."""
    names, place = torch.unique(traj, return_inverse=True)
    depth = int(turn.max()) + 1 if turn.numel() else 0
    table = torch.full((depth, len(names)), -1, dtype=torch.int64, device=traj.device)
    table[turn, place] = torch.arange(len(traj), device=traj.device)
    return table


def group_ids(prompt: Tensor, turn: Tensor, by: Group = "prompt") -> Tensor:
    """Which group each row is in: (N,) int64 from 0. `prompt` puts all turns together, `prompt_turn` each alone."""
    keys = prompt[:, None] if by == "prompt" else torch.stack([prompt, turn], -1)
    ids: Tensor = torch.unique(keys, dim=0, return_inverse=True)[1]
    return ids


def advantages(
    returns: Tensor,
    gid: Tensor,
    valid: Tensor,
    baseline: Baseline = "mean",
    scale: Scale = "group",
    singleton: Singleton = "zero",
) -> Tensor:
    """Advantages (N,) of returns (N,) within groups; rows that are not valid count for nothing and get 0.

    baseline   mean: G − mean; loo: G − mean of the others = N/(N−1)·(G − mean), which is unbiased
    scale      none; group, batch: A ÷ (standard deviation of the group's, of all returns + 1e-4), one degree of freedom
               off; a standard deviation of one row is taken for 0
    singleton  a group of one has no baseline: its advantage is 0, or with `return` G itself, unscaled by its group
    """
    values = torch.where(valid, returns.detach(), 0.0)
    count = _sums(valid.to(returns.dtype), gid)
    mean = _sums(values, gid) / count.clamp(min=1)
    centered = torch.where(valid, values - mean, 0.0)
    result = centered * count / (count - 1).clamp(min=1) if baseline == "loo" else centered
    alone = valid & (count == 1)
    result = torch.where(alone, values if singleton == "return" else 0.0, result)
    if scale == "group":
        deviation = (_sums(centered.square(), gid) / (count - 1).clamp(min=1)).sqrt()
        result = torch.where(alone, result, result / (deviation + SCALE_EPS))
    elif scale == "batch":
        chosen = returns.detach()[valid]
        deviation = chosen.std() if len(chosen) > 1 else chosen.new_zeros(())
        result = result / (deviation + SCALE_EPS)
    return result


def _sums(values: Tensor, gid: Tensor) -> Tensor:
    """(N,): the sum over the row's group."""
    groups = int(gid.max()) + 1 if gid.numel() else 0
    return values.new_zeros(groups).index_add_(0, gid, values)[gid]


def nonconstant_groups(x: Tensor, gid: Tensor, valid: Tensor, tol: float = 1e-3) -> Tensor:
    """Rows (N,) bool of groups whose valid values of x (N,) lie more than `tol` apart: those with a signal."""
    groups = int(gid.max()) + 1 if gid.numel() else 0
    bounds = [
        x.new_full((groups,), -float("inf")).scatter_reduce_(0, gid[valid], sign * x.detach()[valid], "amax")
        for sign in (1, -1)
    ]
    return (bounds[0] + bounds[1] > tol)[gid]
