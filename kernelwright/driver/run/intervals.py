"""Intervals of shares and of paired differences over problems and seeds.

Values stand in an (S, P) array, a row a seed and a column a problem, NaN where there is none. Problems and seeds are
crossed: every seed meets the same problems. So problems are resampled as columns, and what seeds differ by beyond the
noise of their columns is resampled beside them. Resampling all S·P values as if they were independent would take three
seeds for three times as many problems.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelwright.evaluation.checks.timing import widening

Values = NDArray[np.float64]

_NORMAL = 1.959964


@dataclass(frozen=True)
class Estimate:
    """A value and its 95% interval, and of how many (seed, problem) pairs it is."""

    value: float
    low: float
    high: float
    pairs: int


def mean_interval(values: Values, seed: int = 0, resamples: int = 4000) -> Estimate | None:
    """The mean over problems of their means over seeds, with a bootstrap interval; None without a value.

    Few problems or seeds show too little of their spread, so that resampled means are widened as timings are. One
    problem alone has no spread to resample: its interval is unbounded.
    """
    kept = values[:, ~np.isnan(values).all(axis=0)]
    if not kept.size:
        return None
    deviations = _resampled(kept, np.random.default_rng(seed), resamples)
    mean, pairs = float(np.nanmean(kept, axis=0).mean()), int((~np.isnan(kept)).sum())
    if kept.shape[1] < 2:
        return Estimate(mean, -math.inf, math.inf, pairs)
    low, high = np.percentile(deviations, (2.5, 97.5))
    return Estimate(mean, mean + float(low), mean + float(high), pairs)


def share_interval(values: Values, seed: int = 0, resamples: int = 4000) -> Estimate | None:
    """The share of ones among zeros and ones, with Wilson's interval; None without a value.

    With one seed it is Wilson's for so many problems. With several, values of one problem depend on one another: the
    number of trials is the one whose binomial variance is the resampled one, and that of the problems where all values
    of the share are equal.
    """
    kept = values[:, ~np.isnan(values).all(axis=0)]
    if not kept.size:
        return None
    share, problems = float(np.nanmean(kept, axis=0).mean()), kept.shape[1]
    trials, pairs = float(problems), int((~np.isnan(kept)).sum())
    if kept.shape[0] > 1 and problems > 1:
        variance = float(_resampled(kept, np.random.default_rng(seed), resamples).var())
        trials = min(share * (1 - share) / variance, pairs) if variance else trials
    return Estimate(share, *wilson(share, trials), pairs)


def wilson(share: float, trials: float) -> tuple[float, float]:
    """Wilson's 95% interval of a share seen in so many trials (Wilson 1927)."""
    shift = _NORMAL**2 / trials
    centre = (share + shift / 2) / (1 + shift)
    half = _NORMAL * math.sqrt((share * (1 - share) + shift / 4) / trials) / (1 + shift)
    return max(0.0, centre - half), min(1.0, centre + half)


def _resampled(values: Values, generator: np.random.Generator, resamples: int) -> Values:
    """(R,) how far the mean falls from itself when problems and seeds are drawn again."""
    by_problem = np.nanmean(values, axis=0)
    problems = len(by_problem)
    drawn = generator.integers(0, problems, (resamples, problems))
    found = (by_problem - by_problem.mean())[drawn].mean(axis=1) * widening(problems, problems - 1)
    by_seed = _seed_effects(values - by_problem)
    if len(by_seed) > 1:
        drawn = generator.integers(0, len(by_seed), (resamples, len(by_seed)))
        found = found + by_seed[drawn].mean(axis=1) * widening(len(by_seed), len(by_seed) - 1)
    return np.asarray(found, dtype=np.float64)


def _seed_effects(residuals: Values) -> Values:
    """(S,) what each seed adds to all problems, shrunk by what residuals of single values explain (ANOVA)."""
    residuals = residuals[~np.isnan(residuals).all(axis=1)]
    seeds, problems = residuals.shape
    effects: Values = np.nanmean(residuals, axis=1)
    effects = effects - effects.mean()
    if seeds < 2 or problems < 2:
        return effects
    noise = np.nansum((residuals - effects[:, None]) ** 2) / ((seeds - 1) * (problems - 1)) / problems
    between = float(effects @ effects) / (seeds - 1)
    kept = math.sqrt(max(0.0, 1 - float(noise) / between)) if between else 0.0
    return np.asarray(effects * kept, dtype=np.float64)
