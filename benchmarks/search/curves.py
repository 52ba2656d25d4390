"""Draw how searches come to their best: the speedup that is reached, by seconds.

    python -m benchmarks.search.curves --results benchmarks/results/search/time_to_quality_h100.json --modes 60,15t

For each of these modes of `time_to_quality` (default: all) a line: the geometric mean, over the problems that all drawn
modes have, of the plain lowering's time over the best time until then. Writes an SVG and a PNG beside the results.
"""

import argparse
import json
import math
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.search.time_to_quality import COLD
from kernelwright.driver.training.plot import FORMATS
from kernelwright.ir.errors import UserError
from kernelwright.serve.optional import require_installed

#: Points in time of a line.
POINTS = 200


def reached(rows: Sequence[Mapping[str, Any]], seconds: float) -> float:
    """The geometric mean of speedups over the plain lowering after so many seconds; 1 where nothing was measured."""
    logs = []
    for row in rows:
        best = [us for since, _, us in row["curve"] if since <= seconds]
        logs.append(math.log(max(row["plain_us"] / best[-1], 1.0)) if best else 0.0)
    return math.exp(statistics.mean(logs))


def by_mode(rows: Sequence[Mapping[str, Any]], modes: Sequence[str] = ()) -> dict[str, list[Mapping[str, Any]]]:
    """Rows with a curve by mode, of the problems that all of `modes` have; no modes mean those of the rows. Raises
    UserError where there are none."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {mode: {} for mode in modes}
    for row in rows:
        if row.get("curve") and (row["mode"] in modes if modes else row["mode"] != COLD):
            found.setdefault(row["mode"], {})[row["problem"]] = row
    common = set.intersection(*map(set, found.values())) if found else set()
    if not common:
        raise UserError("the results hold no problem that every mode has a curve of")
    return {mode: [by_name[name] for name in sorted(common)] for mode, by_name in found.items()}


def draw(results: Path, modes: Sequence[str] = ()) -> list[Path]:
    """Write the pictures; their paths. Raises UserError without matplotlib, and for results without curves."""
    require_installed("matplotlib", "train")
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    content = json.loads(results.read_text("utf-8"))
    lines = by_mode(content["results"], modes)
    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for mode, rows in sorted(lines.items(), key=lambda pair: float(pair[0].rstrip("mt"))):
        ends = max(row["curve"][-1][0] for row in rows)
        times = [ends * point / POINTS for point in range(POINTS + 1)]
        memory = ", with memory of other problems" if "m" in mode else ""
        axes.plot(times, [reached(rows, each) for each in times], label=f"{mode.rstrip('mt')} s{memory}")
    axes.set_xlabel("seconds since the search began")
    axes.set_ylabel("speedup over the plain lowering")
    axes.set_title(f"{len(next(iter(lines.values())))} problems, {content['caliber']['device']}")
    axes.legend()
    paths = [results.with_name(f"{results.stem}-curves.{form}") for form in FORMATS]
    with rc_context({"svg.fonttype": "none"}):  # text stays text, to be searched and copied
        for path in paths:
            figure.savefig(path)
    return paths


def main() -> int:
    """Draw; 2 for results that have nothing to draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--modes", default=[], type=lambda text: text.split(","))
    arguments = parser.parse_args()
    try:
        print(*draw(arguments.results, arguments.modes), sep="\n")
    except (UserError, OSError, ValueError, KeyError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
