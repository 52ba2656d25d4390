"""What a training run is told before it begins, and what it sets aside instead of ending."""

import json
import threading
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import torch
from rich.console import Console
from test_driver_run import Told, told

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.rewards import needs_of
from kernelwright.driver.ablation.settings import read_ablate_settings
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.train_settings import read_train_settings
from kernelwright.driver.run.set_aside import SET_ASIDE
from kernelwright.driver.training import given as reading
from kernelwright.driver.training import run as training
from kernelwright.driver.training.given import read_modules
from kernelwright.driver.training.reward_needs import check_needs, doubts
from kernelwright.driver.training.run import run_train
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule, Reference
from kernelwright.rl.trainer.learner import LoraSettings, open_model
from kernelwright.rl.trainer.run_log import read_metrics
from kernelwright.serve.adapters import adapter_config, adapter_folder
from kernelwright.serve.hf import HfPolicy, HfSettings

pytestmark = pytest.mark.usefixtures("one_thread")

GOOD = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


def get_inputs():
    return [torch.randn(5, 7)]
"""
BROKEN = GOOD.replace("torch.relu(x) * 2", "torch.no_such_function(x)")


def problems(path: Path, **sources: str) -> Path:
    path.write_text("".join(json.dumps({"id": name, "source": text}) + "\n" for name, text in sources.items()))
    return path


def named(folder: Path) -> list[tuple[str, str]]:
    rows = map(json.loads, (folder / SET_ASIDE).read_text().splitlines())
    return [(row["name"], row["why"]) for row in rows]


def test_problems_that_fail_to_import_are_counted_and_named(base: Path, tmp_path: Path) -> None:
    place = problems(tmp_path / "problems.jsonl", good=GOOD, broken=BROKEN, other=GOOD.replace("* 2", "* 3"))
    shown, out = StringIO(), tmp_path / "run"
    given = [*told(base, out, steps=1), f"problems.place={place}", "problems.split=null", "canary.enabled=false"]
    last = run_train(read_train_settings(given), Console(file=shown, width=400))
    assert last["set_aside"] == 1 and named(out) == [("broken", "not_read")]
    assert "no_such_function" in json.loads((out / SET_ASIDE).read_text())["cause"]
    assert "broken is set aside, because it cannot be read or lowered: " in shown.getvalue()
    assert {name for row in read_metrics(out) for name in row["problems"]} == {"good", "other"}


def test_problems_are_read_side_by_side_and_keep_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of two waits until the other is being read."""
    both, read = threading.Barrier(2), reading.import_reference

    def together(*arguments: Any) -> Reference:
        both.wait(60)
        return read(*arguments)

    monkeypatch.setattr(reading, "usable_cores", lambda: 2)
    monkeypatch.setattr(reading, "import_reference", together)
    place = problems(tmp_path / "problems.jsonl", slow=GOOD, broken=BROKEN)
    settings, aside = read_train_settings([f"problems.place={place}", "problems.split=null"]), list[str]()
    found = read_modules(settings.plain.problems, "frontend", "h100", settings, lambda name, _cause: aside.append(name))
    assert [module.name for module in found] == ["slow"] and aside == ["broken"]


def test_where_none_can_be_worked_on_the_first_is_named(tmp_path: Path) -> None:
    discover()
    place = problems(tmp_path / "problems.jsonl", broken=BROKEN)
    settings = read_train_settings([f"problems.place={place}", "problems.split=null"])
    with pytest.raises(UserError, match=r"no problem of 1 could be read and lowered; broken: .*no_such_function"):
        read_modules(settings.plain.problems, "frontend", "h100", settings)


@pytest.mark.parametrize("known", [True, False])
def test_a_prompt_that_is_too_long_is_set_aside(base: Path, tmp_path: Path, known: bool) -> None:
    """Before the first step by the learner's tokenizer, and in a step where the policy has less room than it says."""
    place = problems(
        tmp_path / "problems.jsonl",
        good=GOOD,
        long=GOOD.replace("        return", "        x = torch.relu(x)\n" * 300 + "        return"),
    )
    out = tmp_path / "run"
    given = [*told(base, out, steps=2), f"problems.place={place}", "problems.split=null", "canary.enabled=false"]
    given += [f"policy.max_model_len={1000 if known else 20000}", "trainer.problems=1"]
    with HfPolicy(HfSettings(str(base), context=1000)) as policy:
        last = run_train(read_train_settings(given), Console(file=StringIO()), policy)
    assert last["set_aside"] == 1 and named(out) == [("long", "prompt_too_long")]
    rows = read_metrics(out)
    assert len(rows) == 2
    assert sum(row["turns"] == 0 for row in rows) == (0 if known else 1)


