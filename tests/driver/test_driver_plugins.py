"""Plug-ins of every kind from a package outside this one, by the command line and by Python; and broken packages."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

import kernelwright
from kernelwright.agent.rewards import REWARDS, make_reward, named
from kernelwright.backend.targets import TARGETS, Target, add_target, get_target
from kernelwright.driver.cli import main
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import read_settings
from kernelwright.driver.config.train_settings import read_train_settings
from kernelwright.driver.run_records import CompileRun
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import REGISTRY, Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.plugins import look_again
from kernelwright.midend.search.choices import describe_choices
from kernelwright.midend.search.space import Space
from kernelwright.rl.algorithms.presets import PRESETS

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"
RELU = EXAMPLE / "tests" / "relu.py"
discover()
STAGES = ("00-import", "01-lower-inductor", "02-more-warps")
REGISTRIES = (REGISTRY, REWARDS, TARGETS, PRESETS)


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test brings in is gone after it."""
    monkeypatch.setenv("KERNELWRIGHT_TARGETS", "[]")
    known = [set(registry) for registry in REGISTRIES]
    modules = set(sys.modules)
    yield
    for registry, before in zip(REGISTRIES, known, strict=True):
        for name in set(registry) - before:
            del registry[name]  # type: ignore[attr-defined]
    for name in set(sys.modules) - modules:
        if name.partition(".")[0] in ("kernelwright_example", "broken_example"):
            del sys.modules[name]
    look_again()


STAGES_PASS = '''
"""A pass of another package, which says where in a chain it stands."""

from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase, Variant
from kernelwright.ir.passes import Context, Pass
from kernelwright.ir.values import KernelModule, Level


@dataclass(frozen=True)
class Stages(Pass):
    """Set the stages of every kernel."""

    name: ClassVar[str] = "stages"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(Phase.FINISH, after=("cache-hints",), variants=(Variant("count=2"),))

    count: int = 1

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        kernels = (replace(one, meta=(*one.meta, ("num_stages", self.count))) for one in module.kernels)
        return replace(module, kernels=tuple(kernels))
'''


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package, built from a copy and installed in a folder of its own."""
    source, site = tmp_path_factory.mktemp("plugin") / "source", tmp_path_factory.mktemp("site")
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(site), str(source)], check=True, capture_output=True)
    return site


@pytest.fixture
def example(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The installed package, found by this process."""
    monkeypatch.syspath_prepend(installed)
    look_again()
    return installed


@pytest.fixture
def announce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes a package that announces entry points, and a module `broken_example` with some code."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(name: str, entry_points: str, code: str = "") -> None:
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(entry_points)
        if code:
            (tmp_path / "broken_example.py").write_text(code)
        look_again()

    return make


