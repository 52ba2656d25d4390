"""Rewards, which turn an answer's verdict into a number. Each is a frozen value that configuration names.

A reward is called with the module that the agent was given, the candidate (None where the answer could not be read) and
the verdict. Nothing but an ok verdict whose outputs were compared counts as correct (`measures.is_correct`), so no
status but `ok` is paid for correctness or speed. A reward that pays for speed takes it from measured times and raises
UserError if a correct candidate was not timed. Speedups are capped, because an implausible speedup is usually an error
of measurement. If a publication has no cap, `cap` is ours.
"""

import dataclasses
import math
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, SupportsFloat, TypeVar

from kernelwright.agent.evaluator import Status, Verdict
from kernelwright.agent.judge import LLMJudge
from kernelwright.agent.measures import (
    BASELINES,
    coverage,
    determinism,
    is_compiled,
    is_correct,
    modelled_speedup,
    spread,
    timed_speedup,
)
from kernelwright.ir.errors import KernelwrightError, UserError, check_choice
from kernelwright.ir.options import check_options, option
from kernelwright.ir.plugins import Registry
from kernelwright.ir.values import KernelModule, Level

#: Milliseconds that a module should take, by a cost model.
Estimate = Callable[[KernelModule], float]


class Reward(Protocol):
    """The worth of an answer as a number; `after` is None if the answer could not be read.

    A reward that needs more than a verdict on correctness says so by an attribute or property `needs`; see `needs_of`.
    """

    def __call__(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        """The reward. Raises UserError if the verdict lacks a measurement that the reward uses."""
        ...


@dataclass(frozen=True)
class Needs:
    """The inputs of a reward besides a verdict on correctness.

    times     measured times of the candidate
    baseline  the program to compare with: eager, inductor or before (the module that the agent was given); "": none
    profile   the share of device time in the candidate's kernels
    judge     a language model as judge, the field `judge`
    repeats   several runs on the same input
    spread    the spread of measured times over the runs of the rung time
    """

    times: bool = False
    baseline: str = ""
    profile: bool = False
    judge: bool = False
    repeats: bool = False
    spread: bool = False

    def __post_init__(self) -> None:
        if self.baseline:
            check_choice("baseline", self.baseline, BASELINES)
        if self.baseline or self.spread:
            object.__setattr__(self, "times", True)

    @property
    def of_given(self) -> bool:
        """Whether the time of the module that the agent was given is needed."""
        return self.baseline == "before"


def needs_of(reward: Reward) -> Needs:
    """The needs that a reward declares; none if it declares nothing. Raises UserError for another type."""
    found = getattr(reward, "needs", Needs())
    if not isinstance(found, Needs):
        raise UserError(f"{type(reward).__name__}.needs is {found!r}; give a kernelwright.agent.rewards.Needs")
    return found


RewardType = TypeVar("RewardType", bound=type[Any])
#: Types of fields that configuration can spell, and how they are called.
_PLAIN = {bool: "true or false", int: "an integer", float: "a number", str: "a word"}


def _complaint(_name: str, found: object) -> str:
    """What is wrong with a reward that a package announces."""
    if isinstance(found, type) and dataclasses.is_dataclass(found) and hasattr(found, "__call__"):  # noqa: B004
        return ""
    return "it is not a dataclass with a method __call__(before, after, verdict)"


#: Rewards by the names under which configuration knows them.
REWARDS: Registry[type[Any]] = Registry("reward", "kernelwright.rewards", _complaint)


def named(name: str) -> Callable[[RewardType], RewardType]:
    """Class decorator: make a reward known by a name. Raises UserError where another reward has it."""

    def add(cls: RewardType) -> RewardType:
        REWARDS.add(name, cls)
        return cls

    return add


def paid(reward: Reward, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
    """The number that a reward gives. If the reward raises, or gives no finite number, a UserError names the reward."""
    name = type(reward).__name__
    try:
        found = reward(before, after, verdict)
    except KernelwrightError:
        raise
    except Exception as error:  # a reward of another package may raise anything
        raise UserError(f"reward {name} fails: {type(error).__name__}: {error} (`after` may be None)") from error
    if isinstance(found, bool | str) or not isinstance(found, SupportsFloat) or not math.isfinite(found):
        raise UserError(f"reward {name} gives {found!r}; give a finite number")
    return float(found)


def make_reward(name: str, options: Mapping[str, Any] | None = None, **hooks: Any) -> Reward:
    """The reward of that name; `options` are its numbers and words.

    `hooks` are the values that configuration cannot spell, `judge` and `estimate`; a reward gets only the hooks that
    it has fields for. Raises UserError for an unknown name or option, or a value of the wrong type.
    """
    cls = REWARDS.find(name)
    types = typing.get_type_hints(cls)
    known = [field.name for field in dataclasses.fields(cls)]
    plain = {field for field in known if types[field] in _PLAIN}
    values = {key: value for key, value in hooks.items() if key in known and value is not None}
    for key, value in (options or {}).items():
        if key not in plain:
            raise UserError(f"reward {name} has no option {key!r} (options: {', '.join(sorted(plain))})")
        wanted = types[key]
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise UserError(f"reward {name}: {key} takes {_PLAIN[wanted]}, not {value!r}")
        values[key] = wanted(value)
    found: Reward = cls(**values)
    return found


def reward_options(name: str) -> dict[str, Any]:
    """The defaults of a reward's options. Raises UserError as `make_reward`."""
    cls = REWARDS.find(name)
    types = typing.get_type_hints(cls)
    defaults = {field.name: field.default for field in dataclasses.fields(cls) if types[field.name] in _PLAIN}
    return {key: value for key, value in defaults.items() if value is not dataclasses.MISSING}


@dataclass(frozen=True, kw_only=True)
class Steadiness:
    """Terms of the two-stage project's rewards for a correct candidate, both off by default.

    The reward adds `determinism_weight` times the share of repeated runs on one input that gave the same bits. It
    subtracts `spread_weight` times the spread: the interquartile range of the timed runs over their median, at most 1.
    """

    determinism_weight: float = option(0.0, at_least=0)
    spread_weight: float = option(0.0, at_least=0)

    def __post_init__(self) -> None:
        check_options(self, "reward.")

    def steady(self, verdict: Verdict) -> float:
        """The terms of a correct candidate. Raises UserError where the verdict lacks what a weight asks for."""
        total = 0.0
        if self.determinism_weight:
            share = determinism(verdict)
            if share is None:
                raise UserError(
                    "determinism_weight needs repeated runs, which the verdict lacks; give evaluator.repeats=3"
                )
            total += self.determinism_weight * share
        if self.spread_weight:
            wide = spread(verdict)
            if wide is None:
                raise UserError("spread_weight needs timed runs, which the verdict lacks; evaluate with the rung time")
            total -= self.spread_weight * wide
        return total


@named("frontend")
@dataclass(frozen=True)
class FrontendReward(Steadiness):
    """The two-stage project's frontend reward: `success` for a correct candidate, else `failure`."""

    failure: float = -10.0
    success: float = 1.0

    @property
    def needs(self) -> Needs:
        """Repeated runs or timed runs, if their weight is not 0."""
        return Needs(repeats=bool(self.determinism_weight), spread=bool(self.spread_weight))

    def __call__(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        del before, after
        return self.success + self.steady(verdict) if is_correct(verdict) else self.failure


@named("midend")
@dataclass(frozen=True)
class MidendReward(Steadiness):
    """The two-stage project's mid-end reward: 1 + t_ref / t for a correct candidate, else `failure`.

    t_ref is the time of `baseline`: the reference in eager PyTorch, as published, `inductor`, or `before`.
    """

    failure: float = -10.0
    baseline: str = "eager"
    cap: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("baseline", self.baseline, BASELINES)

    @property
    def needs(self) -> Needs:
        """Times of the candidate and of the baseline; repeated runs if their weight is not 0."""
        repeats, spread = bool(self.determinism_weight), bool(self.spread_weight)
        return Needs(baseline=self.baseline, repeats=repeats, spread=spread)

    def __call__(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        del before, after
        if not is_correct(verdict):
            return self.failure
        return 1.0 + timed_speedup(verdict, self.baseline, self.cap) + self.steady(verdict)


@named("joint")
@dataclass(frozen=True)
class JointReward(MidendReward):
    """One agent that writes and tunes at once: `failure`, else 1 + speedup over the reference."""


@named("composite")
@dataclass(frozen=True)
class CompositeReward:
    """The reinforcement-tuning report's: compiled·C' + correct·C + speed·min(t0 / t, r_max)·C + judge_weight·judge.

    C' and C are 1 for a candidate that compiles and one that is correct, t0 is the time of `baseline`; with `speed` 0
    no times are needed. A cheat gets 0 whatever it does. The judge's part is off at weight 0 (the report has 0.5); it
    is the mean of its three scores, of every candidate that was read, and JudgeError where the judge does not answer.
    """

    compiled: float = 0.1
    correct: float = 0.3
    speed: float = 1.0
    r_max: float = 3.0
    baseline: str = "eager"
    judge_weight: float = 0.0
    judge: LLMJudge | None = None

    def __post_init__(self) -> None:
        check_choice("baseline", self.baseline, BASELINES)

    @property
    def needs(self) -> Needs:
        """Times while speed counts, a judge while its scores do."""
        return Needs(baseline=self.baseline if self.speed else "", judge=bool(self.judge_weight))

    def __call__(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        if verdict.status in (Status.CHEAT, Status.HOST_COMPUTES):
            return 0.0
        total = self.compiled * is_compiled(verdict)
        if is_correct(verdict):
            total += self.correct
            total += self.speed * timed_speedup(verdict, self.baseline, self.r_max) if self.speed else 0.0
        if self.judge_weight and after is not None:
            if self.judge is None:
                raise UserError(f"judge_weight={self.judge_weight:g} needs a judge; give one, or judge_weight=0")
            total += self.judge_weight * self.judge.scores(before, after).mean
        return total


@named("profiling")
@dataclass(frozen=True)
class ProfilingReward:
    """Dr. Kernel's profiling reward: 0.5·C + 0.5·min(s, cap) + 0.5·C·coverage, with s = 0 if not correct.

    s is taken against `baseline`; a speedup above `cap` should be measured again (`evaluating.confirmed`). Raises
    UserError where a correct candidate was not profiled.
    """

    correct: float = 0.5
    speed: float = 0.5
    covered: float = 0.5
    cap: float = 3.0
    baseline: str = "eager"

    def __post_init__(self) -> None:
        check_choice("baseline", self.baseline, BASELINES)

    @property
    def needs(self) -> Needs:
        """Times, and a profile while coverage counts."""
        return Needs(baseline=self.baseline, profile=bool(self.covered))

    def __call__(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        del before, after
        if not is_correct(verdict):
            return 0.0
        share = coverage(verdict)
        if share is None and self.covered:
            raise UserError(
                "the reward profiling needs the share of device time in generated kernels, which the verdict lacks; "
                "evaluate with the rung profile, or set covered=0"
            )
        return self.correct + self.speed * timed_speedup(verdict, self.baseline, self.cap) + self.covered * (share or 0)


@named("kevin")
@dataclass(frozen=True)
class KevinReward:
    """Kevin's reward: 0.3·C + C·speedup over eager PyTorch."""

    correct: float = 0.3
    baseline: str = "eager"
    cap: float = 10.0

    def __post_init__(self) -> None:
        check_choice("baseline", self.baseline, BASELINES)

    @property
    def needs(self) -> Needs:
        """Times, of the baseline as well."""
        return Needs(baseline=self.baseline)

    def __call__(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        del before, after
        return self.correct + timed_speedup(verdict, self.baseline, self.cap) if is_correct(verdict) else 0.0


@named("log_speedup")
@dataclass(frozen=True)
class LogSpeedupReward:
    """ln(t_before / t) against the module that the pass was given, within ±`limit`; else `failure`, which is lower."""

    failure: float = -10.0
    limit: float = 3.0
    baseline: str = "before"

    def __post_init__(self) -> None:
        check_choice("baseline", self.baseline, BASELINES)
        if not self.failure < -self.limit < 0:
            raise UserError(f"failure={self.failure:g} must be below -limit={-self.limit:g}, and limit positive")

    @property
    def needs(self) -> Needs:
        """Times, of the baseline as well."""
        return Needs(baseline=self.baseline)

    def __call__(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        del before, after
        if not is_correct(verdict):
            return self.failure
        return max(-self.limit, min(self.limit, math.log(timed_speedup(verdict, self.baseline))))


@named("cost_model")
@dataclass(frozen=True)
class CostModelReward:
    """The mid-end's reward on estimated times, which need no GPU: 1 + t_before / t, else `failure`.

    Estimates are the verdict's `modelled_before` and `modelled_candidate`, else what `estimate` gives (milliseconds)
    for the two modules; it is asked again for the same module, so let it remember. Raises UserError where there is
    neither, and for a given module that has no kernels to estimate.
    """

    failure: float = -10.0
    cap: float = 10.0
    estimate: Estimate | None = None

    def __call__(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        if not is_correct(verdict):
            return self.failure
        found = modelled_speedup(verdict)
        if found is None:
            if self.estimate is None:
                raise UserError("the reward cost_model needs estimated times in its verdicts, or an estimate to ask")
            if before.level is Level.TORCH:
                raise UserError(f"the reward cost_model compares kernels, but @{before.name} has none yet; lower it")
            assert after is not None, "a correct candidate is a module"
            found = self.estimate(before) / self.estimate(after)
        return 1.0 + min(found, self.cap)
