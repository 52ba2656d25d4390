"""What a benchmark of a policy found: pass@k, fast_p, and what wrong answers failed for."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console

from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.measures import speedup
from kernelwright.agent.trajectory import Trajectory
from kernelwright.driver.run.intervals import mean_interval
from kernelwright.driver.run.tables import print_line, print_rows

Rows = Sequence[Mapping[str, Any]]
#: KernelBench's thresholds of speedups over eager PyTorch.
THRESHOLDS = (1.0, 1.2, 1.5, 2.0)
_MOST_CLASSES = 12
_LONGEST = 100
#: Letters of a program that still name something.
_FEW = 40


def answer_row(made: Trajectory) -> dict[str, Any]:
    """One trajectory as JSON values: whether it is right, since which turn, how fast; else what it failed for."""
    right = [number for number, turn in enumerate(made.turns, 1) if turn.verified]
    last = made.turns[-1]
    if not right:
        fault = not last.valid
        return {"correct": False, "fault": fault, "class": "fault" if fault else failure_class(last.verdict)}
    known = [speedup(made.turns[number - 1].verdict) for number in right]
    times = [value for value in known if value is not None]
    by_turn = [[number, value] for number, value in zip(right, known, strict=True)]
    return {"correct": True, "turn": right[0], "speedup": max(times, default=None), "by_turn": by_turn}


def failure_class(verdict: Verdict) -> str:
    """What an answer failed for: its status, and its first diagnostic with numbers left out.

    The program's own words are part of it where they are few: they name the import or the function concerned.
    """
    said = verdict.detail.partition("\n")[0]
    if verdict.diagnostics:
        first = verdict.diagnostics[0]
        said = f"{first.message} ({first.text})" if first.text and len(first.text) <= _FEW else first.message
    text = re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[-+]?\d+)?", "#", " ".join(said.split()))
    return f"{verdict.status}: {text[:_LONGEST]}".rstrip(": ")


def pass_at_k(right: int, drawn: int, k: int) -> float:
    """The chance that one of k answers is right, of `drawn` of which `right` are (Chen et al., 2021; unbiased)."""
    return 1.0 - math.comb(drawn - right, k) / math.comb(drawn, k)


def summarize_bench(rows: Rows, n: int, turns: int = 1) -> dict[str, Any]:
    """Everything that the table shows, as JSON values. Each problem has `n` trajectories of up to `turns` turns.

    A problem without answers, set aside for its program or its prompt, counts as one with `n` wrong answers. Faults of
    the machine count as wrong, and are counted. Speedups are over eager PyTorch; where nothing was timed, fast_p is
    None. Means are over problems, with bootstrap intervals of 95%.
    """
    levels = sorted({row["level"] for row in rows if row.get("level") is not None})
    parts = {"all": rows} | ({f"level {one}": [row for row in rows if row.get("level") == one] for one in levels})
    answers = [answer for row in rows for answer in row["answers"]]
    wrong = Counter(answer["class"] for answer in answers if not answer["correct"])
    wrong += Counter({str(row["aside"]): n for row in rows if row.get("aside")})
    total = n * len(rows)
    return {
        "problems": len(rows),
        "answers": total,
        "faults": sum(bool(answer.get("fault")) for answer in answers),
        "set_aside": sorted(str(row["problem"]) for row in rows if row.get("aside")),
        "parts": {name: _part(some, n) for name, some in parts.items() if some},
        "by_turn": _by_turn([[answer] for answer in answers], total, turns),
        "by_budget": {
            str(n * int(turn)): shares
            for turn, shares in _by_turn([row["answers"] for row in rows], len(rows), turns).items()
        },
        "failures": {name: {"answers": many, "share": many / total} for name, many in wrong.most_common()},
    }


def _part(rows: Rows, n: int) -> dict[str, Any]:
    right = [sum(answer["correct"] for answer in row["answers"]) for row in rows]
    ks = sorted({k for k in (1, 2, 4, 8, 16, 32, 64, n) if k <= n})
    timed = any(answer.get("speedup") is not None for row in rows for answer in row["answers"])
    faster = {
        f"{p:g}": _estimate([sum((one.get("speedup") or 0.0) > p for one in row["answers"]) / n for row in rows])
        if timed
        else None
        for p in THRESHOLDS
    }
    return {
        "problems": len(rows),
        "pass_at": {str(k): _estimate([pass_at_k(one, n, k) for one in right]) for k in ks},
        "fast": {"0": _estimate([one / n for one in right]), **faster},
    }


def _by_turn(groups: Sequence[Rows], total: int, turns: int) -> dict[str, Any]:
    """Test-time scaling: fast_p by turn. A group is a set of trajectories that are counted together: one trajectory for
    the curve by turn, and all trajectories of a problem for the curve by budget.

    fast_p is the share of groups that have, by that turn, a right answer that is more than p times as fast; fast_0
    counts any right answer. `best` is the geometric mean of the groups' best speedups by that turn, over the groups
    that have a timed right answer.
    """
    tried = [[pair for answer in group for pair in answer.get("by_turn", ())] for group in groups]
    last = max((turn for some in tried for turn, _ in some), default=0)
    timed = any(value is not None for some in tried for _, value in some)
    curve: dict[str, Any] = {}
    for by in range(1, max(turns, last) + 1):
        best = [max((value or 0.0 for turn, value in some if turn <= by), default=None) for some in tried]
        right = [one for one in best if one is not None]
        shares: dict[str, Any] = {"0": len(right) / total}
        if timed:
            known = [one for one in right if one > 0]
            shares |= {f"{p:g}": sum(one > p for one in known) / total for p in THRESHOLDS}
            shares["best"] = math.exp(sum(map(math.log, known)) / len(known)) if known else None
        curve[str(by)] = shares
    return curve


def _estimate(values: Sequence[float]) -> dict[str, Any]:
    found = mean_interval(np.array([values], dtype=np.float64))
    assert found is not None, "a part has problems"
    bounds = (bound if math.isfinite(bound) else None for bound in (found.low, found.high))
    low, high = (None if bound is None else min(1.0, max(0.0, bound)) for bound in bounds)
    return {"value": found.value, "low": low, "high": high}


def print_bench(summary: Mapping[str, Any], console: Console) -> None:
    """A row for each part of the suite, then what answers failed for."""
    parts = summary["parts"]
    first = parts["all"]
    ks = list(first["pass_at"])
    speeds = [p for p in first["fast"] if p != "0" and any(part["fast"][p] for part in parts.values())]
    headings = ("part", "problems", *(f"pass@{k}" for k in ks), *(f"fast_{p}" for p in speeds))
    rows = [
        [name, str(part["problems"]), *(_shown(part["pass_at"][k]) for k in ks)]
        + [_shown(part["fast"][p]) for p in speeds]
        for name, part in parts.items()
    ]
    print_rows(console, summary["title"], headings, rows)
    print_line(console, "means over problems of shares of answers, with 95% intervals; fast_p is the share that is "
                        "right and more than p times as fast as eager PyTorch")  # fmt: skip
    if len(summary["by_turn"]) > 1:
        _print_scaling(summary, console)
    if not speeds:
        print_line(console, "nothing was timed: fast_p for p of 1 and more needs the rung time, on a GPU")
    classes = list(summary["failures"].items())
    for name, found in classes[:_MOST_CLASSES]:
        print_line(console, f"{100 * found['share']:5.1f}%  {name}")
    if len(classes) > _MOST_CLASSES:
        print_line(console, f"and {len(classes) - _MOST_CLASSES} more classes of failures, in summary_bench.json")
    if summary["set_aside"]:
        print_line(console, f"{len(summary['set_aside'])} problems were set aside and count as wrong: set_aside.jsonl")
    if summary["faults"]:
        print_line(console, f"{summary['faults']} answers could not be judged and count as wrong")


def _print_scaling(summary: Mapping[str, Any], console: Console) -> None:
    """Two curves: of single trajectories by turn, and of problems by the answers that they have had."""
    for key, what in (("by_turn", "trajectories, by turn"), ("by_budget", "problems, by answers so far")):
        curve = summary[key]
        names = [name for name in next(iter(curve.values())) if name != "best"]
        timed = any(shares.get("best") is not None for shares in curve.values())
        rows = [
            [at, *(f"{shares[name]:.3f}" for name in names)]
            + ([f"{shares['best']:.2f}x" if shares["best"] else "-"] if timed else [])
            for at, shares in curve.items()
        ]
        headings = (what, *(f"fast_{name}" for name in names), *(["best"] if timed else []))
        print_rows(console, f"best so far: {what}", headings, rows)


def _shown(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "-"
    value = f"{found['value']:.3f}"
    if found["low"] is None or found["low"] == found["high"]:
        return value
    return f"{value} [{found['low']:.2f}, {found['high']:.2f}]"
