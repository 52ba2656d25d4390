"""What an algorithm is made of; without torch, so that configuration is read quickly."""

from dataclasses import dataclass
from typing import Literal

from kernelwright.ir.errors import UserError
from kernelwright.ir.options import check_options, option

How = Literal["sum", "max", "outcome"]
Group = Literal["prompt", "prompt_turn"]
Baseline = Literal["mean", "loo"]
Scale = Literal["none", "group", "batch"]
Singleton = Literal["zero", "return"]
Kind = Literal["ppo", "reinforce", "cispo"]
RatioLevel = Literal["token", "sequence"]
Aggregation = Literal["token", "seq_mean", "seq_sum", "const"]
Level = Literal["token", "turn", "turn_geo", "traj", "traj_geo"]
ReferencePolicy = Literal["start", "base"]


@dataclass(frozen=True)
class Algorithm:
    """How turns are learnt from; None leaves a correction out. Raises UserError for a value that is out of range.

    An advantage compares the return of a turn with those of its group. The ratio is the probability of a token by the
    policy that learns, over that by the policy that drew it.
    """

    gamma: float = option(1.0, "discount of rewards of later turns", at_least=0, at_most=1)
    how: How = option("sum", "how rewards of later turns add up to a turn's return")
    group: Group = option("prompt", "prompt: compare all turns of a prompt; prompt_turn: only turns of one number")
    baseline: Baseline = option(
        "mean", "mean: compare a return with its group's mean; loo: with the mean of the others"
    )
    scale: Scale = option("group", "the returns whose standard deviation divides advantages")
    singleton: Singleton = option("zero", "the advantage of a turn that is alone in its group")
    negative: float = option(1.0, "factor on advantages below 0; at 0 nothing is learnt from them", at_least=0)
    kind: Kind = option("ppo", "the loss")
    level: RatioLevel = option("token", "token: one ratio for each token; sequence: one for each answer")
    clip_low: float = option(0.2, "the ratio is clipped at 1 minus this", at_least=0, at_most=1)
    clip_high: float = option(0.2, "the ratio is clipped at 1 plus this; cispo truncates its weight there", at_least=0)
    dual_c: float | None = option(None, "bound on the loss where the advantage is negative", above=1)
    aggregation: Aggregation = option("seq_mean", "how the losses of tokens add up")
    max_len: int = option(2048, "aggregation=const: the most tokens of a response", above=0)
    kl: float = option(0.0, "weight of the KL penalty (k3)", at_least=0)
    reference: ReferencePolicy = option(
        "start", "start: the KL penalty is against the starting adapter; base: against the base model"
    )
    tis_cap: float | None = option(None, "the largest importance weight of a rollout; larger ones are cut", above=0)
    tis_level: Level = option("token", "the unit that truncated weights are computed over")
    band: tuple[float, float] | None = option(
        None, "rollouts with importance weights outside these two limits are dropped", at_least=0
    )
    band_level: Level = option("traj_geo", "the unit that the weights of `band` are computed over")
    veto: float | None = option(None, "a row with a token weight below this is dropped", above=0, below=1)
    prs_tau: float | None = option(
        None, "correct rows with a smaller share of device time than this are dropped at random"
    )
    prs_s: float = option(0.1, "how soft the threshold of `prs_tau` is", above=0)
    dynamic_sampling: bool = option(False, "leave out groups whose returns are all the same")
    refills: int = option(
        3, "dynamic_sampling: the most times that other problems replace the groups left out", at_least=0
    )
    mask_truncated: bool = option(False, "learn nothing from answers that were cut off at max_tokens")

    def __post_init__(self) -> None:
        if self.band is not None:
            object.__setattr__(self, "band", tuple(self.band))
        check_options(self)
        if self.band is not None and (len(self.band) != 2 or self.band[0] >= self.band[1]):
            raise UserError(f"band={list(self.band)}: give two weights, the smaller one first")
