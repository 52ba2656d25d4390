"""Summarize the rows of `kernelbench.py`: speedups with intervals, shares, and distances to the floor.

The result of a problem is the fastest verified of eager, Inductor default and the candidate, as measured side by
side. Where a baseline is the fastest, it is the result, and its ratio to itself is 1. A row without times had nothing
verified: it runs as it would without Kernelwright, so its ratios are 1, and it is faster than nothing.
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.kernelbench.kernelbench_problem import PLAIN
from kernelwright.driver.run.intervals import mean_interval

EAGER, DEFAULT, MAX_AUTOTUNE = "eager", "inductor", "inductor-max-autotune"
#: What a result may be instead of the candidate.
HANDED_BACK = (EAGER, DEFAULT, PLAIN)
FAST = (1.0, 1.2, 1.5, 2.0)
#: From which ratio of Inductor's time to the floor on a problem is one of the worst offenders.
OFFENDER = 3.0

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What a problem is given. `ratio`: by baseline, its time over the result's; `own`: the same of the candidate.

    `handed_back`: the result is a baseline, or PyTorch as it is where no candidate was verified. `low`: by baseline,
    the lower end of the candidate's interval. `time_ms` is the result's, None where not known.
    """

    winner: str
    handed_back: bool = True
    ratio: Mapping[str, float] = field(default_factory=dict)
    own: Mapping[str, float] = field(default_factory=dict)
    low: Mapping[str, float] = field(default_factory=dict)
    time_ms: float | None = None

    def over(self, baselines: Sequence[str]) -> float:
        """The result's ratio to the fastest of these; 1 where nothing was measured."""
        return min((self.ratio[name] for name in baselines if name in self.ratio), default=1.0)

    def candidate_over(self, baselines: Sequence[str]) -> float | None:
        """The candidate's own ratio to the fastest of these."""
        return min((self.own[name] for name in baselines if name in self.own), default=None)

    def surely_faster(self, baselines: Sequence[str]) -> bool:
        """Whether the result is the candidate and its interval lies above 1 against each of these."""
        measured = [self.low.get(name, 0.0) for name in baselines if name in self.own]
        return not self.handed_back and bool(measured) and min(measured) > 1.0


def outcome(row: Row) -> Outcome:
    """The fastest verified: a decision by the medians of one interleaved measurement."""
    own = dict(row.get("speedup", {}))
    if row["status"] != "ok" or not own:
        return Outcome("eager or inductor")
    fastest = min((name for name in HANDED_BACK if name in own), key=lambda name: own[name], default="")
    low = {name: ends[0] for name, ends in row.get("ci", {}).items()}
    if fastest and own[fastest] < 1.0:
        ratio = {name: value / own[fastest] for name, value in own.items()}
        return Outcome(fastest, True, ratio, own, low, row["times_ms"][fastest])
    return Outcome(str(row["spec"]), False, own, own, low, row["times_ms"]["candidate"])


