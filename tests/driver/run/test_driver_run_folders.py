"""Run folders: two runs keep apart, a new one leaves nothing of an old one, and a default folder is found again."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import environment

from kernelwright.driver.cli import main
from kernelwright.driver.config.paths import free_place
from kernelwright.driver.config.run_folders import check_run_folder, left_by_a_compilation
from kernelwright.driver.pairs.making import PairRun
from kernelwright.driver.pairs.settings import read_pair_settings
from kernelwright.driver.run.journal import Journal
from kernelwright.driver.run.locks import locked
from kernelwright.driver.run.training_folder import training_folder
from kernelwright.ir.errors import UserError
from kernelwright.rl.trainer.checkpoint import save_checkpoint

_PROGRAM = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1.0

def get_inputs():
    return [torch.randn(5, 7)]

def get_init_inputs():
    return []
"""
_HOLDER = """
import subprocess, sys, time
from pathlib import Path
from kernelwright.driver.run.locks import locked
with locked(Path(sys.argv[1])):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print(child.pid, flush=True)
    time.sleep(600)
"""
QUICK = ("evaluator.seeds=1", "target=h100")


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.py").write_text(_PROGRAM)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[Path, "subprocess.Popen[str]"]]:
    """A folder that another process holds, which has a child that outlives it."""
    command = [sys.executable, "-c", _HOLDER, str(tmp_path / "held")]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        child = int(holder.stdout.readline())
        yield tmp_path / "held", holder
        holder.kill()
        os.kill(child, 9)


