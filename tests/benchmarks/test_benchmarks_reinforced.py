"""The command that trains and measures: what it runs is what `kernelwright train` and the benchmarks take."""

import argparse
import sys
from pathlib import Path

import pytest

from benchmarks.agents import agents, midend_agents
from benchmarks.agents.reinforced import measuring, run, training
from kernelwright.driver.config.train_settings import read_train_settings
from kernelwright.rl.data.rows import FRONTEND, MIDEND


def given(stage: str, tmp_path: Path, settings: tuple[str, ...] = ()) -> argparse.Namespace:
    return argparse.Namespace(
        folder=tmp_path,
        problems=Path("rl.jsonl"),
        pairs=Path("test.jsonl"),
        stage=stage,
        adapter=f"shipped:{stage}",
        kernelbench=Path("kernelbench.jsonl"),
        workers=3,
        target="h200",
        settings=settings,
    )


@pytest.mark.parametrize("stage", [FRONTEND, MIDEND])
def test_settings_are_those_of_training(stage: str, tmp_path: Path) -> None:
    verb, *overrides = training(given(stage, tmp_path, ("trainer.lr=2e-4", "algorithm=raft")))
    settings = read_train_settings(overrides)
    assert verb == "train" and settings.plain.stage.name == stage
    assert settings.run.replay == 0.5 and settings.plain.trainer.lr == 2e-4
    assert settings.algorithm.negative == 0.0  # what is said last counts
    assert settings.plain.policy.dtype == settings.plain.trainer.dtype == "float32"


def test_both_adapters_are_measured_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for stage, reader in ((FRONTEND, agents.read_arguments), (MIDEND, midend_agents.read_arguments)):
        words = measuring(given(stage, tmp_path))
        monkeypatch.setattr(sys, "argv", words)
        read, policy = reader()
        assert [arm.name for arm in read.arm] == ["start", "rl"]
        assert len({arm.form for arm in read.arm}) == 1 and read.workers == 3
        assert policy.adapters == {"start": f"shipped:{stage}", "rl": str(tmp_path / "shipped")}
        assert policy.dtype == "float32"


def test_commands_end_in_time_or_say_how_they_failed() -> None:
    assert run(["-c", "import time; time.sleep(60)"], 0.5) == 0
    assert run(["-c", "raise SystemExit(2)"], 60) == 2
