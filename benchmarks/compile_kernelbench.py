"""Compile KernelBench problems through the default pipeline and count how many are verified.

    python benchmarks/compile_kernelbench.py --problems problems.jsonl --levels 1,2

Each line of the file is {"level", "problem_id", "name", "code"}, as in the data set
ScalingIntelligence/KernelBench. The results hold none of its code. `key=value` arguments override the
configuration as on the command line of `kernelwright compile`.
"""

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console

from kernelwright.driver.build import discover
from kernelwright.driver.campaign import Campaign, Program
from kernelwright.driver.settings import read_settings
from kernelwright.ir.errors import UserError


def read_problems(path: Path, levels: set[int], limit: int | None) -> list[Program]:
    """The problems of these levels, in the file's order."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    programs = []
    for row in rows:
        if row["level"] in levels:
            name = f"level{row['level']}_{row['problem_id']}"
            labels = {"level": row["level"], "problem_id": row["problem_id"], "problem": row["name"]}
            programs.append(Program(name, row["code"], labels))
    return programs[:limit]


def main() -> int:
    """Run the campaign; 0 if every problem is verified, 1 if not, 2 for bad arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, required=True)
    parser.add_argument("--levels", default="1,2")
    parser.add_argument("--shrink", choices=["auto", "never", "always"], default="auto")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/compile_kernelbench.json"))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one problem")
    parser.add_argument("--resume", action="store_true", help="keep the results there are")
    parser.add_argument("--standalone", action="store_true", help="also run each emitted file by itself")
    parser.add_argument("overrides", nargs="*")
    arguments = parser.parse_args()
    console = Console(stderr=True)
    discover()
    try:
        settings = read_settings("kernelbench", [f"import.shrink={arguments.shrink}", *arguments.overrides])
        levels = {int(level) for level in arguments.levels.split(",")}
        programs = read_problems(arguments.problems, levels, arguments.limit)
    except (UserError, OSError, ValueError, KeyError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 2
    campaign = Campaign(arguments.out, settings, arguments.timeout, arguments.standalone, arguments.resume)
    summary = campaign.run(programs, console)["summary"]
    print(json.dumps(summary, indent=1))
    return 0 if summary["verified"] == summary["programs"] else 1


if __name__ == "__main__":
    sys.exit(main())
