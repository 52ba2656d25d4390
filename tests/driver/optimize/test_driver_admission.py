"""Which of two kernels is faster: decided by pairs of times that are noisy, drift and have outliers."""

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from kernelwright.driver.optimize.admission import (
    LOOKS,
    Comparison,
    compared,
    largest_that_holds,
    outside,
    summary,
)
from kernelwright.driver.optimize.asking import LEAST_S, MOST_S, Wanted, searching, share_s
from kernelwright.driver.optimize.ranking import fits_in_cache
from kernelwright.driver.optimize.result import Kernel
from kernelwright.driver.optimize.trying import Trial, Trying
from kernelwright.frontend.swap.meaning import Layout
from kernelwright.frontend.swap.recorded import Argument, Recorded
from kernelwright.ir.parser import parse_module
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.midend.search.search import Search


def takes(gain: float, seed: int) -> Callable[[bool], tuple[float, float]]:
    """Pairs of times of a kernel and of one that is faster by so much. Each time is off by 3%, one in ten by up to half
    more, clocks drift, and events count in steps of half a microsecond over twelve launches."""
    noise = random.Random(seed)
    us = noise.uniform(20, 400)

    def once(true_us: float, number: int) -> float:
        drift = 1 + 0.05 * math.sin(number / 15)
        late = noise.uniform(1, 1.5) if noise.random() < 0.1 else 1.0
        return round(24 * true_us * drift * late * noise.lognormvariate(0, 0.03)) / 24

    count = 0

    def take(_ours_first: bool) -> tuple[float, float]:
        nonlocal count
        count += 1
        return once(us * (1 + gain), count), once(us, count)

    return take


def admitted(gain: float, seeds: range) -> int:
    """Of how many trials the faster kernel is admitted."""
    return sum(compared(takes(gain, seed)).wins for seed in seeds)


def test_ten_percent_are_admitted_and_nothing_is_not() -> None:
    assert admitted(0.10, range(100)) >= 90
    assert admitted(0.0, range(1000)) < 15  # of a hundred less than five are asked for; the interval promises one
    assert admitted(-0.05, range(100)) == 0


def test_a_clear_winner_takes_few_pairs_and_a_hopeless_one_is_given_up() -> None:
    assert compared(lambda _first: (110.0, 100.0)).pairs == LOOKS[0]
    equal = compared(takes(0.0, 3))
    assert not equal.wins and equal.pairs < LOOKS[-1]


def test_time_that_is_over_ends_it_after_the_first_look() -> None:
    times = itertools.cycle([(100.0, 99.0), (100.0, 101.0)])
    assert compared(lambda _first: next(times), late=lambda: True).pairs == LOOKS[0]


@pytest.mark.parametrize("period", [2, 3, 4, 8])
def test_a_rhythm_of_the_model_s_calls_favours_neither(period: int) -> None:
    """Half of the calls of a period take 1.2% longer: in an order of which both sides' places repeat, one side has them
    all, and wins beside itself."""

    def wins(seed: int) -> bool:
        noise = random.Random(seed)
        calls = itertools.count(seed)

        def once() -> float:
            slow = next(calls) % period >= period // 2
            return 100 * (1.012 if slow else 1.0) * noise.lognormvariate(0, 0.002)

        def take(ours_first: bool) -> tuple[float, float]:
            first, second = once(), once()
            return (second, first) if ours_first else (first, second)

        return compared(take).wins

    assert sum(map(wins, range(200))) < 10


@pytest.mark.parametrize(
    ("count", "confidence", "rank"), [(7, 0.99, 0), (8, 0.99, 1), (12, 0.9975, 1), (100, 0.95, 40)]
)
def test_intervals_are_those_of_the_sign_test(count: int, confidence: float, rank: int) -> None:
    assert outside(count, confidence) == rank
    pairs = [(float(number), 1.0) for number in range(1, count + 1)]
    found = summary(pairs, confidence)
    assert found.ratio == (count + 1) / 2
    assert (found.low, found.high) == ((rank, count + 1 - rank) if rank else (0.0, math.inf))


