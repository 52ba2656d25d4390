"""How the winners of searches do beside eager PyTorch and Inductor, each timed with both by the evaluator."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.kernelbench.kernelbench_summary import DEFAULT, EAGER, summarize
from kernelwright.driver.run.intervals import mean_interval

#: Below these shares of the faster baseline a winner counts as slower, or as a failure.
SLOWER, FAILED = 0.97, 0.90
#: The faster of both baselines.
FASTER = f"best of {EAGER}, {DEFAULT}"

Row = Mapping[str, Any]


def beside_baselines(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Both tables of the searches of a mode: what is `shipped`, where a baseline counts that is faster than the winner
    or where nothing was verified, and the search's `own` winners. None where no winner was timed."""
    timed = [row for row in rows if row.get("speedups")]
    if not timed:
        return None
    levels = sorted({level for row in rows if (level := _level(row)) is not None})
    groups = {"all": rows} | {f"level {level}": [row for row in rows if _level(row) == level] for level in levels}
    told = summarize([_timed(row) for row in rows])
    shipped = {name: {key: told[name][key] for key in ("problems", "results", "over")} for name in groups}
    return {"shipped": shipped, "own": {name: _own(group) for name, group in groups.items()}}


def _level(row: Row) -> int | None:
    level, _, number = row["problem"].partition("_")
    return int(level) if number and level.isdecimal() else None


def _timed(row: Row) -> dict[str, Any]:
    """The row as `summarize` takes it: times are those of the evaluator, with the winner's as their unit."""
    told = {"status": row["status"], "level": _level(row), "spec": row.get("best", ""), "how": "measured"}
    speedup = row.get("speedups", {})
    return told | {"speedup": speedup, "times_ms": {"candidate": 1.0, **speedup}} if speedup else told


def _own(rows: Sequence[Row]) -> dict[str, Any]:
    found = {row["problem"]: row["speedups"] for row in rows if row.get("speedups")}
    faster = {problem: min(ratios.values()) for problem, ratios in found.items()}
    by_baseline = {name: [ratios[name] for ratios in found.values() if name in ratios] for name in (EAGER, DEFAULT)}
    by_baseline[FASTER] = list(faster.values())
    return {
        "problems": len(rows),
        "over": {name: _mean(ratios) for name, ratios in by_baseline.items()},
        f"at_least_{SLOWER}": round(sum(ratio >= SLOWER for ratio in faster.values()) / len(rows), 3) if rows else None,
        f"below_{FAILED}": sorted(name for name, ratio in faster.items() if ratio < FAILED),
        "slower": {name: ratio for name, ratio in sorted(faster.items()) if ratio < SLOWER},
        "nothing_timed": sorted(row["problem"] for row in rows if not row.get("speedups")),
    }


def _mean(ratios: Sequence[float]) -> dict[str, Any]:
    """The geometric mean with its 95% interval over problems."""
    found = mean_interval(np.log([ratios])) if ratios else None
    if found is None:
        return {"problems": 0, "geomean": None, "ci": None}
    ends = [round(math.exp(end), 4) for end in (found.low, found.high)] if math.isfinite(found.low) else None
    return {"problems": len(ratios), "geomean": round(math.exp(found.value), 4), "ci": ends}
