"""Algorithms as compositions of returns, advantages, corrections and losses.

    prepared = prepare(turns, algorithm, seed)             # once, over the whole batch
    for rows in micro_batches:                             # their losses add up to the batch's
        part = prepared.select(rows)
        loss = objective(turns.select(rows).with_logp(logp), algorithm, part.advantages, part.keep, part.denominator,
                         part.weights)
        loss.value.backward()

Rejection is an importance weight of 0: a rejected token leaves the sum that it would be in, and stays in the
denominator and in the baseline of its group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from kernelwright.agent.trajectory import Trajectory
from kernelwright.rl.algorithms.algorithm import Algorithm, Level
from kernelwright.rl.algorithms.corrections import band_keep, log_ratio, prs_keep, truncate, veto_keep
from kernelwright.rl.algorithms.losses import aggregate, clipped, denominator, k3, pg_loss, policy_ratio
from kernelwright.rl.algorithms.returns import advantages, group_ids, nonconstant_groups, settled, turn_returns
from kernelwright.rl.algorithms.statistics import Loss, acceptance, mismatch, share, sum_and_count
from kernelwright.rl.algorithms.turns import Turns


@dataclass(frozen=True)
class Prepared:
    """All that the batch as a whole decides; none of it carries gradients.

    advantages (N,); keep (N, T) bool: tokens that are learnt from; weights (N, T) or (N, 1) on the policy's loss, None
    for 1; denominator of the loss; returns (N,); statistics of the batch: shares of rows that each step left. Of the
    whole batch, for rows that are not rejected: good (N,), advantages above 0 in groups whose returns differ, else 0;
    solved (N,) bool, correct ones of groups whose returns do not.
    """

    advantages: Tensor
    keep: Tensor
    weights: Tensor | None
    denominator: float
    returns: Tensor
    statistics: Mapping[str, float] = field(default_factory=dict)
    good: Tensor = field(default_factory=lambda: torch.zeros(0))
    solved: Tensor = field(default_factory=lambda: torch.zeros(0, dtype=torch.bool))

    def select(self, rows: Tensor | Sequence[int]) -> "Prepared":
        """Some of the rows; the denominator and the statistics remain those of the batch."""
        chosen = torch.as_tensor(rows, device=self.keep.device)
        weights = None if self.weights is None else self.weights[chosen]
        return replace(
            self,
            advantages=self.advantages[chosen],
            keep=self.keep[chosen],
            weights=weights,
            returns=self.returns[chosen],
        )


def prepare(turns: Turns, algorithm: Algorithm, seed: int = 0) -> Prepared:
    """Advantages first, then rejection, which changes the mask alone; all over the whole batch.

    Rows whose return is not known for a fault of the infrastructure, and with dynamic sampling those of groups without
    a signal, are no part of the batch: neither in a baseline nor in a denominator. Raises ValueError as
    `Turns.validate`.
    """
    turns.validate()
    how, gamma = algorithm.how, algorithm.gamma
    known = settled(turns.valid, turns.traj, turns.turn, gamma, how)
    returns = turn_returns(torch.where(turns.valid, turns.reward, 0.0), turns.traj, turns.turn, gamma, how)
    gid = group_ids(turns.prompt, turns.turn, algorithm.group)
    adv = advantages(returns, gid, known, algorithm.baseline, algorithm.scale, algorithm.singleton)
    adv = torch.where(adv < 0, algorithm.negative * adv, adv)
    signal = nonconstant_groups(returns, gid, known)
    mask = turns.mask & (known & signal if algorithm.dynamic_sampling else known)[:, None]
    kept = rejections(turns, algorithm, seed)
    keep = mask.clone()
    for tokens in kept.values():
        keep &= tokens
    statistics = {"settled": share(known, torch.ones_like(known)), "signal": share(signal, known)}
    statistics |= {f"kept/{name}": share((tokens & mask).any(-1), mask.any(-1)) for name, tokens in kept.items()}
    statistics |= mismatch(_correction(turns, "token"), turns.mask & turns.valid[:, None])
    denom = denominator(mask, algorithm.aggregation, algorithm.max_len)
    left = keep.any(-1)
    good = torch.where(signal & left, adv.clamp(min=0.0), 0.0)
    solved = ~signal & left & turns.correct
    return Prepared(adv, keep, _weights(turns, algorithm), denom, returns, statistics, good, solved)


def problems_with_signal(trajectories: Sequence[Trajectory], algorithm: Algorithm) -> int:
    """How many problems have a group of turns whose returns differ, as `prepare` sees them."""
    rows = [(made.problem, place, number, turn) for place, made in enumerate(trajectories)
            for number, turn in enumerate(made.turns)]  # fmt: skip
    if not rows:
        return 0
    prompt, traj, turn = (torch.tensor([row[column] for row in rows]) for column in range(3))
    valid = torch.tensor([row[3].valid for row in rows])
    reward = torch.tensor([row[3].reward if row[3].valid else 0.0 for row in rows], dtype=torch.float32)
    known = settled(valid, traj, turn, algorithm.gamma, algorithm.how)
    returns = turn_returns(reward, traj, turn, algorithm.gamma, algorithm.how)
    signal = nonconstant_groups(returns, group_ids(prompt, turn, algorithm.group), known)
    return len(set(prompt[signal & known].tolist()))


def _weights(turns: Turns, algorithm: Algorithm) -> Tensor | None:
    if algorithm.tis_cap is None:
        return None
    return truncate(_correction(turns, algorithm.tis_level), algorithm.tis_cap)


def rejections(turns: Turns, algorithm: Algorithm, seed: int = 0) -> dict[str, Tensor]:
    """What each correction of the algorithm keeps, bool (N, T) or (N, 1), by its name: band, veto, prs."""
    found: dict[str, Tensor] = {}
    if algorithm.band is not None:
        found["band"] = band_keep(_correction(turns, algorithm.band_level), *algorithm.band)
    if algorithm.veto is not None:
        found["veto"] = veto_keep(_correction(turns, "token"), turns.mask, algorithm.veto)
    if algorithm.prs_tau is not None:
        found["prs"] = prs_keep(turns.coverage, turns.correct, algorithm.prs_tau, algorithm.prs_s, seed)[:, None]
    return found


def _correction(turns: Turns, level: Level) -> Tensor:
    return log_ratio(turns.old_logp.detach(), turns.rollout_logp, turns.mask & turns.valid[:, None], level, turns.traj)


def objective(
    turns: Turns,
    algorithm: Algorithm,
    advantages: Tensor,
    keep: Tensor,
    denominator: float,
    weights: Tensor | None = None,
    entropy: Tensor | None = None,
) -> Loss:
    """The loss of the rows given, from what `prepare` made of their batch.

    advantages (N,); keep (N, T); denominator of the whole batch; weights (N, T) or (N, 1). `entropy` (N, T) in nats is
    for the statistics alone, which take −logp in its place where it is not given. Raises ValueError for a KL penalty
    without reference log-probabilities.
    """
    mask, adv = turns.mask & turns.valid[:, None], advantages.detach()[:, None]
    logp = torch.where(mask, turns.logp, 0.0)
    anchor = torch.where(mask, turns.old_logp, 0.0).detach()
    kind, level, low, high = algorithm.kind, algorithm.level, algorithm.clip_low, algorithm.clip_high
    loss = pg_loss(logp, anchor, adv, kind, low, high, algorithm.dual_c, level, mask=mask)
    if weights is not None:
        loss = loss * weights.detach()
    penalty = None if turns.ref_logp is None else k3(logp, torch.where(mask, turns.ref_logp, 0.0))
    if algorithm.kl:
        if penalty is None:
            raise ValueError(f"a KL penalty of {algorithm.kl} needs the reference's log-probabilities")
        loss = loss + algorithm.kl * penalty
    value = aggregate(torch.where(keep, loss, 0.0), mask, algorithm.aggregation, denominator)
    with torch.no_grad():
        ratio = policy_ratio(logp, anchor, mask, level).expand_as(logp)
        measured = {
            "ratio": ratio,
            "ratio_squared": ratio.square(),
            "clip_fraction": clipped(ratio, adv.expand_as(ratio), kind, low, high),
            "entropy": -logp if entropy is None else _as_wide(entropy, logp),
        } | ({} if penalty is None else {"kl": penalty})
        sums = {name: sum_and_count(values, keep) for name, values in measured.items()}
    return Loss(value, sums | acceptance(turns, keep))


def _as_wide(values: Tensor, like: Tensor) -> Tensor:
    return torch.nn.functional.pad(values, (0, like.shape[1] - values.shape[1]))
