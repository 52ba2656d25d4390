"""Hydra as its users know it: the override grammar, search paths, and configuration of packages outside this one."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelwright.driver.cli import main
from kernelwright.driver.config.beginnings import check_problems
from kernelwright.driver.config.composition import for_hydra, verbatim
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.driver.config.train_settings import ProblemSettings, read_train_settings
from kernelwright.driver.run.locks import locked
from kernelwright.ir.errors import UserError

REWARD = """_target_: mypackage.MyReward
weight: 2.0
needs: [times]
"""
CODE = """
from kernelwright.rl.algorithms.algorithm import Algorithm

class MyReward(Algorithm):
    def __init__(self, weight, needs):
        super().__init__(gamma=weight / 4)
        self.__dict__["asked"] = needs

    def __call__(self, before, after, verdict):
        return 0.0
"""
RECIPE = """# @package _global_
defaults:
  - override /algorithm: raft
trainer: {steps: 7}
rollout: {n: 3}
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of a user's own configuration, with a blank and a bracket in its name."""
    folder = tmp_path / "my conf (1)"
    (tmp_path / "mypackage.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    for group, name, text in (
        ("reward", "mine", REWARD),
        ("algorithm", "mine", REWARD),
        ("recipe", "mine", RECIPE),
        ("policy", "mine", REWARD),
        ("target", "mine", REWARD),
        ("problems", "mine", REWARD),
    ):
        (folder / group).mkdir(parents=True, exist_ok=True)
        (folder / group / f"{name}.yaml").write_text(text)
    yield folder
    sys.modules.pop("mypackage", None)


def test_a_search_path_adds_options_to_our_groups(own: Path) -> None:
    settings = read_train_settings([f"hydra.searchpath=['file://{own}']", "recipe=mine"])
    assert (settings.plain.trainer.steps, settings.plain.rollout.n, settings.algorithm.negative) == (7, 3, 0.0)
    with pytest.raises(UserError, match=r"unknown recipe 'yours' \(choose from .*mine"):
        read_train_settings([f"hydra.searchpath=['file://{own}']", "recipe=yours"])


def test_plugins_keep_keys_of_their_own(own: Path) -> None:
    given = [f"hydra.searchpath=['file://{own}']", *(f"{group}=mine" for group in ("reward", "algorithm", "policy"))]
    settings = read_train_settings([*given, "problems=mine", "target=mine", "reward.weight=3.5"])
    assert settings.plugins["reward"] == {"_target_": "mypackage.MyReward", "weight": 3.5, "needs": ["times"]}
    assert settings.plugins["algorithm"]["weight"] == 2.0 and settings.reward == "" and settings.algorithm.gamma == 0.5
    for group in (settings.plain.policy, settings.plain.problems, settings.plain.target):
        assert group.plugin == {"_target_": "mypackage.MyReward", "weight": 2.0, "needs": ["times"]}
    with pytest.raises(UserError, match=r"unknown configuration key 'reward.wight'; did you mean 'reward.weight'\?"):
        read_train_settings([*given, "reward.wight=1"])


