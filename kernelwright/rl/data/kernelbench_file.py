"""KernelBench as one file: a JSON object a line, each with its level, number, name, program, origin and licence."""

import json
from pathlib import Path
from typing import Any

from kernelwright.ir.errors import UserError
from kernelwright.rl.data.problems import KERNELBENCH_HUB, load_problems
from kernelwright.rl.data.rows import Problem, write_text

PROJECT = "https://github.com/ScalingIntelligence/KernelBench"
#: The notice that KernelBench's licence asks every copy to carry.
NOTICE = "MIT License, Copyright (c) 2023 Anne Ouyang, Simon Guo, Azalia Mirhoseini, Scaling Intelligence Lab, Stanford"


def write_kernelbench(place: str, out: Path) -> dict[str, int]:
    """Write the problems of a checkout, or of a data set of the Hub, to `out`; gives how many each level has.

    A row is {level, problem_id, name, code, origin, license}. `license` is the notice at the top of the checkout's
    LICENSE, or KernelBench's own where PLACE has no such file. Raises UserError where PLACE holds other problems than
    KernelBench's, and where `out` cannot be written.
    """
    problems = load_problems(place)
    for problem in problems:
        if not isinstance(problem.provenance.get("level"), int):
            raise UserError(
                f"{place}: {problem.id} is not a problem of KernelBench (its folders are level1, level2, …); give a "
                f"checkout of {PROJECT}, or {KERNELBENCH_HUB}"
            )
    if out.exists() and Path(place).exists() and out.samefile(place):
        raise UserError(f"out={out} is the file that problems come from; give another name")
    notice = _notice(Path(place))
    rows = [json.dumps(_row(problem, place, notice), ensure_ascii=False) + "\n" for problem in problems]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_text(out, "".join(rows))
    except OSError as error:
        raise UserError(f"out={out}: {error.strerror}; name a writable file") from error
    levels = [problem.provenance["level"] for problem in problems]
    return {f"level {level}": levels.count(level) for level in sorted(set(levels))}


def _row(problem: Problem, place: str, notice: str) -> dict[str, Any]:
    return {
        "level": problem.provenance["level"],
        "problem_id": int(problem.id.rpartition("/")[2]),
        "name": problem.provenance["name"],
        "code": problem.source,
        "origin": f"{PROJECT}, read from {place}",
        "license": notice,
    }


def _notice(place: Path) -> str:
    """The paragraphs of a checkout's LICENSE above the terms, in one line; KernelBench's notice without that file."""
    path = place / "LICENSE"
    if not path.is_file():
        return NOTICE
    above = path.read_text("utf-8", errors="replace").partition("Permission is hereby")[0]
    return ", ".join(line.strip() for line in above.splitlines() if line.strip()) or NOTICE