def test_two_runs_do_not_write_one_folder_and_a_killed_one_holds_none(
    held: tuple[Path, "subprocess.Popen[str]"], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, holder = held
    wanted = f"{folder} is in use by another run (process {holder.pid}); wait for it, or give another out=…"
    assert main(["compile", "small.py", f"out={folder}", *QUICK]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"kernelwright: error: {wanted}"
    with pytest.raises(UserError) as refused, training_folder(folder, Path("runs"), {}, lambda _line: None):
        pass
    assert str(refused.value) == wanted
    holder.kill()
    holder.wait()
    with locked(folder):
        pass


def test_two_batches_do_not_write_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.jsonl").write_text("{}\n")
    with Journal(tmp_path / "verdicts.jsonl", {}):
        before = (tmp_path / "verdicts.jsonl").read_bytes()
        assert main(["evaluate", "batch=rows.jsonl", "out=verdicts.jsonl"]) == 2
        assert (tmp_path / "verdicts.jsonl").read_bytes() == before
    assert f"verdicts.jsonl is in use by another run (process {os.getpid()})" in capsys.readouterr().err


def test_a_compilation_leaves_nothing_of_the_one_before(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "small.py", "-p", "lower-inductor,tune{trials=1}", "out=run", *QUICK]) == 0
    assert "replaces" not in capsys.readouterr().out
    mine = {"notes.txt": "mine", "05-mine.py": "print()\n", "module.toml": ""}
    for name, text in mine.items():
        Path("run", name).write_text(text)
    Path("run/reproduce.sh").write_text('#!/bin/sh\ncd "$(dirname "$0")" && kernelwright opt reproduce.py -p x\n')
    assert Path("run/02-tune.py").is_file()
    assert main(["compile", "small.py", "-p", "lower-inductor", "out=run", *QUICK]) == 0
    assert "run folder: run (replaces an earlier run)" in capsys.readouterr().out
    own = {"00-import.py", "01-lower-inductor.py", "module.py", "report.json"}
    assert {path.name for path in Path("run").iterdir()} == own | mine.keys() | {".hydra"}
    assert {path.name for path in left_by_a_compilation(Path("run"))} == own


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


_OF_A_KIND = {
    "compile": ("report.json", {"status": "ok", "target": "h100", "shrunken": False}),
    "train or sft": ("config.json", {"stage": "frontend", "trainer": {}}),
    "ablate": ("table.jsonl", {"journal": {"arms": []}}),
    "bench": ("table.jsonl", {"journal": {"n": 4}}),
}
_VERBS = {
    "compile": ["compile", "small.py", "-p", "lower-inductor", *QUICK],
    "train": ["train", "policy=hf", "device=cpu"],
    "sft": ["sft", "pairs=small.py"],
    "ablate": ["ablate", "policy=none", "problems=examples", "only=[plain]", "arms.plain.pipeline=lower-inductor"],
    "bench": ["bench", "policy=smollm", "suite=jsonl:small.py"],
}


@pytest.mark.parametrize("verb", _VERBS)
def test_a_folder_that_no_run_of_the_kind_wrote_is_left_alone(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A user's own files, another kind of run, and, for what all verbs take, a folder without files."""
    for number, name in enumerate(("module.py", "config.json", "table.jsonl", "adapter/weights", "notes.txt")):
        place = Path(f"mine{number}", name)
        place.parent.mkdir(parents=True)
        place.write_text("{}")
        before = _content(place.parents[-2])
        assert main([*_VERBS[verb], f"out=mine{number}"]) == 2
        said = (
            f"out=mine{number} holds what no run has written ({name.partition('/')[0]}); name a new or an empty folder"
        )
        assert capsys.readouterr().err == f"kernelwright: error: {said}\n"
        assert _content(place.parents[-2]) == before
    for kind, (name, content) in _OF_A_KIND.items():
        folder = Path(kind.partition(" ")[0])
        folder.mkdir()
        (folder / name).write_text(json.dumps(content))
        if verb in kind:
            check_run_folder(folder, kind)
            continue
        assert main([*_VERBS[verb], f"out={folder}"]) == 2
        said = f"out={folder} holds a run of {kind}; name another folder, or remove this one"
        assert capsys.readouterr().err == f"kernelwright: error: {said}\n"
        assert [path.name for path in folder.iterdir()] == [name]
    Path("runs/frontend").mkdir(parents=True)
    check_run_folder("runs", "compile")


def test_a_compilation_does_not_replace_its_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "small.py", "-p", "lower-inductor", "out=run", *QUICK]) == 0
    before = _content(Path("run"))
    capsys.readouterr()
    assert main(["compile", "run/module.py", "-p", "lower-inductor", "out=run", *QUICK]) == 2
    assert "out=run holds the program itself" in capsys.readouterr().err
    assert _content(Path("run")) == before
    Path("run/module.py").write_text("mine = 1\n")
    assert main(["compile", "small.py", "-p", "lower-inductor", "out=run", *QUICK]) == 2
    assert "holds what no run has written (module.py)" in capsys.readouterr().err


def test_a_refused_ablation_leaves_the_older_one_as_it_was() -> None:
    told = ["ablate", "policy=none", "problems=examples", "limit=1", "evaluator.seeds=1", "only=[plain]", "jobs=1"]
    assert main([*told, "arms.plain.pipeline=lower-inductor", "out=o"]) == 0
    before = _content(Path("o"))
    assert ".hydra" in str(sorted(before))
    assert main([*told, "arms.plain.pipeline=lower-inductor{fuse=false}", "out=o"]) == 2
    assert _content(Path("o")) == before


def said_of(folder: Path, told: dict[str, object], default: Path = Path("runs/train/frontend")) -> tuple[Path, str]:
    """Where a run goes, and what it says of that."""
    said: list[str] = []
    with training_folder(folder, default, told, said.append) as place:
        return place, " ".join(said)


def test_a_run_with_other_settings_begins_anew_beside_the_old_one_and_finds_its_own_again() -> None:
    default = Path("runs/train/frontend")
    assert said_of(default, {"seed": 0}) == (default, "")
    save_checkpoint(default / "checkpoints", 1, lambda _place: None, {})
    second = Path("runs/train/frontend-2")
    place, said = said_of(default, {"seed": 1})
    assert place == second
    assert said == f"{default} is a run with other settings (seed=0, now it is 1); this run goes to {second}"
    save_checkpoint(second / "checkpoints", 1, lambda _place: None, {})
    assert said_of(default, {"seed": 0})[0] == default
    assert said_of(default, {"seed": 1})[0] == second
    assert said_of(default, {"seed": 2})[0] == Path("runs/train/frontend-3")
    with pytest.raises(UserError, match=r"is a run with other settings \(seed=0, now it is 1\); give another out="):
        said_of(default, {"seed": 1}, Path("runs/elsewhere"))  # it is the folder that was asked for


