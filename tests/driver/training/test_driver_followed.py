"""What the person who trains can see: held-out curve, trajectories, versions, commit and the whole configuration."""

import os
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from test_driver_run import PROGRAM, Told, told
from test_driver_set_aside import problems

import kernelwright
from kernelwright.driver.config.train_settings import read_train_settings
from kernelwright.driver.run import provenance as run_start
from kernelwright.driver.run_records import TrainingRun, load_run
from kernelwright.driver.training.run import run_train
from kernelwright.ir.errors import UserError
from kernelwright.serve.hf import HfSettings

pytestmark = pytest.mark.usefixtures("one_thread")
OTHER = PROGRAM.replace("* 2", "* 3")


def given(base: Path, out: Path, steps: int, *more: str) -> list[str]:
    """A run on two problems, of which every answer is right for the first, and wrong for the second."""
    place = problems(out.with_suffix(".jsonl"), right=PROGRAM, wrong=OTHER)
    told_of = [*told(base, out, steps), f"problems.place={place}", "problems.split=null", "rollout.form=native"]
    return [*told_of, "rollout.rungs=[parse,interpret]", "canary.enabled=false", "evaluator.seeds=1", *more]


def trained(base: Path, overrides: list[str]) -> None:
    with Told(HfSettings(str(base), context=20000)) as policy:
        run_train(read_train_settings(overrides), Console(file=StringIO()), policy)


@pytest.mark.slow
def test_a_finished_run_can_be_read(base: Path, tmp_path: Path) -> None:
    kept = problems(tmp_path / "kept.jsonl", easy=PROGRAM.replace("torch.relu(x) * 2", "torch.relu(x) + torch.relu(x)"),
        hard=PROGRAM.replace("relu", "sigmoid"))  # fmt: skip
    out = tmp_path / "run"
    more = [f"held_out.place={kept}", "held_out.every=2", "held_out.n=2", "trainer.trajectories=3"]
    trained(base, given(base, out, 2, "trainer.ahead=1", *more))
    trained(base, [*given(base, out, 3, "trainer.ahead=1", *more), "trainer.steps=2"])  # at its end already
    run = load_run(out)
    assert isinstance(run, TrainingRun)

    assert [row["step"] for row in run.held_out] == [0, 2]
    assert [(row["correct"], row["solved"], row["problems"]) for row in run.held_out] == [(0.5, ["easy"], 2)] * 2
    assert run.metrics[1]["held_out/correct"] == 0.5 and "held_out/correct" not in run.metrics[0]

    assert [row["step"] for row in run.trajectories] == [0, 0, 0, 1, 1, 1]
    assert {row["problem"] for row in run.trajectories[:2]} == {"right", "wrong"}  # the first of each comes first
    (turn,) = next(row for row in run.trajectories if row["problem"] == "wrong")["turns"]
    assert "torch.relu(x) * 3" in turn["prompt"][-1]["content"] and "def double(" in turn["answer"]
    assert (turn["status"], turn["rung"], turn["reward"]) == ("mismatch", "interpret", -10.0) and turn["detail"]

    first, second = run.starts
    assert first["versions"]["torch"] and first["versions"]["kernelwright"] == kernelwright.__version__
    assert len(first["code"]["digest"]) == 64 and first["code"] == second["code"]
    whole = first["configuration"]
    assert whole["trainer"]["trajectories"] == 3 and whole["evaluator"]["timeout_s"] and whole["canary"]["scale"]
    assert whole["algorithm"]["kl"] == 0.1 and whole["import"]["shrink"] == "auto"  # also what nobody said


def test_what_is_learnt_from_is_not_measured_with(base: Path, tmp_path: Path) -> None:
    renamed = problems(
        tmp_path / "kept.jsonl", copy=PROGRAM.replace("x)", "other)").replace("(self, x", "(self, other")
    )
    overrides = given(base, tmp_path / "run", 1, f"held_out.place={renamed}", "held_out.every=1")
    with pytest.raises(UserError, match="the run learns from copy, or a copy of it"):
        trained(base, overrides)


def test_the_commit_of_a_checkout_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "kernelwright"
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.setattr(run_start.kernelwright, "__file__", str(package / "__init__.py"))
    assert "commit" not in run_start.own_code()
    names = {
        f"GIT_{who}_{what}": "someone@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, env={**os.environ, **names})
    found = run_start.own_code()
    assert len(found["commit"]) == 40 and found["changed"] is False
    (package / "__init__.py").write_text("changed = True\n")
    assert run_start.own_code()["changed"] is True