def summarize(rows: Sequence[Row], floors: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Figures of all rows and of each level; `floors` is the content of a floors file."""
    levels = sorted({row["level"] for row in rows if row.get("level") is not None})
    groups = {"all": list(rows)} | {f"level {n}": [row for row in rows if row.get("level") == n] for n in levels}
    how = sorted({row["how"] for row in rows if "how" in row})
    return {"how": how} | {name: _figures(group, floors) for name, group in groups.items()}


def _figures(rows: Sequence[Row], floors: Mapping[str, Any] | None) -> dict[str, Any]:
    outcomes = [outcome(row) for row in rows]
    measured = {name for found in outcomes for name in found.ratio}
    usual = [name for name in HANDED_BACK if name in measured]
    statuses = [row["status"] for row in rows]
    figures: dict[str, Any] = {
        "problems": len(rows),
        "by_status": {status: statuses.count(status) for status in dict.fromkeys(statuses)},
        "results": {name: sum(found.handed_back and found.winner == name for found in outcomes) for name in usual}
        | {"candidate": sum(not found.handed_back for found in outcomes)},
        "over": {name: _over(outcomes, [name]) for name in (*usual, MAX_AUTOTUNE) if name in measured},
    }
    if len(usual) > 1:
        figures["over"]["best of " + ", ".join(usual)] = _over(outcomes, usual)
    if MAX_AUTOTUNE in measured:
        all_three = [*usual, MAX_AUTOTUNE]
        figures["over"]["best of " + ", ".join(all_three)] = _over(outcomes, all_three)
    own = [value for found in outcomes if (value := found.candidate_over(usual)) is not None]
    figures["surely_faster"] = _rounded(_share(outcomes, lambda found: found.surely_faster(usual)))
    figures["worst_result"] = _rounded(min((found.over(usual) for found in outcomes), default=None))
    figures["worst_candidate"] = _rounded(min(own, default=None))
    if floors is not None:
        figures["floor"] = _to_floor(rows, outcomes, floors)
    return figures


def _over(outcomes: Sequence[Outcome], baselines: Sequence[str]) -> dict[str, Any]:
    """Geometric mean with its interval over problems, and fast_p: the share that is more than p times as fast.

    Rows that lack the slow baseline are left out; those without any times count as 1.
    """
    kept = [found for found in outcomes if not found.ratio or all(name in found.ratio for name in baselines)]
    ratios = [found.over(baselines) for found in kept]
    fast = {f"{p:g}": _rounded(_share(ratios, lambda ratio, p=p: ratio > p)) for p in FAST}
    return geometric_mean(ratios) | {"fast": fast}


def geometric_mean(ratios: Sequence[float]) -> dict[str, Any]:
    """The geometric mean of ratios with its 95% interval over problems; None where there is none."""
    found = mean_interval(np.log([ratios])) if ratios else None
    ends = None if found is None or not math.isfinite(found.low) else [math.exp(found.low), math.exp(found.high)]
    return {
        "problems": len(ratios),
        "geomean": None if found is None else _rounded(math.exp(found.value)),
        "ci": ends and [_rounded(end) for end in ends],
    }


def _share(values: Sequence[Any], holds: Callable[[Any], bool]) -> float | None:
    return sum(map(holds, values)) / len(values) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


@dataclass(frozen=True)
class Floor:
    """The least time of a problem: moving its bytes, or its FLOPs, at the ceilings of the floors file."""

    memory_ms: float
    compute_ms: float
    bytes: int
    flops: int
    inductor_ms: float

    @property
    def ms(self) -> float:
        """The greater of the two."""
        return max(self.memory_ms, self.compute_ms)

    @property
    def memory_bound(self) -> bool:
        """Whether moving bytes takes longer."""
        return self.memory_ms > self.compute_ms


def floor_of(row: Row, floors: Mapping[str, Any]) -> Floor | None:
    """A problem's floor at its numerics: of `torch`, which is PyTorch's default, convolutions may use TF32 and other
    products may not. Floors are known of fp32 programs alone, and say nothing of times that are estimates."""
    entry = floors.get(f"level{row.get('level')}", {}).get(row.get("problem"))
    numerics = row.get("numerics", "torch")
    if entry is None or row.get("how", "measured") != "measured" or row.get("shrunken") or numerics == "bf16":
        return None
    fast = numerics == "tf32" or (numerics == "torch" and row["convolution"])
    compute = entry["floor_tf32_ms" if fast else "floor_fp32_ms"]
    return Floor(entry["floor_memory_ms"], compute, entry["bytes"], entry["flops"], entry["inductor_default_ms"])


def _to_floor(rows: Sequence[Row], outcomes: Sequence[Outcome], floors: Mapping[str, Any]) -> dict[str, Any]:
    known = [(found, floor) for row, found in zip(rows, outcomes, strict=True) if (floor := floor_of(row, floors))]
    ratios = [(found.time_ms / floor.ms, floor) for found, floor in known if found.time_ms]
    bound = [ratio for ratio, floor in ratios if floor.memory_bound]
    improved = [found.over([DEFAULT]) for found, floor in known if floor.inductor_ms / floor.ms > OFFENDER]
    return {
        "problems": len(ratios),
        "geomean": _rounded(statistics.geometric_mean([ratio for ratio, _ in ratios])) if ratios else None,
        "memory_bound": {"problems": len(bound), "median": _rounded(statistics.median(bound)) if bound else None},
        "worst_offenders": {
            "problems": len(improved),
            "median_over_inductor": _rounded(statistics.median(improved)) if improved else None,
        },
    }
