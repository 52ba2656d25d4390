"""What an ablation found: for each arm how much is verified and how fast it is, and how it differs from the first."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from rich.console import Console

from kernelwright.driver.run.intervals import Estimate, Values, mean_interval, share_interval
from kernelwright.driver.run.tables import print_line, print_rows
from kernelwright.ir.notebook import html_table

Rows = Sequence[Mapping[str, Any]]
_LARGEST_LOG = 700.0


def summarize_arms(rows: Rows, arms: Sequence[str], seeds: Sequence[int], problems: Sequence[str]) -> dict[str, Any]:
    """Everything that the table shows, as JSON values.

    A row counts as verified where its status is ok. Speedups are of verified rows and their means geometric; where
    rows were not all obtained in one way (`caliber`), there are none. Differences are of rows with the same problem
    and seed: `verified_difference` in shares, `speedup_ratio` where both are verified. Intervals are of 95%.
    """
    calibers = sorted({str(row["how"]) for row in rows if row.get("speedup") is not None})
    shares = {arm: _values([row for row in rows if row["arm"] == arm], seeds, problems, _verified) for arm in arms}
    speed = _log_speedup if len(calibers) == 1 else _unknown
    logs = {arm: _values([row for row in rows if row["arm"] == arm], seeds, problems, speed) for arm in arms}
    return {
        "problems": len(problems),
        "seeds": list(seeds),
        "rows": len(rows),
        "rows_wanted": len(arms) * len(seeds) * len(problems),
        "caliber": calibers[0] if len(calibers) == 1 else None,
        "calibers": calibers,
        "shrunken": sum(bool(row.get("shrunken")) for row in rows),
        "arms": [_arm(arm, arms[0], rows, shares, logs) for arm in arms],
    }


def _arm(arm: str, first: str, rows: Rows, shares: Mapping[str, Values], logs: Mapping[str, Values]) -> dict[str, Any]:
    own = [row for row in rows if row["arm"] == arm]
    found: dict[str, Any] = {
        "arm": arm,
        "problems": len({row["problem"] for row in own}),
        "rows": len(own),
        "by_status": dict(sorted(Counter(str(row["status"]) for row in own).items())),
        "verified": _json(share_interval(shares[arm])),
        "speedup": _json(_exp(mean_interval(logs[arm]))),
    }
    if arm != first:
        found["verified_difference"] = _json(_within(mean_interval(shares[arm] - shares[first]), 1.0))
        found["speedup_ratio"] = _json(_exp(mean_interval(logs[arm] - logs[first])))
    return found


def _values(rows: Rows, seeds: Sequence[int], problems: Sequence[str], value: Any) -> Values:
    """(S, P) a row's value, NaN where there is no row."""
    found = np.full((len(seeds), len(problems)), math.nan)
    for row in rows:
        found[seeds.index(row["seed"]), problems.index(row["problem"])] = value(row)
    return found


def _verified(row: Mapping[str, Any]) -> float:
    return float(row["status"] == "ok")


def _log_speedup(row: Mapping[str, Any]) -> float:
    speedup = row.get("speedup")
    return math.log(speedup) if speedup and row["status"] == "ok" else math.nan


def _unknown(row: Mapping[str, Any]) -> float:
    del row
    return math.nan


def _exp(found: Estimate | None) -> Estimate | None:
    """An estimate of logarithms as one of ratios; a bound that is not known stays so."""
    if found is None:
        return None
    low, high = (math.exp(bound) if abs(bound) < _LARGEST_LOG else bound for bound in (found.low, found.high))
    return Estimate(math.exp(found.value), low, high, found.pairs)


def _within(found: Estimate | None, bound: float) -> Estimate | None:
    return None if found is None else replace(found, low=max(-bound, found.low), high=min(bound, found.high))


def _json(found: Estimate | None) -> dict[str, Any] | None:
    """As JSON values, which know no infinity: None for a bound that is not known."""
    return (
        None
        if found is None
        else {name: value if math.isfinite(value) else None for name, value in asdict(found).items()}
    )


def _title(summary: Mapping[str, Any]) -> str:
    seeds = summary["seeds"]
    told = f"{'seed' if len(seeds) == 1 else 'seeds'} {', '.join(map(str, seeds))}"
    return f"{summary['name']}: {summary['problems']} problems, {told}"


def summary_html(summary: Mapping[str, Any]) -> str:
    """The same table and lines as HTML, for a notebook."""
    first = summary["arms"][0]["arm"]
    headings = ("arm", "problems", "verified", f"against {first}", "speedup", f"against {first}")
    return html_table(_title(summary), headings, map(_cells, summary["arms"]), _notes(summary, first))


def print_arms(summary: Mapping[str, Any], console: Console) -> None:
    """One row an arm; below it what the figures are."""
    first = summary["arms"][0]["arm"]
    headings = ("arm", "problems", "verified", f"against {first}", "speedup", f"against {first}")
    print_rows(console, _title(summary), headings, [_cells(arm) for arm in summary["arms"]])
    for line in _notes(summary, first):
        print_line(console, line)


def _cells(arm: Mapping[str, Any]) -> list[str]:
    return [
        arm["arm"],
        str(arm["problems"]),
        _shown(arm["verified"], lambda share: f"{100 * share:.0f}", "%"),
        _shown(arm.get("verified_difference"), lambda share: f"{100 * share:+.0f}", "%"),
        _shown(arm["speedup"], lambda ratio: f"{ratio:.2f}", "x") + _of(arm["speedup"], arm["rows"]),
        _shown(arm.get("speedup_ratio"), lambda ratio: f"{ratio:.2f}", "x")
        + _of(arm.get("speedup_ratio"), arm["rows"]),
    ]


def _shown(found: Mapping[str, Any] | None, spell: Callable[[float], str], unit: str) -> str:
    """Value and interval; where all pairs are equal there is nothing to resample, and no interval."""
    if found is None:
        return "-"
    value = spell(found["value"])
    if found["low"] == found["high"]:  # None for both of one problem alone
        return f"{value}{unit}" if found["low"] is None else f"{value}{unit}, all alike"
    low, high = ("?" if found[name] is None else spell(found[name]) for name in ("low", "high"))
    return f"{value}{unit} [{low}, {high}]"


def _of(found: Mapping[str, Any] | None, rows: int) -> str:
    """Of how many rows a figure is, where it is not of all."""
    return "" if found is None or found["pairs"] == rows else f" of {found['pairs']}"


def _notes(summary: Mapping[str, Any], first: str) -> list[str]:
    """What the figures are, and what is wrong with them."""
    baseline, caliber = summary["made_with"]["baseline"], summary["caliber"]
    notes = [f"95% intervals; differences from {first} and ratios to it, for the same problem and seed"]
    if caliber:
        against = f", against `{baseline}`" if caliber.startswith("estimated") else ""
        notes.append(f"speedup: geometric mean of verified rows, {caliber}{against}")
    elif summary["calibers"]:
        notes.append(f"speedup: not shown, because the rows have different calibers ({'; '.join(summary['calibers'])})")
    if summary["shrunken"]:
        notes.append(f"{summary['shrunken']} of {summary['rows']} rows at shrunken sizes")
    if summary["rows"] < summary["rows_wanted"]:
        notes.append(
            f"unfinished: {summary['rows']} of {summary['rows_wanted']} rows; the same command resumes the run"
        )
    faults = sum(arm["by_status"].get(status, 0) for arm in summary["arms"] for status in ("error", "crash"))
    if faults:
        notes.append(
            f"{faults} rows ended by an error or a crash count as not verified; the same command tries them again"
        )
    return notes
