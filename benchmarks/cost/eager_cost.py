"""Measure how near the cost model's estimate of eager PyTorch is to measured times.

usage: python -m benchmarks.cost.eager_cost --problems kernelbench.jsonl --measured FILE [--out FILE]

--problems holds KernelBench's problems; `kernelwright data kernelbench` makes the file. --measured is a result of
`benchmarks/kernelbench/kernelbench.py` from a GPU; estimates are for the target that it names. Each problem is traced
at full size on the meta device, so no GPU is needed. All 100 problems take about a minute on two cores. `ratio` is the
estimate over the measured time.
"""

import argparse
import json
import math
import statistics
from pathlib import Path
from typing import Any

from benchmarks.row_lines import write_result
from kernelwright.backend.cost.eager import estimate_eager_us
from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Reference
from kernelwright.rl.data.problems import load_problems


def main() -> None:
    """Estimate every problem that was measured, print the summary, write it with the rows to --out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", required=True)
    parser.add_argument("--measured", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    measured = json.loads(given.measured.read_text("utf-8"))
    if not all("level" in row for row in measured["results"]):
        parser.error(f"--measured {given.measured}: no result of benchmarks/kernelbench/kernelbench.py; name one")
    sources = {problem.id: problem.source for problem in load_problems(given.problems)}
    rows = []
    for row in measured["results"]:
        source = sources.get(f"kernelbench/{row['level']}/{row['problem_id']}")
        if source is not None and "eager" in row.get("times_ms", {}):
            rows.append(_row(row, source, measured["made_with"]["target"]))
    content = {
        "command": "python -m benchmarks.cost.eager_cost --problems kernelbench.jsonl "
        f"--measured {given.measured.name}",
        "caliber": {"measured": given.measured.name, **measured["caliber"], "target": measured["made_with"]["target"]},
        "summary": {
            "all": _summary(rows),
            "without convolutions": _summary([row for row in rows if not row["convolution"]]),
        },
        "problems": rows,
    }
    print(json.dumps(content["summary"], indent=1))
    if given.out:
        write_result(given.out, content)


def _row(row: dict[str, Any], source: str, target: str) -> dict[str, Any]:
    measured_us = 1e3 * row["times_ms"]["eager"]
    found: dict[str, Any] = {"id": row["id"], "problem": row["problem"], "convolution": row["convolution"]}
    found["measured_us"] = round(measured_us, 1)
    try:
        us = estimate_eager_us(Reference(source, "Model", (), (), ()), get_target(target))
    except UserError as error:
        return found | {"error": str(error).splitlines()[0]}
    return found | {"estimated_us": round(us, 1), "ratio": round(us / measured_us, 3)}


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Ratios in the middle and at both ends, the typical factor (the mean of |log ratio|), the share within a factor of
    1.5, and the correlation of ranks."""
    known = [row for row in rows if "ratio" in row]
    ratios = [row["ratio"] for row in known]
    ranks = statistics.correlation(_ranks(known, "measured_us"), _ranks(known, "estimated_us"))
    return {
        "problems": len(known),
        "not_estimated": len(rows) - len(known),
        "median_ratio": round(statistics.median(ratios), 3),
        "least_ratio": min(ratios),
        "greatest_ratio": max(ratios),
        "typical_factor": round(math.exp(statistics.mean(abs(math.log(ratio)) for ratio in ratios)), 3),
        "within_1.5": round(sum(1 / 1.5 <= ratio <= 1.5 for ratio in ratios) / len(ratios), 3),
        "rank_correlation": round(ranks, 3),
    }


def _ranks(rows: list[dict[str, Any]], key: str) -> list[int]:
    order = sorted(row[key] for row in rows)
    return [order.index(row[key]) for row in rows]


if __name__ == "__main__":
    main()