def test_halves_are_dropped_until_the_rest_holds() -> None:
    asked: list[list[str]] = []

    def holds(keys: list[str]) -> bool:
        asked.append(list(keys))
        return "d" not in keys and "c" not in keys

    assert largest_that_holds(["a", "b", "c", "d", "e"], holds) == ["a", "b"]  # type: ignore[arg-type]
    assert asked == [["a", "b", "c", "d", "e"], ["a", "b"]]
    assert largest_that_holds(["d"], holds) == []  # type: ignore[arg-type]


def test_a_comparison_is_told_and_read_again() -> None:
    found = summary([(110.0, 100.0)] * 12, 0.99)
    assert Comparison.read(found.told()) == found and str(found) == "1.100x [1.100, 1.100]"
    unbounded = summary([(110.0, 100.0)] * 3, 0.99)
    assert unbounded.told()["high"] is None and Comparison.read(unbounded.told()) == unbounded


MODULE = parse_module((Path(__file__).parents[2] / "golden/lower-inductor/softmax/before.py").read_text())


@pytest.mark.parametrize(("elements", "hot"), [(1 << 20, True), (30 << 20, False)])
def test_a_search_has_the_cache_hot_where_it_holds_all_that_a_kernel_moves(elements: int, hot: bool) -> None:
    layout = Layout((elements,), (1,), torch.bfloat16)
    arguments = (Argument("in_ptr0", "x", "", {"x": layout}), Argument("out_ptr0", "", "y", {"y": layout}))
    assert fits_in_cache(Recorded("key", "name", "", arguments), "h100") is hot
    made = parse_pipeline(searching("h100", Wanted(10.0, hot=hot))).passes
    assert isinstance(made[0], Search) and made[0].cache == ("hot" if hot else "cold")


def test_a_second_search_is_of_more_candidates_and_time_goes_where_much_is_to_be_gained() -> None:
    first, second = (parse_pipeline(searching("h100", Wanted(10.0, wide=wide), 3)).passes[0] for wide in (False, True))
    assert isinstance(first, Search) and isinstance(second, Search)
    assert second.most > first.most and second.width > first.width and second.trials > first.trials
    assert share_s([60.0, 20.0, 20.0], 20.0) == 12.0
    assert (share_s([60.0], 500.0), share_s([1.0, 99.0], 50.0)) == (MOST_S, LEAST_S)
    kernel = Kernel("key", "name", "admitted", us=100.0, gain_us=50.0, graph=summary([(100.0, 80.0)] * 12, 0.99))
    assert kernel.left_us == pytest.approx(30.0) and replace(kernel, became="slower").left_us == 50.0


class Planned(Trying):
    """Each module's pairs in the model, by its name, in the place of times of a running one."""

    def _tried(self, kernel: Kernel, _recording: Any, module: Any, *_rest: Any) -> Trial:
        took = module.name.removeprefix("takes_")
        if took == "fails":
            return Trial(replace(kernel, became="refused", why="it fails"), {})
        times = compared(lambda _first: (100.0, float(took)))
        return Trial(replace(kernel, became="slower", why=str(times), graph=times), {"module": took})


def best_of(*modules: str, gain_us: float = 50.0) -> Trial:
    trying: Any = Planned(None, "interpreter", 1000.0, 60.0, lambda _line: None)  # type: ignore[arg-type]
    kernel = Kernel("key", "triton_poi_fused_add_0", "not reached", us=100.0, gain_us=gain_us)
    named = [(replace(MODULE, name=f"takes_{module}"), None) for module in modules]
    found: Trial = trying.best(kernel, None, named, "", {})
    return found


def test_of_several_verified_kernels_the_fastest_in_the_model_is_taken() -> None:
    found = best_of("110", "fails", "80", "95")
    assert found.wins and found.kept == {"module": "80"}
    assert [one["why"].partition("x")[0] for one in found.others] == ["0.909", "it fails", "1.053"]
    assert best_of("110", "105").kept == {"module": "105"} and not best_of("110", "105").wins
    assert best_of("fails").kernel.became == "refused"


def test_a_kernel_with_little_to_gain_is_tried_once() -> None:
    found = best_of("110", "80", gain_us=0.0)
    assert found.kept == {"module": "110"}
    (other,) = found.others
    assert other["why"].startswith("no time was left") and parse_module(other["module"]).name == "takes_80"
