"""Intervals over problems and seeds: against figures worked out by hand, and against truths that are known."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from kernelwright.driver.run.intervals import mean_interval, share_interval, wilson

Array = NDArray[np.float64]


def test_a_mean_of_two_problems_by_hand() -> None:
    # Means over seeds 0 and 2, over problems 1. Resampling gives -1, 0 or 1 with chances 1/4, 1/2, 1/4, so that 2.5%
    # and 97.5% are -1 and 1, times sqrt(2 / 1) * t(0.975, 1 degree of freedom) / 1.96 = 1.41421 * 12.706 / 1.96.
    found = mean_interval(np.array([[0.0, 2.0]]))
    assert found is not None and (found.value, found.pairs) == (1.0, 2)
    half = math.sqrt(2) * 12.706 / 1.960
    assert found.low == pytest.approx(1 - half) and found.high == pytest.approx(1 + half)


def test_what_seeds_share_is_part_of_the_interval() -> None:
    # Both problems are alike and one seed is 2 higher on each: all the spread is between the seeds.
    found = mean_interval(np.array([[0.0, 0.0], [2.0, 2.0]]))
    assert found is not None and found.value == 1.0
    assert found.high - found.value == pytest.approx(math.sqrt(2) * 12.706 / 1.960)
    # Seeds that only differ by noise which cancels over the problems add nothing.
    noise = mean_interval(np.array([[0.0, 2.0], [2.0, 0.0]]))
    assert noise is not None and (noise.low, noise.high) == (1.0, 1.0)


def test_wilson_by_hand() -> None:
    # 8 of 10, z = 1.96: centre (0.8 + 0.19207) / 1.38415, half 1.96 * sqrt(0.016 + 0.0096036) / 1.38415.
    assert wilson(0.8, 10) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert wilson(0.0, 10) == pytest.approx((0.0, 0.2775328)) and wilson(1.0, 10) == pytest.approx((0.7224672, 1.0))


def test_seeds_are_not_taken_for_problems() -> None:
    one = np.array([[1.0] * 6 + [0.0] * 4])
    single, same = share_interval(one), share_interval(np.repeat(one, 5, axis=0))
    assert single is not None and same is not None and (single.value, same.value) == (0.6, 0.6)
    assert (single.low, single.high) == pytest.approx(wilson(0.6, 10))
    assert same.high - same.low >= single.high - single.low  # five times the same says no more than once
    fresh = np.random.default_rng(0).random((5, 10)) < 0.6
    independent = share_interval(fresh.astype(np.float64))
    assert independent is not None and independent.high - independent.low < single.high - single.low


def test_missing_values_are_left_out() -> None:
    gap = math.nan
    assert mean_interval(np.array([[gap, gap]])) is None and share_interval(np.empty((0, 0))) is None
    found = mean_interval(np.array([[1.0, gap, 3.0], [gap, gap, 3.0]]))
    assert found is not None and (found.value, found.pairs) == (2.0, 3)
    lonely = mean_interval(np.array([[1.0, gap]]))
    assert lonely is not None and (lonely.low, lonely.high) == (-math.inf, math.inf)


def shares(random: np.random.Generator) -> tuple[Array, float]:
    """Zeros and ones of two arms on 30 problems: the difference; each problem has chances of its own."""
    chance = random.beta(1, 1, (1, 30))
    first = random.random((1, 30)) < chance
    second = random.random((1, 30)) < np.clip(chance + 0.1, 0, 1)
    return second.astype(np.float64) - first, 0.095  # the mean of min(1, chance + 0.1) - chance


def normal(seeds: int, of_problems: float, of_seeds: float) -> Callable[[np.random.Generator], tuple[Array, float]]:
    def draw(random: np.random.Generator) -> tuple[Array, float]:
        problem = random.normal(0, of_problems, (1, 20)) if of_problems else 0.0
        seed = random.normal(0, of_seeds, (seeds, 1)) if of_seeds else 0.0
        return 0.5 + problem + seed + random.normal(0, 1, (seeds, 20)), 0.5

    return draw


@pytest.mark.parametrize(
    "draw",
    [shares, normal(1, 1, 0), normal(3, 1, 0), normal(3, 0, 0), normal(3, 0.5, 1), normal(5, 1, 1)],
    ids=["shares", "one seed", "alike seeds", "noise", "unlike seeds", "both"],
)
def test_intervals_hold_the_truth_as_often_as_they_say(
    draw: Callable[[np.random.Generator], tuple[Array, float]],
) -> None:
    random, held, times = np.random.default_rng(7), 0, 600
    for number in range(times):
        values, truth = draw(random)
        found = mean_interval(values, number, 600)
        assert found is not None
        held += found.low <= truth <= found.high
    assert 0.92 <= held / times <= 0.985, held / times
