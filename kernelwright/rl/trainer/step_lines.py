"""What a run notes of its steps, as JSON lines: some trajectories, and what held-out problems came to."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelwright.agent.measures import speedup
from kernelwright.agent.trajectory import Trajectory, Turn
from kernelwright.rl.data.rows import write_text

TRAJECTORIES, HELD_OUT = "trajectories.jsonl", "held_out.jsonl"


class StepLines:
    """Rows with a `step` each. Those of the step `first` and later, which are taken again, are dropped at the start."""

    def __init__(self, path: Path, first: int) -> None:
        self._path = path
        kept = "".join(_line(row) for row in read_step_lines(path) if row["step"] < first)
        if path.is_file() and path.read_text("utf-8") != kept:
            write_text(path, kept)

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take rows down, at once."""
        lines = list(map(_line, rows))
        if lines:
            with self._path.open("a", encoding="utf-8") as file:
                file.writelines(lines)


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def read_step_lines(path: Path) -> list[dict[str, Any]]:
    """The rows; a last line that was cut off is left out. None where there is no file."""
    rows = []
    for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return rows


def spread(trajectories: Sequence[Trajectory], most: int) -> list[Trajectory]:
    """So many trajectories, or all: the first of each problem, then the second of each, and so on."""
    seen: dict[int, int] = {}
    numbered = list[tuple[int, int, Trajectory]]()
    for made in trajectories:
        numbered.append((seen.setdefault(made.problem, 0), len(numbered), made))
        seen[made.problem] += 1
    return [made for _, _, made in sorted(numbered, key=lambda one: one[:2])[:most]]


def trajectory_rows(step: int, trajectories: Sequence[Trajectory], most: int) -> Iterator[dict[str, Any]]:
    """Some trajectories of a step, as texts that a person can read: each prompt, answer, verdict and reward."""
    for made in spread(trajectories, most):
        yield {"step": step, "problem": made.module.name, "turns": [_turn(turn) for turn in made.turns]}


def _turn(turn: Turn) -> dict[str, Any]:
    verdict, answer = turn.verdict, turn.completion
    return {
        "prompt": [{"role": message.role, "content": message.content} for message in turn.prompt],
        "answer": answer.text,
        "finish": answer.finish,
        "tokens": len(answer.token_ids),
        "version": answer.version,
        "status": str(verdict.status),
        "rung": str(verdict.rung),
        "detail": verdict.detail,
        "diagnostics": list(map(str, verdict.diagnostics)),
        "speedup": speedup(verdict),
        "reward": turn.reward,
        "valid": turn.valid,
    }
