"""Compile KernelBench problems through the default pipeline and count how many are verified.

    python -m benchmarks.kernelbench.compile_kernelbench --problems problems.jsonl --levels 1,2

Each line of the file is {"level", "problem_id", "name", "code"}, as in the data set
ScalingIntelligence/KernelBench. The results hold none of its code. `key=value` arguments override the
configuration as on the command line of `kernelwright compile`.
"""

import json
import sys
from pathlib import Path

from benchmarks.kernelbench.campaign_cli import campaign_parser, run_campaign
from kernelwright.driver.campaigns.programs import Program


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
    """Run the campaign."""
    parser = campaign_parser(__doc__, "compile_kernelbench.json", 300.0)
    parser.add_argument("--problems", type=Path, required=True)
    parser.add_argument("--levels", default="1,2")
    parser.add_argument("--shrink", choices=["auto", "never", "always"], default="auto")
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()

    def read() -> list[Program]:
        levels = {int(level) for level in arguments.levels.split(",")}
        return read_problems(arguments.problems, levels, arguments.limit)

    return run_campaign(arguments, "kernelbench", [f"import.shrink={arguments.shrink}"], read)


if __name__ == "__main__":
    sys.exit(main())
