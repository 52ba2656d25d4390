"""Algorithms as compositions of returns, advantages, corrections and losses, and the published ones as presets.

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
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args, get_origin

import torch
from torch import Tensor

from kernelwright.ir.errors import UserError
from kernelwright.ir.plugins import Registry
from kernelwright.rl.corrections import Level, band_keep, log_ratio, prs_keep, truncate, veto_keep
from kernelwright.rl.losses import (
    Aggregation,
    Kind,
    RatioLevel,
    aggregate,
    clipped,
    denominator,
    k3,
    pg_loss,
    policy_ratio,
)
from kernelwright.rl.returns import (
    Baseline,
    Group,
    How,
    Scale,
    Singleton,
    advantages,
    group_ids,
    nonconstant_groups,
    settled,
    turn_returns,
)
from kernelwright.rl.statistics import Loss, acceptance, mismatch, share, sum_and_count
from kernelwright.rl.turns import Turns


@dataclass(frozen=True)
class Algorithm:
    """How turns are learnt from; None leaves a correction out.

    gamma, how        returns over the turns of a trajectory
    group             whose returns are compared: all turns of a prompt, or those with the same number
    baseline, scale   of advantages within a group; `singleton` is what a group of one gets
    negative          what advantages below 0 are multiplied by: 0 learns from what is better than its group alone
    kind, level       the loss, of tokens or of sequences (GSPO)
    clip_low/high     the ratio is clipped at 1 − low and 1 + high; cispo truncates its weight at 1 + high
    dual_c            bound on the loss where the advantage is negative
    aggregation       how tokens add up; `max_len` is the most tokens of a response, for `const`
    kl                β of the k3 penalty against the base model
    tis_cap, _level   truncated importance weights of rollouts
    band, _level      the importance weights between which rollouts are kept: masked importance sampling, MRS
    veto              the token weight below which a row is dropped
    prs_tau, prs_s    correct rows of low coverage are dropped at random
    dynamic_sampling  groups whose returns are all the same are no part of the batch
    """

    gamma: float = 1.0
    how: How = "sum"
    group: Group = "prompt"
    baseline: Baseline = "mean"
    scale: Scale = "group"
    singleton: Singleton = "zero"
    negative: float = 1.0
    kind: Kind = "ppo"
    level: RatioLevel = "token"
    clip_low: float = 0.2
    clip_high: float = 0.2
    dual_c: float | None = None
    aggregation: Aggregation = "seq_mean"
    max_len: int = 2048
    kl: float = 0.0
    tis_cap: float | None = None
    tis_level: Level = "token"
    band: tuple[float, float] | None = None
    band_level: Level = "traj_geo"
    veto: float | None = None
    prs_tau: float | None = None
    prs_s: float = 0.1
    dynamic_sampling: bool = False

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if get_origin(item.type) is Literal and value not in get_args(item.type):
                raise UserError(f"{item.name}: {', '.join(get_args(item.type))} expected, not {value!r}")
        if self.band is not None:
            object.__setattr__(self, "band", tuple(self.band))
        low, high = self.band or (0.0, 1.0)
        rules = {
            "gamma": 0 <= self.gamma <= 1,
            "negative": self.negative >= 0,
            "clip_low": 0 <= self.clip_low <= 1,
            "clip_high": self.clip_high >= 0,
            "dual_c": self.dual_c is None or self.dual_c > 1,
            "max_len": self.max_len > 0,
            "kl": self.kl >= 0,
            "tis_cap": self.tis_cap is None or self.tis_cap > 0,
            "band": 0 <= low < high,
            "veto": self.veto is None or 0 < self.veto < 1,
            "prs_s": self.prs_s > 0,
        }
        for name, holds in rules.items():
            if not holds:
                raise UserError(f"{name}: {getattr(self, name)} is out of range")


_TRLOO = Algorithm(group="prompt_turn", baseline="loo", scale="none", clip_high=0.28, aggregation="seq_sum")


def _complaint(_name: str, found: object) -> str:
    """What is wrong with an algorithm that a package announces."""
    return "" if isinstance(found, Algorithm) else f"it is no {Algorithm.__module__}.Algorithm"


#: Algorithms by the names under which configuration knows them.
PRESETS: Registry[Algorithm] = Registry("algorithm", "kernelwright.algorithms", _complaint)
#: Published ones. Where a source gives no figure for the clip it is PPO's 0.2.
_PUBLISHED = {
    "grpo": Algorithm(kl=0.1),
    "dr_grpo": Algorithm(scale="none", aggregation="const"),
    "dapo": Algorithm(clip_high=0.28, aggregation="token", dynamic_sampling=True),
    "bnpo": Algorithm(aggregation="token"),
    "rloo": Algorithm(baseline="loo", scale="none", kind="reinforce", aggregation="seq_sum"),
    "trloo": _TRLOO,
    "dr_kernel": replace(_TRLOO, band=(0.999, 1.001), band_level="traj_geo", veto=1e-4, prs_tau=0.3, prs_s=0.1),
    "kevin": Algorithm(gamma=0.4, aggregation="const"),
    "gspo": Algorithm(level="sequence", clip_low=3e-4, clip_high=4e-4),
    "cispo": Algorithm(kind="cispo", clip_high=4.0, aggregation="token"),
    # After RAFT (Dong et al., 2023), which keeps the best answer: here all that are better than the mean, weighted.
    "raft": Algorithm(scale="none", negative=0.0, kind="reinforce"),
}
for _name, _algorithm in _PUBLISHED.items():
    PRESETS.add(_name, _algorithm)


def preset(name: str, **changes: Any) -> Algorithm:
    """A published algorithm with some of its fields changed. Raises UserError for a name or a field that is not."""
    found = PRESETS.find(name)
    unknown = sorted(set(changes) - {item.name for item in fields(Algorithm)})
    if unknown:
        raise UserError(f"algorithm {name}: no field {', '.join(unknown)}")
    return replace(found, **changes)


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
