"""What the group `problems` names, as programs."""

from pathlib import Path

import kernelwright
from kernelwright.driver.programs import Program
from kernelwright.driver.train_settings import ProblemSettings
from kernelwright.frontend.generate import generate_program
from kernelwright.ir.errors import UserError
from kernelwright.rl.data import Problem, with_splits
from kernelwright.rl.problems import load_problems

#: The place of this project's own examples, which are in a checkout and not in a wheel.
EXAMPLES = "examples:"


def read_programs(problems: ProblemSettings) -> list[Program]:
    """The programs, in order: generated ones, or those of a place that are of the split. Raises UserError."""
    if problems.place is None:
        seeds = range(problems.first, problems.first + problems.count)
        return [Program(generated_name(seed), generate_program(seed, problems.difficulty)) for seed in seeds]
    found = _examples() if problems.place == EXAMPLES else with_splits(load_problems(problems.place))
    return [Program(one.id, one.source) for one in found if problems.split in (None, one.split)]


def generated_name(seed: int) -> str:
    """What the program of a seed is called."""
    return f"generated_{seed}"


def _examples() -> tuple[Problem, ...]:
    folder = Path(kernelwright.__file__).parents[1] / "examples"
    if not folder.is_dir():
        raise UserError("the examples are in a checkout only; choose problems=held_out, or problems.place=FOLDER")
    return tuple(problem for path in sorted(folder.glob("*.py")) for problem in load_problems(path))
