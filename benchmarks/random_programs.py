"""Compile generated programs through the default pipeline and count how many are verified.

    python benchmarks/random_programs.py --count 300

`key=value` arguments override the configuration as on the command line of `kernelwright compile`.
"""

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console

from kernelwright.driver.build import discover
from kernelwright.driver.campaign import Campaign, Program
from kernelwright.driver.settings import read_settings
from kernelwright.frontend.generate import generate_program
from kernelwright.ir.errors import UserError


def main() -> int:
    """Run the campaign; 0 if every program is verified, 1 if not, 2 for bad arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0, help="seed of the first program")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/random_programs.json"))
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one program")
    parser.add_argument("--resume", action="store_true", help="keep the results there are")
    parser.add_argument("--standalone", action="store_true", help="also run each emitted file by itself")
    parser.add_argument("overrides", nargs="*")
    arguments = parser.parse_args()
    console = Console(stderr=True)
    discover()
    try:
        settings = read_settings("random", ["import.shrink=never", *arguments.overrides])
    except UserError as error:
        console.print(str(error), style="red", markup=False)
        return 2
    seeds = range(arguments.first, arguments.first + arguments.count)
    programs = [Program(f"random_{seed}", generate_program(seed), {"seed": seed}) for seed in seeds]
    campaign = Campaign(arguments.out, settings, arguments.timeout, arguments.standalone, arguments.resume)
    summary = campaign.run(programs, console)["summary"]
    print(json.dumps(summary, indent=1))
    return 0 if summary["verified"] == summary["programs"] else 1


if __name__ == "__main__":
    sys.exit(main())
