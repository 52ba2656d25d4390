"""Statistics of timings: intervals hold the truth as often as they say, doubts are raised where they should be."""

import numpy as np
import pytest

from kernelwright.evaluation.checks.timing import (
    MeasuredTimes,
    common_mode,
    disagreement,
    doubts,
    floor_ms,
    report,
    speedup,
    spread,
)

TRIALS = 300


def side(generator: np.random.Generator, factor: float, drift: float, noise: float) -> list[list[float]]:
    """Three processes of 35 samples with a long tail, each process off by its own drift; times around 0.2 ms."""
    return [
        list(0.2 * factor * np.exp(drift * generator.standard_normal() + noise * generator.exponential(size=35)))
        for _ in range(3)
    ]


@pytest.mark.parametrize(("drift", "noise"), [(0.0, 0.01), (0.002, 0.004), (0.01, 0.004)])
def test_the_interval_holds_the_true_ratio(drift: float, noise: float) -> None:
    generator = np.random.default_rng(7)
    held = [
        speedup(
            side(generator, 1.0, drift, noise), side(generator, 1.0, drift, noise), seed=trial, resamples=400
        ).holds(1.0)
        for trial in range(TRIALS)
    ]
    assert np.mean(held) >= 0.92


def test_three_percent_are_seen() -> None:
    generator = np.random.default_rng(8)
    found = [
        speedup(side(generator, 1.03, 0.002, 0.004), side(generator, 1.0, 0.002, 0.004), seed=trial, resamples=400)
        for trial in range(100)
    ]
    assert np.mean([interval.low > 1.0 for interval in found]) >= 0.95
    assert np.mean([interval.holds(1.03) for interval in found]) >= 0.92
    assert np.median([interval.half_width for interval in found]) <= 0.01


def test_a_speedup_is_the_baseline_over_the_candidate_and_repeats() -> None:
    slow, fast = [[4.0, 4.1, 3.9]] * 3, [[2.0, 2.05, 1.95]] * 3
    found = speedup(slow, fast, seed=1)
    assert found.ratio == pytest.approx(2.0)
    assert found.low < 2.0 < found.high
    assert found == speedup(slow, fast, seed=1)
    assert found.ratio * speedup(fast, slow, seed=1).ratio == pytest.approx(1.0)


def test_one_slow_process_widens_the_interval() -> None:
    even = [[1.0, 1.001, 0.999, 1.002]] * 3
    uneven = [*even[:2], [1.1, 1.101, 1.099, 1.102]]
    assert speedup(even, even, seed=0).half_width < 0.01 < 0.05 < speedup(even, uneven, seed=0).half_width


@pytest.mark.parametrize("bad", [[], [[]], [[1.0], [0.0]]])
def test_sides_without_times_are_refused(bad: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="positive time"):
        speedup(bad, [[1.0]], seed=0)


def test_medians_ignore_outliers() -> None:
    found = spread([[1.0, 1.0, 50.0], [1.0, 1.0, 1.0]])
    assert (found.median, found.samples, found.processes) == (pytest.approx(1.0), 6, 2)


def test_work_beside_the_events_is_doubted() -> None:
    assert disagreement([0.028], [2.711]).startswith("the wall clock shows 2.711 ms")
    assert disagreement([1.0], [0.5]).startswith("events show 1 ms")
    assert disagreement([0.011], [0.045]) == ""  # a launch's overhead
    assert disagreement([5.0], [5.4]) == ""


def test_faster_than_memory_is_doubted() -> None:
    floor = floor_ms(inputs_bytes=335_000_000, outputs_bytes=385_000_000, bandwidth_gb_s=3350, l2_mb=50)
    assert floor == pytest.approx(0.2)
    assert floor_ms(1, 1, 0, 0) == 0
    honest, quick = MeasuredTimes((0.21,), (0.22,), (0.23,)), MeasuredTimes((0.21,), (0.22,), (0.23,), graph=(0.1,))
    assert doubts(honest, floor) == ()
    assert "below the 0.2 ms" in doubts(quick, floor)[0]


def test_like_is_compared_with_like() -> None:
    short = MeasuredTimes((0.012, 0.011), (0.02, 0.02), (0.03, 0.03), graph=(0.002, 0.0021))
    uncaptured = MeasuredTimes((0.02, 0.02), (0.03,), (0.05,))
    long = MeasuredTimes((3.0, 3.1), (3.0,), (3.0,), graph=(2.9, 2.9))
    assert common_mode({"a": [short], "b": [short]}) == "graph"
    assert common_mode({"a": [short], "b": [uncaptured]}) == "events"
    assert common_mode({"a": [long], "b": [long]}) == "events"
    found = report({"candidate": [short] * 3, "eager": [uncaptured] * 3, "inductor": [short] * 3}, seed=0)
    assert found["mode"] == {"eager": "events", "inductor": "graph"}
    assert found["speedup"]["eager"] == pytest.approx(0.02 / 0.0115, rel=0.01)
    assert found["speedup"]["inductor"] == pytest.approx(1.0)
    low, high = found["ci"]["inductor"]
    assert low <= 1.0 <= high
    assert set(found["modes"]["eager"]) == {"events", "direct", "wall"}
