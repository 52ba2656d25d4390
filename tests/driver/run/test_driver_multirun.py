"""Multirun of the verbs that have a run folder: each job has its own, and what Hydra says of folders holds."""

import json
import logging
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelwright.driver.cli import main
from kernelwright.driver.config.discovery import discover
from kernelwright.frontend.generate import generate_program
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context
from kernelwright.rl.data.rows import Pair, Problem, write_rows

Captured = pytest.CaptureFixture[str]
PROGRAM = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x + 1.0)


def get_inputs():
    return [torch.rand(16, 24)]


def get_init_inputs():
    return []
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a program, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.py").write_text(PROGRAM)
    level = logging.getLogger().level
    yield tmp_path
    logging.getLogger().setLevel(level)  # hydra.verbose sets it


def test_a_sweeper_and_job_options_hold(here: Path, capsys: Captured) -> None:
    told = ["compile", "small.py", "-p", "lower-inductor", "evaluator.seeds=1", "-m", "seed=3", "hydra/sweeper=basic"]
    assert main([*told, "hydra.sweep.dir=there", "hydra.job.chdir=true", "hydra.verbose=true"]) == 0
    assert "hydra.core.utils" in capsys.readouterr().err  # what Hydra logs when it is verbose
    assert Path.cwd() == here
    assert json.loads((here / "there" / "0" / "report.json").read_text())["status"] == "ok"
    assert "chdir: true" in (here / "there" / "0" / ".hydra" / "hydra.yaml").read_text()
    assert {path.name for path in here.iterdir()} == {"small.py", "there"}


@pytest.mark.usefixtures("here")
def test_info_tells_of_defaults_and_plugins(capsys: Captured) -> None:
    for what, told in {"all": "Config search path", "defaults-tree": "rollout: default", "plugins": "Sweeper"}.items():
        assert main(["train", "--info", what]) == 0
        assert told in capsys.readouterr().out, what
    assert main(["train", "--experimental-rerun", "config.pickle"]) == 2
    assert "train has no flag --experimental-rerun" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_every_training_of_a_multirun_has_its_folder(base: Path, here: Path, capsys: Captured) -> None:
    source = generate_program(1)
    before = import_source(source, "p1", shrink="never")
    discover()
    pair = Pair.make(
        "p1", Problem("p1", source, {}, "train"), "frontend", before, LowerInductor().run(before, Context("h100"))
    )
    write_rows(here / "pairs.jsonl", [pair])
    small = ["trainer.rank=4", "trainer.dtype=float32", "device=cpu"]
    told = ["sft", "pairs=pairs.jsonl", f"model={base}", "max_tokens=20000", "batch=1", *small]
    assert main([*told, "-m", "seed=0,1", "out=sft"]) == 0, capsys.readouterr().err
    told = ["train", f"policy.model={base}", "policy=hf", "policy.max_model_len=20000", *small, "canary.enabled=false"]
    told += [
        "adapter=sft/1/adapter",
        "problems.count=1",
        "rollout.n=2",
        "rollout.max_tokens=4",
        "rollout.rungs=[parse]",
    ]
    told += ["trainer.steps=1", "trainer.problems=1", "workers=1"]
    assert main([*told, "-m", "seed=0,1", "out=rl"]) == 0, capsys.readouterr().err
    for verb, seed in ((verb, seed) for verb in ("sft", "rl") for seed in (0, 1)):
        folder = here / verb / str(seed)
        assert (folder / "adapter" / "adapter_config.json").is_file()
        assert f"seed={seed}" in (folder / ".hydra" / "overrides.yaml").read_text()
        assert json.loads((folder / "config.json").read_text())["seed"] == seed


def test_every_ablation_of_a_multirun_has_its_folder(here: Path, capsys: Captured) -> None:
    write_rows(here / "problems.jsonl", [Problem("by/1", PROGRAM)])
    told = [
        "ablate",
        "problems.place=problems.jsonl",
        "problems.split=null",
        "only=[passes]",
        "evaluator.seeds=1",
        "jobs=1",
    ]
    told += ["target=h100", "arms.passes.pipeline=lower-inductor", "-m", "seeds=[0],[1]", "out=o"]
    assert main(told) == 0, capsys.readouterr().err
    for seed in (0, 1):
        rows = [json.loads(line) for line in (here / "o" / str(seed) / "table.jsonl").read_text().splitlines()][1:]
        assert [(row["arm"], row["seed"], row["status"]) for row in rows] == [("passes", seed, "ok")]
        command = shlex.split(json.loads((here / "o" / str(seed) / "summary.json").read_text())["command"])
        assert command[:2] == ["kernelwright", "ablate"] and {f"out=o/{seed}", f"seeds=[{seed}]"} < set(command)
        assert "arms.passes.pipeline=lower-inductor" in command and "-m" not in command
