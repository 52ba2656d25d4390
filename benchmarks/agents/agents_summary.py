"""Summarize the rows of `agents.py`: rates of right answers, and differences between arms, with intervals.

Intervals are 95%: Wilson's for shares, bootstrap over problems for rates and for paired differences.
"""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from kernelwright.driver.run.intervals import wilson

RESAMPLES = 4000


def share(right: int, count: int) -> tuple[float, float, float]:
    """A share with Wilson's 95% interval."""
    return (right / count, *wilson(right / count, count)) if count else (math.nan, math.nan, math.nan)


def bootstrap(values: Sequence[Any], statistic: Any, seed: int = 0) -> tuple[float, float, float]:
    """A statistic of problems with its 95% percentile interval."""
    if not values:
        return math.nan, math.nan, math.nan
    draw = random.Random(seed)
    found = sorted(statistic(draw.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return statistic(values), found[int(0.025 * RESAMPLES)], found[int(0.975 * RESAMPLES) - 1]


def mean(values: Sequence[float]) -> float:
    """Their mean, added up exactly."""
    return math.fsum(values) / len(values)


def pass_at(right: int, n: int, k: int) -> float:
    """The chance that k of n answers, of which some are right, hold a right one."""
    return 1.0 - math.comb(n - right, k) / math.comb(n, k) if n - right >= k else 1.0


def rates(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """suite/mode/arm -> problem -> statuses; answers that the framework failed on are left out."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for row in rows:
        statuses = [status for status in row["statuses"] if status != "fault"]
        if statuses:
            found[f"{row['suite']}/{row['mode']}/{row['arm']}"][row["problem"]] = statuses
    return found


def summary(rows: Sequence[dict[str, Any]], k: int) -> dict[str, Any]:
    """What the run found: rates with intervals, and paired differences of arms in the order given."""
    by_key, found = rates(rows), dict[str, Any]()
    for key, problems in by_key.items():
        right = {name: mean([status == "ok" for status in some]) for name, some in problems.items()}
        every = Counter(status for some in problems.values() for status in some)
        answers = sum(every.values())
        entry: dict[str, Any] = {"problems": len(problems), "answers": answers, "statuses": dict(every)}
        if "/greedy/" in key:
            entry["single"] = share(every["ok"], answers)
        else:
            entry["single"] = bootstrap(list(right.values()), mean)
            at = [pass_at(some.count("ok"), len(some), k) for some in problems.values() if len(some) >= k]
            if at:
                entry[f"pass@{k}"] = bootstrap(at, mean)
        entry["cheat"] = share(every["cheat"], answers)
        found[key] = entry
    return {"rates": found, "differences": _differences(by_key, k)}


def _differences(by_key: dict[str, dict[str, list[str]]], k: int) -> dict[str, Any]:
    """Each arm against the one before it, problem by problem."""
    arms: dict[str, list[str]] = defaultdict(list)
    for key in by_key:
        place, _, arm = key.rpartition("/")
        arms[place].append(arm)
    found: dict[str, Any] = {}
    for place, names in arms.items():
        for before, after in pairwise(names):
            first, second = by_key[f"{place}/{before}"], by_key[f"{place}/{after}"]
            shared = sorted(set(first) & set(second))
            pairs = [(mean([s == "ok" for s in first[p]]), mean([s == "ok" for s in second[p]])) for p in shared]
            entry: dict[str, Any] = {"problems": len(pairs)}
            entry["single"] = bootstrap(pairs, lambda some: mean([b - a for a, b in some]))
            entry["errors_removed"] = bootstrap(pairs, _removed)
            both = [(first[p], second[p]) for p in shared if min(len(first[p]), len(second[p])) >= k]
            at = [(pass_at(a.count("ok"), len(a), k), pass_at(b.count("ok"), len(b), k)) for a, b in both]
            if at:
                entry[f"pass@{k}"] = bootstrap(at, lambda some: mean([b - a for a, b in some]))
            found[f"{place}/{after} - {before}"] = entry
    return found


def _removed(pairs: Sequence[tuple[float, float]]) -> float:
    """The share of the first arm's errors that the second does not make; 0 where there are none."""
    wrong = math.fsum(1 - before for before, _ in pairs)
    return math.fsum(after - before for before, after in pairs) / wrong if wrong else 0.0


def table(found: dict[str, Any]) -> Iterator[str]:
    """The summary as lines."""
    for part in ("rates", "differences"):
        for key, entry in found[part].items():
            figures = [
                f"{name} {value:.3f} [{low:.3f}, {high:.3f}]"
                for name, (value, low, high) in ((n, v) for n, v in entry.items() if isinstance(v, tuple | list))
            ]
            yield f"{key:44} n={entry['problems']:<4} " + "  ".join(figures)
