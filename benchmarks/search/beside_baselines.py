"""How the winners of searches do beside eager PyTorch and Inductor, each timed with both by the evaluator."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.kernelbench.kernelbench_summary import DEFAULT, EAGER, geometric_mean, summarize

#: Below these shares of the faster baseline's speed a winner counts as slower, or as a failure.
SLOWER, FAILED = 0.97, 0.90
#: The faster of both baselines.
FASTER = f"best of {EAGER}, {DEFAULT}"

Row = Mapping[str, Any]


def beside_baselines(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Both tables of the searches of a mode: of the winners (`own`), and of the fastest of winner, eager and Inductor,
    where a problem without a winner counts as 1 (`fastest`). None where no winner was timed."""
    if not any(row.get("speedups") for row in rows):
        return None
    levels = sorted({level for row in rows if (level := _level(row)) is not None})
    groups = {"all": rows} | {f"level {level}": [row for row in rows if _level(row) == level] for level in levels}
    told = summarize([_timed(row) for row in rows])
    fastest = {name: {key: told[name][key] for key in ("problems", "results", "over")} for name in groups}
    return {"own": {name: _own(group) for name, group in groups.items()}, "fastest": fastest}


def _level(row: Row) -> int | None:
    level, _, number = row["problem"].partition("_")
    return int(level) if number and level.isdecimal() else None


def _timed(row: Row) -> dict[str, Any]:
    """The row as `summarize` takes it: times are those of the evaluator, with the winner's as their unit."""
    told = {"status": row["status"], "level": _level(row), "spec": row.get("best", "")}
    speedup = row.get("speedups") or {}
    return told | {"speedup": speedup, "times_ms": {"candidate": 1.0, **speedup}} if speedup else told


def _own(rows: Sequence[Row]) -> dict[str, Any]:
    found = {row["problem"]: row["speedups"] for row in rows if row.get("speedups")}
    faster = {problem: min(ratios.values()) for problem, ratios in found.items()}
    over = {name: [ratios[name] for ratios in found.values() if name in ratios] for name in (EAGER, DEFAULT)}
    over[FASTER] = list(faster.values())
    return {
        "problems": len(rows),
        "winners": len(found),
        "over": {name: geometric_mean(ratios) for name, ratios in over.items()},
        f"at_least_{SLOWER}": sum(ratio >= SLOWER for ratio in faster.values()),
        f"below_{FAILED}": sorted(name for name, ratio in faster.items() if ratio < FAILED),
        "slower": {name: ratio for name, ratio in sorted(faster.items()) if ratio < SLOWER},
        "without": {row["problem"]: _why(row) for row in rows if not row.get("speedups")},
    }


def _why(row: Row) -> str:
    """Why a problem has no winner that was timed: what its search raised, or the evaluator said of the winner."""
    return str(row.get("cause") or row.get("timing") or row["status"])
