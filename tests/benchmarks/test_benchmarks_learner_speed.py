"""The learner's speed beside TRL's: what is compared, and what an error says."""

import sys
from pathlib import Path

import pytest

from benchmarks.agents.learner_speed import OURS, TRL, Run, figures, main, measured


def test_ratios_are_of_rounds_and_warming_up_does_not_count() -> None:
    runs = {name: [Run(9.0, 100, 2.0), Run(1.0, 100, 1.0), Run(0.5, 100, 1.0), Run(1.0, 100, 1.0)] for name in TRL}
    runs[OURS] = [Run(1.0, 100, 2.0), *[Run(0.25, 100, 1.0)] * 3]
    runs["padded"][1:] = [Run(0.2, 100, 1.0)] * 3
    found = figures(runs)
    assert found["fastest_of_trl"] == "padded"
    assert found["tokens_per_s"] == {OURS: 400.0, "padding_free": 100.0, "padded": 500.0, "group_by_length": 100.0}
    assert found["rounds"]["ratio"]["padding_free"] == [4.0, 2.0, 4.0]
    value, low, high = found["ratio"]["padding_free"]
    assert (value, low, high) == (4.0, 2.0, 4.0)
    assert found["tokens_agree"]
    runs[OURS][1] = Run(0.25, 99, 1.0)
    assert not figures(runs)["tokens_agree"]


def test_sides_take_turns() -> None:
    asked: list[str] = []
    sides = {name: lambda name=name: asked.append(name) or Run(1.0, 1, 0.0) for name in (OURS, "padded")}
    found = measured(sides, 2)
    assert asked == [OURS, "padded", "padded", OURS, OURS, "padded"]
    assert [len(some) for some in found.values()] == [3, 3]


def test_pairs_that_are_not_there_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["learner_speed.py", str(tmp_path / "out.json"), "--pairs", str(tmp_path / "no")])
    assert main() == 2
    assert "no: No such file" in capsys.readouterr().err
