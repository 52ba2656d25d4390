"""Write the figures of a training run, step by step, with the machine and the versions that they came from.

usage: training_run.py RUN_FOLDER OUT.json --command TEXT [--note TEXT] [--caliber FACTS.json]

Run it on the machine of the run, or describe that machine as JSON. Medians leave out the first step, which waits for
processes to start and kernels to compile.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.agents.agents import surroundings
from benchmarks.row_lines import write_result
from kernelwright.evaluation.pools.pool import usable_cores
from kernelwright.ir.errors import UserError
from kernelwright.rl.trainer.run_log import read_metrics

#: What a median says something of.
TIMED = ("step_seconds", "tokens_per_s", "response_tokens")
DIGITS = 5


def figures(folder: Path) -> dict[str, Any]:
    """The run's steps, the medians of what they took, and what its canary found. Raises UserError for a folder without
    a step."""
    steps = [{key: _short(value) for key, value in row.items() if key != "problems"} for row in read_metrics(folder)]
    if not steps:
        raise UserError(f"{folder} holds no step of a training run")
    canary = folder / "canary.json"
    checked = {"canary": json.loads(canary.read_text("utf-8"))} if canary.is_file() else {}
    return {**checked, "median": medians(steps[1:] or steps), "steps": steps}


def medians(steps: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Of seconds (0 where a step had no such phase), speeds and shares of time."""
    names = dict.fromkeys(
        name for row in steps for name in row if name.startswith(("seconds/", "idle/")) or name in TIMED
    )
    had = {name: [row.get(name, 0.0) for row in steps if name in row or name.startswith("seconds/")] for name in names}
    return {name: _short(statistics.median(values)) for name, values in had.items()}


def _short(value: Any) -> Any:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def main() -> int:
    """Write the file; 2 for bad arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--command", required=True, help="the command that started the run")
    parser.add_argument("--note", default="")
    parser.add_argument("--caliber", type=Path, help="facts about the run's machine, where that is another one")
    given = parser.parse_args()
    try:
        if given.caliber is None:
            on = surroundings() | {"cpus": usable_cores()}
        else:
            on = json.loads(given.caliber.read_text("utf-8"))
        content = {"caliber": {**on, "command": given.command, "note": given.note}, **figures(given.folder)}
    except (UserError, OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    write_result(given.out, content)
    sys.stdout.write(json.dumps(content["median"]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
