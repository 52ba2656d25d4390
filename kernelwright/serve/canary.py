"""The canary of rollouts: whether the policy that answers has the weights that the trainer believes it has.

An engine that kept old weights, merged them with lost digits or mixed adapters up still answers fluently; it shows in
one figure, the mean difference of the log-probabilities that trainer and policy give to the same tokens. After a
deliberately large step of the adapter that figure must stay where it was (TRL issues 5312 and 6688 are of both kinds).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from kernelwright.agent.policy import Completion, Policy, PolicyError, Prompt, Sampling
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.serve.adapters import adapter_weights, write_adapter

#: The trainer's side: (prompt ids, token ids (T,)) -> T natural logarithms of probabilities, at temperature 1.
TokenLogprobs = Callable[[Sequence[int], Sequence[int]], Sequence[float]]


class SyncError(KernelwrightError):
    """The policy does not have the weights that the trainer believes it has."""


class StepTooSmallError(UserError):
    """The large step is not large enough for a policy that missed it to show."""


@dataclass(frozen=True)
class Gap:
    """|trainer - policy| of token log-probabilities, in nats: mean and largest over `tokens` tokens."""

    mean: float
    largest: float
    tokens: int
    version: str

    def __str__(self) -> str:
        return f"{self.mean:.2g} nats a token (largest {self.largest:.2g}, {self.tokens} tokens, {self.version})"


@dataclass(frozen=True)
class Side:
    """One state of an adapter: its folder, and the trainer's log-probabilities with it."""

    folder: Path
    logprobs: TokenLogprobs


@dataclass(frozen=True)
class CanaryReport:
    """What the canary saw: the gap before and after the large step, and what it would be had the step not arrived."""

    baseline: Gap
    stepped: Gap
    stale: Gap

    def __str__(self) -> str:
        return f"baseline {self.baseline}; after a large step {self.stepped}; were it stale {self.stale}"


def gap_of(completions: Iterable[Completion], logprobs: TokenLogprobs) -> Gap:
    """The gap over answers drawn at temperature 1 and top-p 1, for instance a step's rollouts.

    Raises PolicyError for answers without tokens or log-probabilities.
    """
    differences: list[float] = []
    version = ""
    for one in completions:
        if not one.token_ids or len(one.logprobs) != len(one.token_ids):
            raise PolicyError(f"{one.version} tells no log-probabilities of tokens: there is nothing to compare")
        theirs = logprobs(one.prompt_ids, one.token_ids)
        differences += [abs(a - b) for a, b in zip(theirs, one.logprobs, strict=True)]
        version = one.version
    if not differences:
        raise PolicyError("no answers to compare")
    return Gap(sum(differences) / len(differences), max(differences), len(differences), version)


def check_sync(
    policy: Policy,
    adapter: str,
    prompts: Sequence[Prompt],
    before: Side,
    after: Side,
    n: int = 2,
    max_tokens: int = 32,
    ratio: float = 3.0,
    slack: float = 0.01,
    share: float = 0.05,
) -> CanaryReport:
    """Load an adapter, then its state after a large step, and compare both with the trainer.

    Leaves the state after the step loaded. Raises SyncError where the gap grew to more than `ratio` times the baseline
    plus `slack` nats plus `share` of what it would be had the step not arrived: far from what was learnt, answers are
    all but random, and rounding to 16 bits tells more. Raises StepTooSmallError where the step is too small for a stale
    policy to show.
    """
    sampling = Sampling(n=n, max_tokens=max_tokens, temperature=1.0, top_p=1.0)
    policy.load_adapter(adapter, before.folder)
    baseline = gap_of(_flat(policy.sample(prompts, sampling, adapter)), before.logprobs)
    policy.load_adapter(adapter, after.folder)
    answers = _flat(policy.sample(prompts, sampling, adapter))
    report = CanaryReport(baseline, gap_of(answers, after.logprobs), gap_of(answers, before.logprobs))
    expected = ratio * baseline.mean + slack
    limit = expected + share * report.stale.mean
    if report.stepped.mean > limit:
        raise SyncError(
            f"the policy does not have the trainer's weights: after a large step of adapter `{adapter}` they differ by "
            f"{report.stepped}, more than {limit:.4f}; before the step they differ by {baseline}"
        )
    if report.stale.mean <= 2 * expected:
        raise StepTooSmallError(f"the step is too small to tell new weights from old ones: {report}")
    return report


def large_step(folder: Path, target: Path, scale: float = 0.1, seed: int = 0) -> Path:
    """Write a copy of a LoRA adapter to `target`, moved far: noise of that standard deviation on every B matrix.

    Raises UserError for a folder without an adapter in safetensors.
    """
    weights, metadata = adapter_weights(folder)
    generator = torch.Generator().manual_seed(seed)
    for name, value in weights.items():
        if ".lora_B." in name or ".lora_embedding_B" in name:
            noise = torch.randn(value.shape, generator=generator, dtype=torch.float32)
            weights[name] = (value.float() + scale * noise).to(value.dtype)
    write_adapter(target, weights, folder, metadata)
    return target


def _flat(groups: Sequence[Sequence[Completion]]) -> list[Completion]:
    return [one for group in groups for one in group]
