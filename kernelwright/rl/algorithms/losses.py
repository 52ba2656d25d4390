"""Policy-gradient losses of tokens, the KL penalty, and how tokens add up to one number.

Log-probabilities, ratios and losses are (N, T), in nats; advantages (N, 1) or (N, T).
"""

import torch
from torch import Tensor

from kernelwright.rl.algorithms.algorithm import Aggregation, Kind, RatioLevel
from kernelwright.rl.algorithms.corrections import MAX_LOG, log_ratio


def policy_ratio(logp: Tensor, anchor: Tensor, mask: Tensor, level: RatioLevel = "token") -> Tensor:
    """Probability ratio policy/anchor: (N, T) of tokens, or (N, 1) of sequences, the geometric mean (GSPO)."""
    return log_ratio(logp, anchor.detach(), mask, "token" if level == "token" else "turn_geo").exp()


def pg_loss(
    logp: Tensor,
    anchor: Tensor,
    adv: Tensor,
    kind: Kind = "ppo",
    lo: float = 0.2,
    hi: float = 0.28,
    dual_c: float | None = None,
    level: RatioLevel = "token",
    *,
    mask: Tensor,
) -> Tensor:
    """Loss (N, T) whose gradient at logp = anchor is −A·∇logp for all kinds, with level `sequence` over the length.

    ppo        −min(ρA, clip(ρ, 1−lo, 1+hi)·A); `dual_c` bounds it by c·|A| where A < 0
    reinforce  −A·logp
    cispo      −min(ρ, 1+hi)·A·logp, the weight detached: clipped, a token keeps its gradient

    With level `sequence` the ratio ρ, and logp in the other kinds, are means over the row's tokens, the same in each.
    """
    logp = torch.where(mask, logp, 0.0)
    if level == "sequence":
        policy = (logp.sum(-1, keepdim=True) / mask.sum(-1, keepdim=True).clamp(min=1)).expand_as(logp)
    else:
        policy = logp
    if kind == "reinforce":
        return -adv * policy
    ratio = policy_ratio(logp, anchor, mask, level).expand_as(logp)
    if kind == "cispo":
        return -ratio.detach().clamp(max=1 + hi) * adv * policy
    loss = -torch.minimum(ratio * adv, ratio.clamp(1 - lo, 1 + hi) * adv)
    if dual_c is not None:
        loss = torch.where(adv < 0, torch.minimum(loss, -dual_c * adv), loss)
    return loss


def clipped(ratio: Tensor, adv: Tensor, kind: Kind = "ppo", lo: float = 0.2, hi: float = 0.28) -> Tensor:
    """Bool in the ratio's shape: where `ppo` has no gradient for its clip, and where `cispo` truncates its weight."""
    if kind == "reinforce":
        return torch.zeros_like(ratio, dtype=torch.bool)
    if kind == "cispo":
        return ratio > 1 + hi
    return ((ratio > 1 + hi) & (adv > 0)) | ((ratio < 1 - lo) & (adv < 0))


def k3(logp: Tensor, ref: Tensor) -> Tensor:
    """e^(ref−logp) − (ref−logp) − 1: not negative, and in the mean over draws from the policy KL(policy ‖ ref).

    Source: J. Schulman, "Approximating KL Divergence" (2020).
    """
    difference = (ref.detach() - logp).clamp(-MAX_LOG, MAX_LOG)
    return difference.exp() - difference - 1


def denominator(mask: Tensor, how: Aggregation, max_len: int | None = None) -> float:
    """What `aggregate` divides by, from the mask (N, T) of the global batch, before it is cut into micro-batches.

    token: tokens; seq_mean, seq_sum: rows with any token; const: rows × max_len. At least 1. Of a batch that several
    processes share it is the sum of theirs.
    """
    if how == "token":
        return max(1.0, float(mask.sum()))
    rows = float(mask.any(-1).sum())
    if how != "const":
        return max(1.0, rows)
    if max_len is None:
        raise ValueError("aggregation=const needs max_len, the most tokens of a response")
    return max(1.0, rows * max_len)


def aggregate(loss: Tensor, mask: Tensor, how: Aggregation, denom: float) -> Tensor:
    """One number from losses (N, T) of tokens: token, seq_sum, const: their sum; seq_mean: the sum of the rows' means.

    Divided by `denom`, so that the numbers of micro-batches add up to that of their batch.
    """
    rows = torch.where(mask, loss, 0.0).sum(-1)
    if how == "seq_mean":
        rows = rows / mask.sum(-1).clamp(min=1)
    return rows.sum() / denom
