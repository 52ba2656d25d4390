"""Summarize the rows of `midend_agents.py`: speedups of arms and their quotients, with intervals."""

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.agents.agents_summary import bootstrap, mean

#: The arm whose evaluations are a search's, one after another: it has no single attempts.
SEARCH = "search"


def logs_of(row: Mapping[str, Any]) -> list[float]:
    """The logarithm of each attempt's speedup; 0 where the given module is kept."""
    return [math.log(row["given_us"] / us) if us else 0.0 for us in row["us"]]


def measures(row: Mapping[str, Any], n: int) -> dict[str, float]:
    """Logarithms of speedups of one module: of a single attempt, and of the best of n where there were so many."""
    logs = logs_of(row)
    found = {"best": max(0.0, *logs, 0.0)}
    if row["arm"] != SEARCH:
        found["single"] = statistics.fmean(logs)
    return found if row["arm"] == SEARCH or len(logs) >= n else {"single": found["single"]}


def geometric(values: Sequence[float]) -> float:
    """The geometric mean of what these are logarithms of."""
    return math.exp(mean(values))


def summary(rows: Sequence[dict[str, Any]], n: int) -> dict[str, Any]:
    """Speedups of arms, and quotients of every two of them on the same modules, with intervals."""
    by_arm: dict[str, dict[str, dict[str, float]]] = {}
    statuses: dict[str, Counter[str]] = {}
    for row in rows:
        by_arm.setdefault(row["arm"], {})[row["module"]] = measures(row, n)
        statuses.setdefault(row["arm"], Counter()).update(row["statuses"])
    found: dict[str, Any] = {"speedups": {}, "quotients": {}}
    for arm, some in by_arm.items():
        entry: dict[str, Any] = {"modules": len(some), "statuses": dict(statuses[arm])}
        for what in ("single", "best"):
            values = [one[what] for one in some.values() if what in one]
            if values:
                entry[what] = bootstrap(values, geometric)
        found["speedups"][arm] = entry
    names = list(by_arm)
    for index, one in enumerate(names):
        for other in names[:index]:
            entry = {}
            for what in ("single", "best"):
                shared = [
                    by_arm[one][name][what] - by_arm[other][name][what]
                    for name in by_arm[one]
                    if what in by_arm[one][name] and what in by_arm[other].get(name, {})
                ]
                if shared:
                    entry[what] = bootstrap(shared, geometric)
            found["quotients"][f"{one} / {other}"] = entry
    return found


def table(found: dict[str, Any]) -> Iterator[str]:
    """The summary as lines."""
    for part in ("speedups", "quotients"):
        for key, entry in found[part].items():
            figures = [
                f"{name} {entry[name][0]:.3f}x [{entry[name][1]:.3f}, {entry[name][2]:.3f}]"
                for name in entry
                if name in ("single", "best")
            ]
            yield f"{key:24} " + "  ".join([*figures, *([str(entry["statuses"])] if "statuses" in entry else [])])