@pytest.mark.usefixtures("example")
def test_a_pass_a_target_and_a_policy_by_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [str(RELU), "-p", "lower-inductor,more-warps{warps=2}", "target=h100-half", "evaluator.seeds=1"]
    assert main(["compile", *given, f"out={tmp_path / 'run'}", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["target"] == "h100-half" and [stage["changed"] for stage in report["stages"]] == [True, True]
    run = kernelwright.load(tmp_path / "run")
    assert isinstance(run, CompileRun) and run.ok and list(run.stages) == list(STAGES)
    plain, more = (dict(run.stage(name).kernels[-1].meta) for name in STAGES[1:])
    assert (more["num_warps"], dict(run.module.kernels[-1].meta)) == (2, plain | {"num_warps": 2})
    asked = [str(RELU), "-p", "fe-agent{n=1}", "policy=rules", "policy.block=128", "evaluator.seeds=1"]
    assert main(["compile", *asked, f"out={tmp_path / 'asked'}", "--emit=kernelbench"]) == 0
    assert "128" in capsys.readouterr().out
    assert main(["passes"]) == 0
    assert "more-warps  (triton -> triton, of kernelwright_example)" in capsys.readouterr().out


@pytest.mark.usefixtures("example")
def test_a_pass_a_policy_and_a_target_by_python() -> None:
    assert kernelwright.passes()["more-warps"].package == "kernelwright_example"
    whole = kernelwright.compile(RELU, pipeline="lower-inductor", overrides=["evaluator.seeds=1"])
    asked = {"policy": "rules", "policy.block": 256, "evaluator.seeds": 1}
    half = kernelwright.compile(RELU, pipeline="fe-agent{n=1}", target="h100-half", overrides=asked)
    assert half.ok and "256" in half.emit() and half.module.provenance[-1].policy == "rules@1"
    assert half.report["stages"][0]["estimated_us"] >= whole.report["stages"][0]["estimated_us"]
    x = torch.randn(8, 64)
    torch.testing.assert_close(half(x), torch.relu(x))


@pytest.mark.usefixtures("example")
def test_options_of_packages_are_options_of_our_groups() -> None:
    assert "kernelwright_example" not in sys.modules
    read_train_settings([])
    assert "kernelwright_example" not in sys.modules  # nobody asked for it
    settings = read_train_settings(["recipe=example", "algorithm.kl=0.25", "reward.per_line=0.5", "problems.count=2"])
    assert (settings.reward, settings.pay["per_line"]) == ("short", 0.5)
    assert (settings.algorithm.negative, settings.algorithm.kl) == (0.5, 0.25)
    assert settings.plain.problems.plugin["count"] == 2 and settings.plain.trainer.steps == 20
    written = read_train_settings(["reward=shortest", "problems=wide", "target=h100-half"])
    assert written.make_reward() == make_reward("short", {"per_line": 0.1})
    assert written.plain.target.chosen == "h100-half"
    for override, message in {
        "reward=shorter": r"unknown reward 'shorter' \(choose from .*short, shortest",
        "target=h100-hal": r"unknown target 'h100-hal' \(choose from .*h100-half",
        "algorithm=gentlest": "unknown algorithm 'gentlest' .*gentle",
        "policy=ruler": "unknown policy 'ruler' .*rules",
        "problems=binary": "unknown problems 'binary' .*unary, wide",
        "reward.per_lines=1": r"unknown configuration key 'reward.per_lines'; did you mean 'reward.per_line'",
    }.items():
        with pytest.raises(UserError, match=message):
            read_train_settings(["reward=short", override])
    with pytest.raises(UserError, match=r"reward: _target_=kernelwright_example\.rewards\.ShortReward: .*per_line=-1"):
        read_train_settings(["reward=shortest", "reward.per_line=-1"])


@pytest.mark.usefixtures("example", "one_thread")
def test_a_reward_an_algorithm_a_recipe_and_problems_train(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = {
        "policy": "hf",
        "policy.model": str(base),
        "policy.max_model_len": 20000,
        "trainer": {"rank": 4, "lr": 1e-2, "steps": 1, "dtype": "float32"},
        "rollout": {"form": "kernels", "n": 2, "max_tokens": 4, "rungs": ["parse"]},
        "canary.enabled": False,
        "device": "cpu",
        "workers": 1,
    }
    run = kernelwright.train("frontend", small, out=tmp_path / "api", recipe="example", verbose=False)
    assert run.last["reward"] == -1.0 and run.config["algorithm"]["name"] == "gentle"
    assert run.adapter is not None and len(run.checkpoints) == 1
    assert run.config["problems"]["_target_"] == "kernelwright_example.problems.unary_programs"
    told = [f"{key}={value}" for key, value in small.items() if not isinstance(value, dict)]
    told += ["trainer.rank=4", "trainer.steps=1", "rollout.form=kernels", "rollout.n=2", "rollout.max_tokens=4"]
    told += ["recipe=example", "reward=shortest", "reward.failure=-3.0", "problems=wide", "rollout.rungs=[parse]"]
    assert main(["train", *told, f"out={tmp_path / 'cli'}"]) == 0
    assert json.loads(capsys.readouterr().out)["reward"] == -3.0
    shown = kernelwright.load(tmp_path / "cli")._repr_html_()
    assert "the last 1 of 1 steps, measured by the run" in shown


@pytest.mark.usefixtures("example")
def test_what_a_reward_needs_is_checked_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["recipe=example", "policy=rules", f"out={tmp_path / 'run'}", "device=cpu"]
    assert main(["train", *given, "reward.speed=1"]) == 2
    assert "the reward short uses measured times, but the rungs parse, interpret measure no times" in (
        capsys.readouterr().err
    )
    assert main(["train", *given, "reward=shortest", "reward.speed=1"]) == 2
    assert "the reward kernelwright_example.rewards.ShortReward uses measured times" in capsys.readouterr().err
    with pytest.raises(UserError, match=r"the reward profiling uses measured times"):
        kernelwright.train(out=tmp_path / "run", reward="profiling", policy="rules", device="cpu", verbose=False)


@pytest.mark.slow
def test_the_package_tests_itself_beside_this_one(installed: Path) -> None:
    place = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(EXAMPLE.parents[1])])}
    command = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", "-c", os.devnull, EXAMPLE / "tests"]
    done = subprocess.run(command, cwd=installed, env=place, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout + done.stderr


def test_a_broken_package_is_named_and_costs_only_who_asks_for_it(
    announce: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    announce(
        "breaks",
        "[kernelwright.rewards]\nodd = broken_example:Odd\n[kernelwright.passes]\nodd = broken_example:Odd\n"
        "[kernelwright.targets]\nodd = broken_example:Odd\n[kernelwright.policies]\nodd = broken_example:Odd\n",
        "import a_package_that_is_not_there\n",
    )
    assert read_settings("some").target == "auto"
    assert get_target("h100").name == "h100" and make_reward("frontend") is not None
    loads = r"odd' of breaks 1\.0 \(entry point odd = broken_example:Odd in kernelwright\.{}\) does not load: "
    loads += "ModuleNotFoundError: No module named 'a_package_that_is_not_there'$"
    with pytest.raises(UserError, match=loads.format("rewards")):
        make_reward("odd")
    with pytest.raises(UserError, match=loads.format("targets")):
        get_target("odd")
    with pytest.raises(UserError, match=loads.format("rewards")):
        read_train_settings(["reward=odd"])
    with pytest.raises(UserError, match=loads.format("policies")):
        read_settings("some", ["policy=odd"])
    with pytest.raises(UserError, match=loads.format("passes").removesuffix("$")):
        parse_pipeline("lower-inductor,odd")
    assert main(["passes"]) == 0
    out, err = capsys.readouterr()
    assert "lower-inductor  (torch -> triton)" in out and "odd" not in out
    assert err.startswith("kernelwright: left out: pass 'odd' of breaks 1.0") and err.count("\n") == 1
    with pytest.warns(UserWarning, match="pass 'odd' of breaks 1.0"):
        assert "odd" not in kernelwright.passes()


def test_a_package_that_takes_the_name_of_a_pass_is_left_out_of_the_list(
    announce: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    announce("takes", "[kernelwright.passes]\ntune = broken_example:Odd\n", "class Odd:\n    pass\n")
    assert main(["passes"]) == 0
    out, err = capsys.readouterr()
    assert "lower-inductor  (torch -> triton)" in out and "\ntune  (" not in out
    assert err.startswith("kernelwright: left out: pass 'tune' of takes 1.0") and err.count("\n") == 1


def test_a_package_that_ends_the_process_is_left_out(
    announce: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    announce("ends", "[kernelwright.passes]\nodd = broken_example:Odd\n", "import sys\n\nsys.exit(0)\n")
    with pytest.raises(UserError, match=r"pass 'odd' of ends 1\.0 \(.*\) does not load: SystemExit: 0"):
        parse_pipeline("lower-inductor,odd")
    assert main(["passes"]) == 0
    out, err = capsys.readouterr()
    assert "lower-inductor  (torch -> triton)" in out and "odd' of ends 1.0" in err


def test_what_does_not_fit_and_names_that_are_taken_are_told(announce: Callable[..., None]) -> None:
    announce(
        "unfit",
        "[kernelwright.rewards]\nodd = broken_example:Odd\n[kernelwright.passes]\nodd = broken_example:Odd\n"
        "[kernelwright.targets]\nodd = broken_example:Odd\nh100 = broken_example:Odd\n"
        "[kernelwright.algorithms]\nodd = broken_example:Odd\n[kernelwright.policies]\nodd = broken_example:Odd\n",
        "class Odd:\n    pass\n",
    )
    for ask, message in (
        (lambda: make_reward("odd"), r"cannot be used: it is not a dataclass with a method __call__\(before"),
        (lambda: parse_pipeline("odd"), "cannot be used: it is not a subclass of kernelwright.ir.passes.Pass"),
        (lambda: get_target("odd"), r"cannot be used: it is not a kernelwright\.backend\.targets\.Target"),
        (lambda: get_target("h100"), r"target 'h100' of unfit 1\.0 .* has a name that is taken by Target\(name='h100'"),
        (
            lambda: read_train_settings(["algorithm=odd"]),
            r"it is not a kernelwright\.rl\.algorithms\.algorithm\.Algorithm",
        ),
    ):
        with pytest.raises(UserError, match=message):
            ask()
    policy = {"policy": "odd"}
    with pytest.raises(UserError, match=r"policy: _target_=broken_example\.Odd: Odd has no method sample"):
        kernelwright.compile(RELU, pipeline="fe-agent{n=1}", overrides=policy)
    announce("other", "[kernelwright.rewards]\nodd = broken_example:Other\n")
    with pytest.raises(UserError, match=r"reward 'odd' is announced by .*unfit 1\.0.*: uninstall one of them"):
        make_reward("odd")


def test_configuration_of_a_package_that_cannot_be_imported_harms_nobody(
    announce: Callable[..., None], tmp_path: Path
) -> None:
    folder = tmp_path / "broken_example" / "conf" / "reward"
    folder.mkdir(parents=True)
    (tmp_path / "broken_example" / "__init__.py").write_text("raise RuntimeError('no such licence')\n")
    (folder / "mine.yaml").write_text("_target_: broken_example.Mine\n")
    announce("breaks", "[kernelwright.conf]\nbroken = broken_example.conf\n")
    assert read_train_settings([]).reward == "frontend"
    message = r"reward: _target_=broken_example\.Mine cannot be imported: no such licence; install its package, or set"
    with pytest.raises(UserError, match=message):
        read_train_settings(["reward=mine"])


def test_a_session_registers_things_in_the_same_way() -> None:
    mine = Target(**{**vars(get_target("h100")), "name": "mine", "sm_count": 10})
    assert add_target(mine) is get_target("mine")
    child = "from kernelwright.backend.targets import get_target; print(get_target('mine').sm_count)"
    done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True)
    assert done.stdout == "10\n"  # processes that this one starts know it
    with pytest.raises(UserError, match=r"reward 'kevin' is taken by kernelwright\.agent\.rewards\.KevinReward; give"):
        named("kevin")(type("Other", (), {}))


def test_search_and_agents_try_a_pass_of_another_package(announce: Callable[..., None]) -> None:
    announce("stages", "[kernelwright.passes]\nstages = broken_example:Stages\n", STAGES_PASS)
    assert "- `stages` (count=1): Set the stages of every kernel." in describe_choices()
    module = kernelwright.compile(str(RELU), pipeline="lower-inductor", target="h100").module
    space = Space(module, Context("h100"))
    tried = {candidate.spec: candidate.module for candidate in space.walk(space.plain(), lambda _module: 0.0, 2)}
    assert dict(tried["given,stages{count=2}"].kernels[0].meta)["num_stages"] == 2
