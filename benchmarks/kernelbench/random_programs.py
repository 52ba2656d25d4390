"""Compile generated programs through the default pipeline and count how many are verified.

    python -m benchmarks.kernelbench.random_programs --count 300

`key=value` arguments override the configuration as on the command line of `kernelwright compile`.
"""

import sys

from benchmarks.kernelbench.campaign_cli import campaign_parser, run_campaign
from kernelwright.driver.campaigns.programs import Program
from kernelwright.frontend.generate import generate_program


def main() -> int:
    """Run the campaign."""
    parser = campaign_parser(__doc__, "random_programs.json", 120.0)
    parser.add_argument("--first", type=int, default=0, help="seed of the first program")
    parser.add_argument("--count", type=int, default=300)
    arguments = parser.parse_args()

    def generate() -> list[Program]:
        seeds = range(arguments.first, arguments.first + arguments.count)
        return [Program(f"random_{seed}", generate_program(seed), {"seed": seed}) for seed in seeds]

    return run_campaign(arguments, "random", ["import.shrink=never"], generate)


if __name__ == "__main__":
    sys.exit(main())
