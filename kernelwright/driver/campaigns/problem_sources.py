"""What the group `problems` names, as programs."""

from collections.abc import Iterable
from dataclasses import fields
from functools import lru_cache
from itertools import count, islice
from pathlib import Path

import kernelwright
from kernelwright.driver.campaigns.programs import Program
from kernelwright.driver.config.beginnings import EXAMPLES
from kernelwright.driver.config.plugins import TARGET, make
from kernelwright.driver.config.train_settings import ProblemSettings
from kernelwright.frontend.difficulties import HELD_OUT
from kernelwright.frontend.generate import generate_program
from kernelwright.ir.errors import UserError
from kernelwright.rl.data.contamination import first_of_held_out_forms, form_is_held_out
from kernelwright.rl.data.problems import load_problems
from kernelwright.rl.data.rows import Problem, with_splits

_PROGRAMS = "give pairs of a name and a program's text, or values of driver.programs.Program or rl.data.Problem"
_NO_SOURCE = f"it gives nothing to go over; {_PROGRAMS}"


def read_programs(problems: ProblemSettings) -> list[Program]:
    """The programs, in order: generated ones, or those of a place that are of the split. Raises UserError."""
    if problems.plugin:
        return _of_plugin(problems)
    if problems.place is None:
        return list(_generated(problems.first, problems.count, problems.difficulty))
    found = _examples() if problems.place == EXAMPLES else with_splits(load_problems(problems.place))
    chosen = [one for one in found if not problems.levels or one.provenance.get("level") in problems.levels]
    if found and not chosen:
        there = ", ".join(sorted({str(one.provenance["level"]) for one in found if one.provenance.get("level")}))
        given = f"problems.levels={problems.levels}: {problems.place}"
        raise UserError(f"{given} has {f'the levels {there}' if there else 'no levels'}; give others, or [] for all")
    return [_program(one) for one in chosen if problems.split in (None, one.split)]


def _program(problem: Problem) -> Program:
    """A problem as a program, with its level as a label where it has one."""
    level = problem.provenance.get("level")
    return Program(problem.id, problem.source, {} if level is None else {"level": level})


def _of_plugin(problems: ProblemSettings) -> list[Program]:
    """What a package's own source gives: programs, problems, or pairs of a name and a text."""
    told = {one.name: None for one in fields(problems) if one.name != "plugin"}
    source = make("problems", problems.plugin, lambda made: "" if isinstance(made, Iterable) else _NO_SOURCE, **told)
    found = []
    for number, one in enumerate(source):
        if isinstance(one, Program):
            found.append(one)
        elif isinstance(one, Problem):
            found.append(_program(one))
        elif isinstance(one, tuple) and len(one) == 2 and all(isinstance(text, str) for text in one):
            found.append(Program(*one))
        else:
            raise UserError(f"problems: number {number} of {problems.plugin[TARGET]} is {one!r:.80}; {_PROGRAMS}")
    return found


@lru_cache(4)
def _generated(first: int, many: int, difficulty: int) -> tuple[Program, ...]:
    """So many programs of seeds from the first on; those to learn from are in no form that is held out, those to
    measure with in such forms, each the first of its own. Kept, as each arm of an ablation asks for them again."""
    drawn = (Program(f"generated_{seed}", generate_program(seed, difficulty)) for seed in count(first))
    if first >= HELD_OUT:
        return tuple(islice(first_of_held_out_forms(drawn), many))
    return tuple(islice((one for one in drawn if not form_is_held_out(one.source)), many))


def _examples() -> tuple[Problem, ...]:
    folder = Path(kernelwright.__file__).parents[1] / "examples"
    if not folder.is_dir():
        raise UserError("the examples are in a checkout only; choose problems=held_out, or problems.place=FOLDER")
    return tuple(problem for path in sorted(folder.glob("*.py")) for problem in load_problems(path))
