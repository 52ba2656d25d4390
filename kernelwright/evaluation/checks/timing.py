"""Statistics of timings: medians, intervals of ratios, and which results are to be doubted.

Times are in milliseconds. A side (candidate or baseline) is a list of processes, each a list of samples: samples of one
process share its clocks, its addresses and its place in time, so they are not independent of one another.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelwright.evaluation.protocol.answers import MeasuredTimes

Samples = Sequence[float]
Side = Sequence[Samples]

#: Below this the gaps between launches are much of what events see, and times come from CUDA graphs where they can.
SHORT_MS = 0.05
#: How much longer the wall clock may be than the events, in ms and as a share: see `disagreement`.
WALL_SLACK_MS, WALL_SLACK_SHARE = 0.05, 0.25
#: Two-sided 95% quantiles of Student's t, by degrees of freedom; 0 stands for the normal distribution.
_STUDENT = {
    0: 1.960, 1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228,
    12: 2.179, 14: 2.145, 16: 2.120, 18: 2.101, 20: 2.086, 30: 2.042,
}  # fmt: skip


@dataclass(frozen=True)
class Spread:
    """A side's median over processes, its interquartile range over all samples (ms), and their numbers."""

    median: float
    iqr: float
    samples: int
    processes: int


@dataclass(frozen=True)
class Interval:
    """A ratio of medians and its 95% interval."""

    ratio: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the interval's width, relative to the ratio."""
        return (self.high - self.low) / (2 * self.ratio)

    def precise(self, milliseconds: float, half_width: float) -> bool:
        """Whether more processes need not be asked: it is narrow, or of times so short that it cannot be."""
        return self.half_width <= half_width or milliseconds < SHORT_MS

    def holds(self, value: float) -> bool:
        """Whether a value lies in the interval."""
        return self.low <= value <= self.high


def spread(side: Side) -> Spread:
    """Summarise a side; the median is the geometric mean of the processes' medians, as in `speedup`."""
    everything = np.concatenate([np.asarray(samples, dtype=np.float64) for samples in side])
    low, high = np.percentile(everything, (25, 75))
    median = math.exp(float(np.mean([math.log(np.median(samples)) for samples in side])))
    return Spread(median, float(high - low), everything.size, len(side))


def speedup(baseline: Side, candidate: Side, seed: int, resamples: int = 2000) -> Interval:
    """t_baseline / t_candidate with a bootstrap interval that resamples processes, then samples in each.

    Processes are few, and the bootstrap of n of them shows only (n-1)/n of their variance and a normal tail: their part
    is widened by sqrt(n/(n-1)) and by Student's t over the normal quantile. Without that, three processes each that
    differ by more than their samples do hold the true ratio in 81% of simulated cases instead of 95%. Raises ValueError
    for sides without samples or times that are not positive.
    """
    generator = np.random.default_rng(seed)
    freedom = len(baseline) + len(candidate) - 2
    (above, first), (below, second) = (_logs(side, generator, resamples, freedom) for side in (baseline, candidate))
    low, high = np.percentile(first - second, (2.5, 97.5))
    ratio = above - below
    return Interval(math.exp(ratio), math.exp(ratio - high), math.exp(ratio - low))


def _logs(
    side: Side, generator: np.random.Generator, resamples: int, freedom: int
) -> tuple[float, NDArray[np.float64]]:
    """The mean log median of a side, and how far it falls from that in each resample."""
    if not side or not all(len(samples) and min(samples) > 0 for samples in side):
        raise ValueError("every process needs samples, and every sample a positive time")
    within = np.empty((resamples, len(side)))
    medians = np.empty(len(side))
    for place, samples in enumerate(side):
        logs = np.log(np.asarray(samples, dtype=np.float64))
        medians[place] = np.median(logs)
        chosen = generator.integers(0, logs.size, (resamples, logs.size))
        within[:, place] = np.median(logs[chosen], axis=1) - medians[place]
    chosen = generator.integers(0, len(side), (resamples, len(side)))
    between = (medians - medians.mean())[chosen].mean(axis=1) * widening(len(side), freedom)
    return float(medians.mean()), between + np.take_along_axis(within, chosen, axis=1).mean(axis=1)