def test_what_a_run_without_a_checkpoint_left_is_no_part_of_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    said_of(folder, {"seed": 0})
    (folder / "tensorboard").mkdir()
    for name in ("metrics.jsonl", "plot.svg", "canary.json", "tensorboard/events"):
        (folder / name).write_text("old")
    (folder / "notes.txt").write_text("mine")
    _, said = said_of(folder, {"seed": 1})
    assert said == f"{folder}: an earlier run ended before its first checkpoint; this run starts from the beginning"
    assert {path.name for path in folder.iterdir()} == {"config.json", "notes.txt"}
    (folder / "adapter").mkdir()  # what somebody trained is not overwritten
    with pytest.raises(UserError, match="has a run's adapter and no checkpoint to resume from"):
        said_of(folder, {"seed": 1})


def test_pairs_made_otherwise_go_to_a_file_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["data", "pairs", "count=0", "held_out=0", "rungs=parse", "workers=1"]
    for level in (0, 1, 0):
        assert main([*quick, f"difficulty={level}"]) == 1  # no pair was made
    err = capsys.readouterr().err
    assert err.count("made with difficulty=0, now it is 1; this run goes to runs/pairs/frontend-2.jsonl") == 1
    found = {path.name for path in Path("runs/pairs").iterdir()}
    names = ("frontend.jsonl", "frontend-2.jsonl")
    assert found == {f"{name}{end}" for name in names for end in ("", ".journal", ".summary.json")}
    assert PairRun(read_pair_settings(["out=other.jsonl"])).out == Path("other.jsonl")


def test_pairs_that_are_stopped_say_what_is_kept_and_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    told = ["data", "pairs", "count=40", "held_out=0", "rungs=parse", "difficulty=0", "workers=1", "out=p.jsonl"]
    journal = Path("p.jsonl.journal").absolute()

    def stop() -> None:
        while not journal.is_file() or journal.read_bytes().count(b"\n") < 3:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=stop, daemon=True).start()
    assert main(told) == 143
    last = capsys.readouterr().err.splitlines()[-1]
    pattern = (
        r"terminated: (\d+) of 40 problems are done, kept in p\.jsonl\.journal; the same command resumes from there"
    )
    found = re.fullmatch(f"kernelwright: {pattern}", last)
    assert found is not None, last
    assert 2 <= int(found[1]) < 40
    assert main(told) == 0
    assert "p.jsonl: resuming after " in capsys.readouterr().err


def test_a_default_is_numbered_and_a_named_place_is_not() -> None:
    full = {Path("a"), Path("a-2")}
    said: list[str] = []
    stranger = lambda place: "is full" if place in full else None  # noqa: E731
    assert free_place(Path("a"), True, stranger, said.append) == Path("a-3")
    assert said == ["a is full; this run goes to a-3"]
    assert free_place(Path("a"), False, stranger, said.append) == Path("a")


def test_an_ablation_of_other_arms_goes_to_a_folder_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    told = ["ablate", "policy=none", "problems=examples", "limit=1", "evaluator.seeds=1", "only=[plain]", "jobs=1"]
    for pipeline in ("lower-inductor", "lower-inductor{fuse=false}"):
        assert main([*told, f"arms.plain.pipeline={pipeline}"]) == 0
    (first, second) = sorted(Path("runs/ablate").iterdir())
    assert second.name == f"{first.name}-2"
    assert f"this run goes to {second}" in capsys.readouterr().err
    assert json.loads((second / "summary.json").read_text())["rows"] == 1