def test_installed_packages_announce_their_configuration(own: Path, tmp_path: Path) -> None:
    package = tmp_path / "site" / "mypackage"
    package.mkdir(parents=True)
    own.rename(package / "conf")
    (package / "__init__.py").write_text(CODE)
    (package / "conf" / "__init__.py").touch()
    (tmp_path / "mypackage.py").unlink()
    info = tmp_path / "site" / "mypackage-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mypackage\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kernelwright.conf]\nmine = mypackage.conf\n")
    code = (
        "from kernelwright.driver.config.train_settings import read_train_settings as read; "
        "print(read(['recipe=mine', 'reward=mine']).plugins['reward']['weight'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({str(tmp_path / 'site')!r}); {code}"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout == "2.0\n", done.stderr


def test_keys_are_added_and_removed() -> None:
    discover()
    assert read_settings("some", ["+policy.adapters.a=there", "++seed=4"]).seed == 4
    assert read_settings("some", ["~seed"]).seed == 0
    assert read_train_settings(["~trainer.steps"]).plain.trainer.steps == 100


# Hydra's flags and folders ------------------------------------------------------------------------------------

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
QUICK = ("-p", "lower-inductor", "evaluator.seeds=1")
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.py").write_text(PROGRAM)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_cfg_and_info_print_instead_of_running(capsys: Captured) -> None:
    assert main(["train", "--cfg", "job", "--package", "algorithm", "algorithm=raft"]) == 0
    assert "negative: 0.0" in capsys.readouterr().out
    assert main(["train", "--cfg", "job", "--resolve", "stage=midend"]) == 0
    assert "out: runs/train/midend" in capsys.readouterr().out
    assert main(["ablate", "--info", "searchpath"]) == 0
    assert "pkg://kernelwright.conf" in capsys.readouterr().out
    assert main(["sft", "--hydra-help"]) == 0 and "Hydra" in capsys.readouterr().out
    assert [path.name for path in Path().iterdir()] == ["small.py"]


@pytest.mark.usefixtures("here")
def test_a_wrong_override_of_cfg_is_told_as_ever(capsys: Captured) -> None:
    assert main(["train", "--cfg", "job", "trainer.lrr=1"]) == 2
    out, err = capsys.readouterr()
    assert "unknown configuration key 'trainer.lrr'; did you mean 'trainer.lr'?" in err and "Traceback" not in err
    assert main(["train", "--cfg", "jobs"]) == 2 and "choose from job, hydra, all" in capsys.readouterr().err
    assert out == ""


def test_a_folder_and_a_name_of_ones_own_are_composed(own: Path, here: Path, capsys: Captured) -> None:
    (own / "mytrain.yaml").write_text("defaults:\n  - train\n  - _self_\n\nseed: 7\n")
    given = ["train", "--config-dir", str(own), "--config-name", "mytrain", "--cfg", "job"]
    assert main([*given, "recipe=mine"]) == 0
    shown = capsys.readouterr().out
    assert "seed: 7" in shown and "steps: 7" in shown and here.is_dir()
    assert main(["train", "--config-dir", "nowhere", "stage=midend"]) == 2
    assert "--config-dir=nowhere: there is no such folder" in capsys.readouterr().err


@pytest.mark.usefixtures("here")
def test_jobs_of_a_multirun_have_folders_of_their_own(capsys: Captured) -> None:
    assert main(["compile", "small.py", *QUICK, "-m", "target=h100,a100", "out=o/a(1) b"]) == 0
    capsys.readouterr()
    for job, target in (("0", "h100"), ("1", "a100")):
        folder = Path("o/a(1) b", job)
        assert json.loads((folder / "report.json").read_text())["target"] == target
        assert f"target={target}" in (folder / ".hydra" / "overrides.yaml").read_text()


@pytest.mark.usefixtures("here")
def test_one_failing_job_fails_the_multirun_and_the_others_run(capsys: Captured) -> None:
    given = ["compile", "small.py", *QUICK, "-m", "import.shrink=never", "name=good,'a/b'", "out=o"]
    assert main(given) == 2
    assert "error: job 1" in (said := capsys.readouterr().err) and "must be letters" in said
    assert Path("o/0/report.json").is_file() and not Path("o/1/report.json").exists()


LAUNCHER = """import os
from hydra.core.config_store import ConfigStore
from hydra._internal.core_plugins.basic_launcher import BasicLauncher


class Counting(BasicLauncher):
    def launch(self, job_overrides, initial_job_idx):
        with open("launched.txt", "a") as file:
            file.write(f"{len(job_overrides)}\\n")
        return super().launch(job_overrides, initial_job_idx)


ConfigStore.instance().store("counting", {"_target_": f"{__name__}.Counting"}, group="hydra/launcher")
"""


def test_a_launcher_of_another_package_runs_the_jobs(here: Path) -> None:
    (here / "site" / "hydra_plugins" / "counting").mkdir(parents=True)
    (here / "site" / "hydra_plugins" / "counting" / "launcher.py").write_text(LAUNCHER)
    (here / "site" / "hydra_plugins" / "counting" / "__init__.py").touch()
    command = [sys.executable, "-m", "kernelwright.driver.cli", "compile", "small.py", "-m", "hydra/launcher=counting"]
    wrong = ["seed=1,2", "name=a/b", "out=o"]  # each job is refused at once, which is all that this needs
    env = os.environ | {"PYTHONPATH": str(here / "site")}
    done = subprocess.run([*command, *wrong], cwd=here, env=env, capture_output=True, text=True, timeout=300)
    assert (here / "launched.txt").read_text() == "2\n", done.stderr
    assert done.returncode == 2 and done.stderr.count("must be letters") == 2


@pytest.mark.parametrize("out", ["o/ü", "o/a(1)", "it's", "a=b,c", "[x]", "{y}", 'q"q'])
def test_paths_are_taken_as_they_are(out: str) -> None:
    discover()
    assert read_settings("some", [f"out={out}"]).out == out
    assert verbatim(for_hydra(f"out={out}", "train"), "train") == f"out={out}"
    assert read_train_settings([f"adapter={out}", f"policy.path={out}"]).plain.adapter == out


@pytest.mark.usefixtures("here")
def test_a_run_that_is_refused_leaves_the_record_of_the_one_that_works(capsys: Captured) -> None:
    default = "runs/train/frontend"
    for folder, given in (("o", ["out=o"]), ("o", ["hydra.run.dir=o"]), (default, [])):
        record = Path(folder, ".hydra", "overrides.yaml")
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text("kept")
        with locked(Path(folder)):
            assert main(["train", *given]) == 2
        assert f"{folder} is in use by another run (process {os.getpid()})" in capsys.readouterr().err
        assert record.read_text() == "kept" and [path.name for path in Path(folder).iterdir()] == [".hydra"]


@pytest.mark.usefixtures("here")
def test_hydra_run_dir_is_the_run_folder(capsys: Captured) -> None:
    assert main(["compile", "small.py", *QUICK, "hydra.run.dir=there", "hydra.verbose=[nothing]"]) == 0
    assert "run folder: there" in capsys.readouterr().out
    assert {"report.json", ".hydra"} <= {path.name for path in Path("there").iterdir()}
    assert not Path("runs").exists()


def test_completion_knows_verbs_and_keys(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    assert main(["--shell-completion", "install=bash"]) == 0
    assert "hydra_bash_completion kernelwright" in capsys.readouterr().out
    monkeypatch.setenv("COMP_LINE", "kernelwright tr")
    assert main(["-sc", "query=bash"]) == 0 and capsys.readouterr().out.split() == ["train"]
    monkeypatch.setenv("COMP_LINE", "kernelwright train trainer.st")
    assert main(["-sc", "query=bash"]) == 0 and "trainer.steps=" in capsys.readouterr().out


#: Over all verbs: what is wrong, and is told without torch.
WRONG = {
    "compile nope.py": "nope.py: No such file",
    "compile small.py h100": "write target=h100",
    "compile small.py --emit=cuda": "choose from triton",
    "compile small.py -p lower-inductr": "did you mean 'lower-inductor'?",
    "compile small.py target=h1000": "unknown target 'h1000'",
    "opt small.py -p tune{trials=0}": "give at least 1",
    "evaluate reference=small.py": "candidate=FILE is missing",
    "evaluate batch=nope.jsonl": "no such file",
    "train algorithm.gamma=3": "algorithm.gamma=3: out of range, 0 to 1",
    "train trainer.lr=nan": "trainer.lr=nan: a finite number is expected",
    "sft": "pairs=FILE is missing",
    "sft pairs=nope.jsonl": "pairs=nope.jsonl: no such file; give the file that `kernelwright data pairs` wrote",
    "sft pairs=folder": "pairs=folder: not a file",
    "sft pairs=pairs.jsonl adapter=folder": "adapter=folder: no LoRA adapter in folder",
    "train pairs=nope.jsonl trainer.pairs=2": "pairs=nope.jsonl: no such file",
    "train adapter=nope": "adapter=nope: no LoRA adapter in nope",
    "train adapter=shipped:nope": "no adapter shipped:nope comes with this package",
    "train problems.place=nope.jsonl": "problems.place=nope.jsonl: no such file or folder",
    "ablate problems.place=small.txt": "problems.place=small.txt: no such file or folder",
    "ablate experiment=rewards train.adapter=nope": "adapter=nope: no LoRA adapter in nope",
    "data pairs problems=nope.jsonl": "problems=nope.jsonl: no such file or folder",
    "data pairs against=small.yaml": "against=small.yaml: a .yaml holds no problems",
    "model blend shipped:frontend nope share=0.5 out=there": "no LoRA adapter in nope",
    "ablate arms.x.pipeline=nope": "unknown pass 'nope'",
    "data pairs count=-1": "count=-1: out of range, at least 0",
    "data": "data takes `pairs`, `rollouts`, `kernelbench` or `kernels`",
    "model fetch": "model takes `fetch NAME`",
    "passes all": "passes takes no argument",
}


def test_errors_of_arguments_do_not_wait_for_torch(here: Path) -> None:
    (here / "folder").mkdir()
    (here / "pairs.jsonl").touch()
    (here / "small.yaml").touch()
    code = (
        "import contextlib, io, json, sys; from kernelwright.driver.cli import main; found = []\n"
        "for line in json.loads(sys.argv[1]):\n"
        "    said = io.StringIO()\n"
        "    with contextlib.redirect_stderr(said): status = main(line.split())\n"
        "    found.append([status, said.getvalue(), 'torch' in sys.modules])\n"
        "print(json.dumps(found))"
    )
    command = [sys.executable, "-c", code, json.dumps(list(WRONG))]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    for (line, message), (status, said, torch) in zip(WRONG.items(), json.loads(done.stdout), strict=True):
        assert status == 2 and message in said and "Traceback" not in said, (line, said)
        assert not torch, line


def test_places_of_a_packages_own_source_are_its_own() -> None:
    check_problems(ProblemSettings(place="mine:1", plugin={"_target_": "mypackage.Problems"}))
    with pytest.raises(UserError, match=r"problems\.place=mine:1: no such file or folder"):
        check_problems(ProblemSettings(place="mine:1"))


def test_help_alone_is_the_overview_with_status_2(capsys: Captured) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert "usage: kernelwright VERB" in out and err == ""


@pytest.mark.parametrize("given", ["policy.template.enable_thinking=false", "policy.template={enable_thinking:false}"])
def test_names_of_the_users_own_are_keys(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--cfg", "job", "--package", "policy", "policy=hf", given, "policy.adapters.mine=there"]) == 0
    shown = capsys.readouterr().out
    assert "template:\n  enable_thinking: false" in shown and "adapters:\n  mine: there" in shown
    assert read_train_settings(["policy=hf", given]).plain.policy.template == {"enable_thinking": False}