def widening(count: int, freedom: int) -> float:
    """What the resampled spread of the mean of a few (processes) is multiplied by; `freedom`: degrees of freedom."""
    if count < 2:
        return 1.0
    known = max((listed for listed in _STUDENT if 0 < listed <= freedom), default=1)
    quantile = _STUDENT[known] if freedom <= max(_STUDENT) else _STUDENT[0]
    return math.sqrt(count / (count - 1)) * quantile / _STUDENT[0]


def disagreement(events: Samples, wall: Samples) -> str:
    """Why the two clocks cannot both be right about one process; "" where they agree.

    Both are of runs on an idle device. The wall clock goes from before the first event is recorded until the device is
    idle, so it holds two recordings, the launch and the wake-up after the synchronisation: 10 to 40 us. More than 50 us
    and a quarter of the time means that something ran where the events did not see it, such as on another stream.
    Events never show more than the wall.
    """
    seen, whole = float(np.median(events)), float(np.median(wall))
    if whole - seen > max(WALL_SLACK_MS, WALL_SLACK_SHARE * seen):
        return f"the wall clock shows {whole:.4g} ms where events show {seen:.4g} ms"
    if seen > 1.05 * whole:
        return f"events show {seen:.4g} ms, more than the {whole:.4g} ms of the wall clock"
    return ""


def floor_ms(inputs_bytes: int, outputs_bytes: int, bandwidth_gb_s: float, l2_mb: float) -> float:
    """The least time that moving the data takes: inputs come from memory, as caches were flushed, and of the outputs
    as much as the L2 holds may still be there at the end. 0 where the bandwidth is not known."""
    if not bandwidth_gb_s:
        return 0.0
    return (inputs_bytes + max(0.0, outputs_bytes - l2_mb * 1e6)) / (bandwidth_gb_s * 1e6)


def doubts(timed: MeasuredTimes, floor: float) -> tuple[str, ...]:
    """Why one process's times need a second measurement: the clocks disagree, or it is faster than physics allows."""
    found = [disagreement(timed.direct, timed.wall)]
    fastest = min(float(np.median(series)) for series in (timed.events, timed.graph) if series)
    if fastest < floor:
        found.append(f"{fastest:.4g} ms is below the {floor:.4g} ms that moving inputs and outputs takes")
    return tuple(text for text in found if text)


def common_mode(sides: Mapping[str, Sequence[MeasuredTimes]]) -> str:
    """`graph` where every process of every side has it and some side is short by events, else `events`."""
    captured = all(timed.graph for side in sides.values() for timed in side)
    short = any(spread([timed.events for timed in side]).median < SHORT_MS for side in sides.values())
    return "graph" if captured and short else "events"


def series(side: Sequence[MeasuredTimes], mode: str) -> Side:
    """A side's samples in one mode."""
    return [timed.graph if mode == "graph" else timed.events for timed in side]


def report(sides: Mapping[str, Sequence[MeasuredTimes]], seed: int) -> dict[str, Any]:
    """Times and speedups of `candidate` against every other side, as JSON; each comparison in a mode both have.

    Keys: `times_ms`, `speedup`, `ci`, `mode` (by baseline) and `modes` (every mode's spread, by side). `times_ms` holds
    the candidate's time in the mode of the first comparison.
    """
    candidate = sides["candidate"]
    answer: dict[str, Any] = {"times_ms": {}, "speedup": {}, "ci": {}, "mode": {}, "modes": {}}
    for name, side in sides.items():
        captured = all(timed.graph for timed in side)
        answer["modes"][name] = {
            mode: asdict(spread(series(side, mode))) for mode in ("events", "graph") if mode == "events" or captured
        } | {clock: asdict(spread([getattr(timed, clock) for timed in side])) for clock in ("direct", "wall")}
        if name == "candidate":
            continue
        mode = common_mode({"candidate": candidate, name: side})
        found = speedup(series(side, mode), series(candidate, mode), seed)
        answer["times_ms"].setdefault("candidate", spread(series(candidate, mode)).median)
        answer["times_ms"][name] = spread(series(side, mode)).median
        answer["speedup"][name], answer["ci"][name] = found.ratio, [found.low, found.high]
        answer["mode"][name] = mode
    return answer