def test_where_no_prompt_has_room_the_run_ends_before_its_first_step(base: Path, tmp_path: Path) -> None:
    given = [*told(base, tmp_path / "run", steps=1), "policy.max_model_len=8"]
    with pytest.raises(UserError, match=r"no problem's prompt leaves room for an answer in policy\.max_model_len=8"):
        run_train(read_train_settings(given), Console(file=StringIO()))


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is there")
@pytest.mark.parametrize(
    ("told", "message"),
    [
        (["reward=kevin"], "the reward kevin"),
        (["reward=kevin", "rollout.rungs=[parse,compile,run,time]"], "rollout.rungs has run, which needs a GPU"),
        (["reward=frontend", "rollout.rungs=[parse,run]"], "rollout.rungs has run, which needs a GPU"),
    ],
)
def test_what_a_machine_without_a_gpu_cannot_measure_is_told_at_the_start(told: list[str], message: str) -> None:
    settings = read_train_settings(told)
    with pytest.raises(UserError, match=message.replace("[", r"\[")):
        check_needs(needs_of(settings.make_reward()), settings)
    elsewhere = read_train_settings([*told, "evaluator=ray"])  # its nodes may have GPUs
    if len(told) > 1:
        check_needs(needs_of(elsewhere.make_reward()), elsewhere)


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is there")
def test_a_timed_reward_without_a_gpu_ends_a_run_before_it_begins(tmp_path: Path) -> None:
    nowhere = f"policy.model={tmp_path / 'none'}"  # which would be told, were it looked for
    settings = read_train_settings(["reward=kevin", "policy=hf", nowhere, f"out={tmp_path / 'run'}"])
    with pytest.raises(UserError, match="the reward kevin uses measured times"):
        run_train(settings, Console(file=StringIO()))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (["reward.determinism_weight=1"], "reward.determinism_weight=1 compares runs on the same input"),
        (["reward.spread_weight=1"], "reward.spread_weight=1 needs the spread over timed runs"),
        (["reward.spread_weight=1", "rollout.rungs=[parse,run]", "evaluator.samples=9"], "spread over timed runs"),
    ],
)
def test_terms_of_several_runs_are_told_what_they_lack(told: list[str], message: str) -> None:
    settings = read_train_settings(["reward=frontend", "evaluator=ray", *told])
    with pytest.raises(UserError, match=message):
        check_needs(needs_of(settings.make_reward()), settings)
    met = ["evaluator.repeats=3", "rollout.rungs=[parse,compile,run,time]", "evaluator.timed_runs=100"]
    fine = read_train_settings(["reward=frontend", "evaluator=ray", *told, *met])
    check_needs(needs_of(fine.make_reward()), fine)


def test_a_failure_that_is_added_up_over_turns_is_doubted() -> None:
    (said,) = doubts(read_train_settings(["recipe=kevin", "reward=frontend"]))
    assert "reward.failure=-10 is added up over 4 turns" in said and "give reward.failure=0" in said
    for fine in (
        ["recipe=kevin"],
        ["recipe=kevin", "reward=frontend", "reward.failure=0"],
        ["recipe=kevin", "reward=frontend", "algorithm.group=prompt_turn"],
        ["recipe=kevin", "reward=frontend", "rollout.turns=1"],
        ["recipe=dr_kernel", "reward=frontend"],
        ["reward=frontend"],
    ):
        assert doubts(read_train_settings(fine)) == [], fine


def test_a_run_says_what_it_doubts(base: Path, tmp_path: Path) -> None:
    shown = StringIO()
    given = [*told(base, tmp_path / "run", steps=1), "algorithm=kevin", "rollout.turns=2", "canary.enabled=false"]
    run_train(read_train_settings(given), Console(file=shown, width=400))
    assert "warning: reward.failure=-10 is added up over 2 turns" in shown.getvalue()


def test_training_measures_a_high_speedup_twice(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first time of a candidate is too good to be true."""
    asked = list[str]()

    def evaluate(modules: Iterable[KernelModule], _rungs: Any) -> Iterator[Verdict]:
        for module in modules:
            asked.append(module.digest)
            times = {"eager": 1.0, "candidate": 0.5 if asked.count(module.digest) > 1 else 0.001}
            yield Verdict(Status.OK, Rung.TIME, times_ms=times, rungs=(Rung.PARSE, Rung.RUN, Rung.TIME))

    monkeypatch.setattr(training, "judged_by", lambda _pool: evaluate)
    monkeypatch.setattr(training, "check_needs", lambda *_: None)  # there is no GPU to measure on
    place = problems(tmp_path / "problems.jsonl", good=GOOD)
    given = [*told(base, tmp_path / "run", steps=1), f"problems.place={place}", "problems.split=null", "reward=kevin"]
    given += ["rollout.form=native", "rollout.rungs=null", "canary.enabled=false", "trainer.problems=1"]
    with Told(HfSettings(str(base), context=20000)) as policy:
        run_train(read_train_settings(given), Console(file=StringIO()), policy)
    (row,) = read_metrics(tmp_path / "run")
    assert row["reward"] == pytest.approx(0.3 + 2.0)
    assert len(asked) == 2


@pytest.mark.parametrize("experiment", ["algorithms", "dr_kernel", "rewards", "timed_rewards"])
def test_experiments_that_train_start_from_an_adapter_that_answers(experiment: str) -> None:
    discover()
    for arm in read_ablate_settings([f"experiment={experiment}"]).arms:
        (settings,) = arm.training.values()
        assert settings.plain.adapter == "shipped:frontend"
        assert arm.policy.max_rank == adapter_config(adapter_folder("shipped:frontend"))["r"]
        assert settings.plain.rollout.form == "kernels" and settings.plain.policy.model == "smollm"


def test_an_adapter_of_another_base_is_refused_in_words(base: Path) -> None:
    with pytest.raises(
        UserError, match=r"does not fit the base .* has the shape \[16, 576\], and \[.*\] is needed .*=null"
    ):
        open_model(base, LoraSettings(), adapter_folder("shipped:frontend"))
