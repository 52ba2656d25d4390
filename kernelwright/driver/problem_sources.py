"""What the group `problems` names, as programs."""

from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import kernelwright
from kernelwright.driver.programs import Program
from kernelwright.driver.train_settings import ProblemSettings
from kernelwright.frontend.generate import HELD_OUT, generate_program
from kernelwright.ir.errors import UserError
from kernelwright.rl.contamination import form_is_held_out
from kernelwright.rl.data import Problem, with_splits
from kernelwright.rl.problems import load_problems

#: The place of this project's own examples, which are in a checkout and not in a wheel.
EXAMPLES = "examples:"


def read_programs(problems: ProblemSettings) -> list[Program]:
    """The programs, in order: generated ones, or those of a place that are of the split. Raises UserError."""
    if problems.place is None:
        return list(islice(_generated(problems.first, problems.difficulty), problems.count))
    found = _examples() if problems.place == EXAMPLES else with_splits(load_problems(problems.place))
    return [Program(one.id, one.source) for one in found if problems.split in (None, one.split)]


def _generated(first: int, difficulty: int) -> Iterator[Program]:
    """The programs of seeds from the first on; those to learn from are in no form that is held out."""
    for seed in count(first):
        source = generate_program(seed, difficulty)
        if seed >= HELD_OUT or not form_is_held_out(source):
            yield Program(f"generated_{seed}", source)


def _examples() -> tuple[Problem, ...]:
    folder = Path(kernelwright.__file__).parents[1] / "examples"
    if not folder.is_dir():
        raise UserError("the examples are in a checkout only; choose problems=held_out, or problems.place=FOLDER")
    return tuple(problem for path in sorted(folder.glob("*.py")) for problem in load_problems(path))
