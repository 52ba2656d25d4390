"""What a run notes of its steps: trajectories as texts, and what held-out problems came to."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_rl_trainer import Toy, trainer

from kernelwright.rl.trainer.run_log import read_metrics
from kernelwright.rl.trainer.step_lines import HELD_OUT, TRAJECTORIES, StepLines, read_step_lines, spread


def steps(folder: Path, name: str) -> list[int]:
    return [row["step"] for row in read_step_lines(folder / name)]


@pytest.mark.parametrize("ahead", [0, 2])
def test_a_run_notes_trajectories_and_measures_now_and_then(tmp_path: Path, ahead: int) -> None:
    seen = list[bytes]()

    def measure(place: Path) -> dict[str, Any]:
        seen.append((place / "adapter_model.safetensors").read_bytes())
        return {"correct": len(seen) / 10, "solved": ["p1"]}

    made = trainer(tmp_path, Toy(turns=2), steps=5, trajectories=4, evaluate_every=2, ahead=ahead)
    made.measure = measure
    made.run()
    assert steps(tmp_path, HELD_OUT) == [0, 2, 4, 5]
    assert len(set(seen)) == 4  # each with the weights of its step
    told = {row["step"]: row.get("held_out/correct") for row in read_metrics(tmp_path)}
    assert told == {0: None, 1: 0.2, 2: None, 3: 0.3, 4: 0.4}
    assert "held_out/solved" not in read_metrics(tmp_path)[1]
    rows = read_step_lines(tmp_path / TRAJECTORIES)
    assert [row["step"] for row in rows] == [step for step in range(5) for _ in range(4)]
    assert len({row["problem"] for row in rows[:3]}) == 3  # the first of each problem, then the second of one
    first, second = rows[0]["turns"]
    assert first["prompt"] == [{"role": "user", "content": "which?"}]
    assert first["answer"].isdigit() and first["tokens"] == 1 and second["version"] == "toy"
    assert {turn["status"] for row in rows for turn in row["turns"]} == {"ok", "mismatch"}
    assert all((turn["reward"] > 0) == (turn["status"] == "ok") for row in rows for turn in row["turns"])


def test_what_is_taken_again_is_noted_once(tmp_path: Path) -> None:
    halted = trainer(tmp_path, Toy(), steps=5, trajectories=1, evaluate_every=1, save_every=2)
    halted.measure = lambda _place: {"correct": 0.0}

    def tell(step: int, _steps: int, _metrics: Any) -> None:
        if step == 3:
            raise KeyboardInterrupt

    halted.tell = tell
    with pytest.raises(KeyboardInterrupt):
        halted.run()
    assert (steps(tmp_path, TRAJECTORIES), steps(tmp_path, HELD_OUT)) == ([0, 1, 2], [0, 1, 2, 3])
    with (tmp_path / TRAJECTORIES).open("a") as file:
        file.write('{"step": 3, "prob')  # it was being written
    again = trainer(tmp_path, Toy(), steps=5, trajectories=1, evaluate_every=1, save_every=2)
    again.measure = halted.measure
    again.run()
    assert (steps(tmp_path, TRAJECTORIES), steps(tmp_path, HELD_OUT)) == (list(range(5)), list(range(6)))


def test_nothing_is_written_where_nothing_is_asked_for(tmp_path: Path) -> None:
    trainer(tmp_path, Toy(), steps=1).run()
    assert not (tmp_path / HELD_OUT).exists() and not (tmp_path / TRAJECTORIES).exists()


def test_lines_that_are_cut_off_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text(json.dumps({"step": 0}) + '\n{"st')
    StepLines(path, 3).add([{"step": 3}])
    assert [row["step"] for row in read_step_lines(path)] == [0, 3]


def test_trajectories_are_spread_over_problems() -> None:
    made = Toy(n=3).roll_out(trainer(Path(), Toy()).modules[:2], 0, lambda: None)
    assert [one.problem for one in spread(made, 4)] == [0, 1, 0, 1]
    assert spread(made, 0) == [] and len(spread(made, 100)) == 6
