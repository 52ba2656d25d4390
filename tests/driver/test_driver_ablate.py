"""`kernelwright ablate`: arms as configured, rows that are kept, what a table says, and runs that are stopped."""

import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import kernelwright
from kernelwright.agent.policy import Sampling
from kernelwright.agent.rewards import make_reward
from kernelwright.driver.ablation.ablation import Ablation
from kernelwright.driver.ablation.settings import AblateSettings, read_ablate_settings
from kernelwright.driver.ablation.table import print_arms, summarize_arms
from kernelwright.driver.campaigns.problem_sources import read_programs
from kernelwright.driver.cli import main
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.policies import PolicyKind
from kernelwright.driver.config.train_settings import ProblemSettings
from kernelwright.driver.run_records import AblationRun
from kernelwright.frontend.agent import FrontendAgentPass
from kernelwright.frontend.difficulties import HELD_OUT
from kernelwright.frontend.generate import generate_program
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import UserError
from kernelwright.rl.data.contamination import form_is_held_out
from kernelwright.rl.data.normal_form import normal_digest
from kernelwright.rl.data.rows import Problem, write_rows
from kernelwright.serve.replay import RecordingPolicy, ScriptedPolicy

PROGRAM = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * FACTOR


def get_inputs():
    return [torch.randn(5, 7)]
"""
RIGHT = """import torch
import triton
import triton.language as tl


@triton.jit
def scaled(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.where(x > 0, x, 0.0) * FACTOR, mask=i < n)


def forward(x: "f32[5, 7]"):
    out = torch.empty_like(x)
    scaled[(1,)](x, out, 35, BLOCK=64)
    return out
"""
WRONG = "I do not know."
#: What the agent answers to the problem with this factor, by seed.
ANSWERED = {2: (True, False), 3: (True, True)}


def text_of(right: bool, factor: int) -> str:
    return f"```python\n{RIGHT.replace('FACTOR', str(factor))}```" if right else WRONG


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two problems, and answers to them that are recorded: overrides that name both."""
    folder = tmp_path_factory.mktemp("ablation")
    discover()
    write_rows(
        folder / "problems.jsonl",
        [Problem(f"by/{factor}", PROGRAM.replace("FACTOR", str(factor))) for factor in ANSWERED],
    )
    asks = FrontendAgentPass().agent("h100", make_reward("frontend"))
    for factor, answered in ANSWERED.items():
        prompt = asks.render(import_source(PROGRAM.replace("FACTOR", str(factor)), f"by_{factor}"))
        for seed, right in enumerate(answered):
            with RecordingPolicy(ScriptedPolicy([[text_of(right, factor)] * 2]), folder / "answers.jsonl") as policy:
                policy.sample([prompt], Sampling(n=2, seed=seed))
    return [
        f"problems.place={folder / 'problems.jsonl'}",
        "problems.split=null",
        "policy=replay",
        f"policy.path={folder / 'answers.jsonl'}",
        "evaluator.seeds=1",
        "target=h100",
        "jobs=1",
    ]


ARMS = (
    "seeds=[0,1]",
    "only=[agent,net,passes]",
    'arms.agent.pipeline=fe-agent{n=2,rungs="parse interpret"}',
    'arms.net.pipeline=fe-agent{n=2,rungs="parse interpret"},lower-inductor{keep=true}',
    "arms.passes.pipeline=lower-inductor,tune{trials=2}",
)


def rows_of(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "table.jsonl").read_text().splitlines()][1:]


def told_of(out: Path) -> dict[tuple[str, int, str], tuple[str, float | None]]:
    """The rows without their seconds."""
    return {(row["arm"], row["seed"], row["problem"]): (row["status"], row.get("speedup")) for row in rows_of(out)}


def summary_of(out: Path) -> dict[str, Any]:
    """The summary without the command."""
    found: dict[str, Any] = json.loads((out / "summary.json").read_text())
    return {key: value for key, value in found.items() if key != "command"}


@pytest.fixture(scope="module")
def finished(files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("finished") / "ablation"
    assert main(["ablate", f"out={out}", *files, *ARMS]) == 0
    return out


# What is run ------------------------------------------------------------------------------------------------


def test_rows_say_what_became_of_each_problem(finished: Path) -> None:
    found = told_of(finished)
    assert len(found) == 12
    for factor, answered in ANSWERED.items():
        for seed, right in enumerate(answered):
            assert found["agent", seed, f"by/{factor}"][0] == ("ok" if right else "unchanged")
            assert found["net", seed, f"by/{factor}"][0] == found["passes", seed, f"by/{factor}"][0] == "ok"
    changed = {(row["arm"], row["seed"], row["problem"]): row.get("changed_by") for row in rows_of(finished)}
    assert changed["net", 0, "by/2"] == ["fe-agent"]  # its kernels are kept
    assert changed["net", 1, "by/2"] == ["lower-inductor"]


def test_the_command_of_a_run_repeats_it(finished: Path, files: list[str]) -> None:
    """Also what trains arms, and a list, neither of which Hydra is given as it stands."""
    command = json.loads((finished / "summary.json").read_text())["command"]
    assert shlex.split(command) == ["kernelwright", "ablate", f"out={finished}", *files, *ARMS]


def test_the_summary_compares_with_the_first_arm(finished: Path) -> None:
    found = summary_of(finished)
    agent, net, passes = found["arms"]
    assert (agent["verified"]["value"], net["verified"]["value"], passes["verified"]["value"]) == (0.75, 1.0, 1.0)
    assert "verified_difference" not in agent
    assert net["verified_difference"]["value"] == 0.25 and net["verified_difference"]["pairs"] == 4
    assert (agent["speedup"]["pairs"], net["speedup"]["pairs"], net["speedup_ratio"]["pairs"]) == (3, 4, 3)
    assert net["speedup_ratio"]["value"] == pytest.approx(1.0)  # where the agent is right, both have its kernels
    assert found["caliber"] == "estimated for h100 by the cost model, not measured"
    assert agent["by_status"] == {"ok": 3, "unchanged": 1}


def test_a_run_is_a_value_that_shows_itself(finished: Path) -> None:
    run = kernelwright.load(finished)
    assert isinstance(run, AblationRun) and len(run.rows) == 12 and run.summary["arms"][1]["arm"] == "net"
    shown = run._repr_html_()
    assert ">against agent</th>" in shown and ">net</td>" in shown
    assert "speedup: geometric mean of verified rows, estimated" in shown


def test_a_finished_run_is_read_from_its_table(
    finished: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = summary_of(finished)
    assert main(["ablate", f"out={finished}", *files, *ARMS, "timeout_s=0.001", "--json"]) == 0  # nothing is made
    shown = json.loads(capsys.readouterr().out)
    assert {key: value for key, value in shown.items() if key != "command"} == before == summary_of(finished)


def test_the_table_is_printed(finished: Path, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ablate", f"out={finished}", *files, *ARMS]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].strip() == "stages: 2 problems, seeds 0, 1"
    assert [line.split()[:3] for line in lines if line.startswith(("agent", "net", "passes"))] == [
        ["agent", "2", "75%"],
        ["net", "2", "100%"],
        ["passes", "2", "100%"],
    ]
    assert any(line.endswith("not measured, against `lower-inductor`") for line in lines)


# A run that is stopped --------------------------------------------------------------------------------------


def test_what_is_missing_is_made_and_a_torn_line_is_mended(
    finished: Path, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "ablation"
    out.mkdir()
    lines = (finished / "table.jsonl").read_bytes().splitlines(keepends=True)
    failed = json.loads(lines[1]) | {"status": "crash", "cause": "the process died"}
    kept = [line for line in lines[2:] if b'"arm": "agent", "seed": 1, "problem": "by/2"' not in line]
    (out / "table.jsonl").write_bytes(
        b"".join([lines[0], json.dumps(failed).encode() + b"\n", *kept]) + b'{"id": "net/'
    )
    assert main(["ablate", f"out={out}", *files, *ARMS]) == 0
    assert told_of(out) == told_of(finished)
    assert summary_of(out) == summary_of(finished)
    assert len(rows_of(out)) == 13  # the row of the crash, made again, stands there too
    assert "tries them again" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("arms.agent.pipeline=fe-agent{n=1}", "made with arms.agent=fe-agent{n=2"),
        ("seeds=[0]", "made with seeds=[0, 1], now it is [0]"),
        ("limit=1", "made with problems=2 ("),
        ("evaluator.seeds=2", "made with evaluator=[1, False], now it is [2, False]"),
        ("arms.more.pipeline=tune", "made with"),
    ],
)
def test_another_configuration_does_not_go_on(
    finished: Path, files: list[str], override: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (finished / "table.jsonl").read_bytes()
    more = ["only=[agent,net,passes,more]"] if "more" in override else []
    assert main(["ablate", f"out={finished}", *files, *ARMS, override, *more]) == 2
    error = capsys.readouterr().err
    assert message in error and "another file with out=" in error
    assert (finished / "table.jsonl").read_bytes() == before


def started(out: Path, files: Sequence[str]) -> "subprocess.Popen[str]":
    """The run in a process of its own, once its first row is there."""
    command = [sys.executable, "-m", "kernelwright.driver.cli", "ablate", f"out={out}", *files, *ARMS]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (out / "table.jsonl").is_file() or (out / "table.jsonl").read_bytes().count(b"\n") < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_to_the_same_table(finished: Path, files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "ablation"
    with started(out, files) as process:
        os.kill(process.pid, signal.SIGKILL)
    kept = rows_of(out)
    assert 0 < len(kept) < 12
    assert main(["ablate", f"out={out}", *files, *ARMS]) == 0
    assert rows_of(out)[: len(kept)] == kept and len(rows_of(out)) == 12  # nothing was made twice
    assert told_of(out) == told_of(finished) and summary_of(out) == summary_of(finished)


@pytest.mark.slow
def test_an_interrupt_keeps_and_shows_what_there_is(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "ablation"
    with started(out, files) as process:
        process.send_signal(signal.SIGINT)
        shown, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    closing = (
        f"kernelwright: interrupted: kept {len(rows_of(out))} of 12 rows in {out}; the same command resumes from there"
    )
    assert errors.splitlines()[-1] == closing and f"unfinished: {len(rows_of(out))} of 12 rows" in shown
    assert summary_of(out)["rows"] == len(rows_of(out)) > 0


def test_a_policy_that_has_no_answer_ends_the_run(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "ablation"
    more = ["only=[agent,more]", 'arms.more.pipeline=fe-agent{n=3,rungs="parse interpret"}', "seeds=[0]"]
    assert main(["ablate", f"out={out}", *files, *ARMS, *more]) == 1
    shown = capsys.readouterr()
    assert "arm more, problem by/2, seed 0: " in shown.err and "2 answers were recorded" in shown.err
    assert [row["arm"] for row in rows_of(out)] == ["agent"] and "unfinished: 1 of 4 rows" in shown.out


@pytest.mark.slow
def test_arms_that_train_are_measured_with_their_adapters(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "ablation"
    told = ["experiment=rewards", "only=[frontend,composite]", "problems.count=1", "evaluator.seeds=1", "max_tokens=4"]
    told += ["policy=hf", f"policy.model={base}", "policy.max_model_len=20000", "train.adapter=null"]
    told += ["train.device=cpu", "train.workers=1", "train.canary.enabled=false", "train.problems.count=2"]
    told += ["train.trainer.steps=1", "train.trainer.problems=1", "train.trainer.replay=0", "train.trainer.rank=4"]
    told += ["train.rollout.n=2", "train.rollout.max_tokens=4", "train.rollout.rungs=[parse,interpret]"]
    assert main(["ablate", f"out={out}", *told]) == 0
    rows = told_of(out)
    assert rows == {(arm, 0, f"generated_{HELD_OUT + 3}"): ("unchanged", None) for arm in ("frontend", "composite")}
    trained = [out / "training" / arm / "0" for arm in ("frontend", "composite")]
    metrics = [json.loads((folder / "finished.json").read_text())["metrics"] for folder in trained]
    assert [found["reward"] for found in metrics] == [-10.0, 0.0]
    assert all((folder / "adapter" / "adapter_config.json").is_file() for folder in trained)
    times = [(folder / "finished.json").stat().st_mtime_ns for folder in trained]
    lines = (out / "table.jsonl").read_bytes().splitlines(keepends=True)
    (out / "table.jsonl").write_bytes(b"".join(lines[:-1]))
    assert main(["ablate", f"out={out}", *told]) == 0  # measured again, with what was trained before
    assert told_of(out) == rows and times == [(folder / "finished.json").stat().st_mtime_ns for folder in trained]
    (out / "table.jsonl").unlink()
    assert main(["ablate", f"out={out}", *told, "train.trainer.lr=1"]) == 2  # the adapters there were trained otherwise


# What is configured -----------------------------------------------------------------------------------------


def read(*overrides: str) -> AblateSettings:
    discover()
    return read_ablate_settings(overrides)


def test_a_pipeline_may_be_quoted_as_hydra_has_it() -> None:
    for quoted in ("lower-inductor,tune", "'lower-inductor,tune'", '"lower-inductor,tune"'):
        (arm,) = read(f"arms.x.pipeline={quoted}", "only=[x]").arms
        assert [pass_.name for pass_ in arm.pipeline.passes] == ["lower-inductor", "tune"]
        (arm,) = read(f"pipeline={quoted}", f"baseline={quoted}", "arms.x.without=[tune]", "only=[x]").arms
        assert [pass_.name for pass_ in arm.pipeline.passes] == ["lower-inductor"]


def test_the_six_arms_of_stages() -> None:
    found = {arm.name: [pass_.name for pass_ in arm.pipeline.passes] for arm in read("policy=hf").arms}
    assert found == {
        "one_shot": ["fe-agent"],
        "frontend": ["fe-agent", "lower-inductor"],
        "frontend_midend": ["fe-agent", "lower-inductor", "cache-hints", "me-agent"],
        "with_backend": ["fe-agent", "lower-inductor", "cache-hints", "me-agent", "tune"],
        "passes_only": ["lower-inductor", "cache-hints", "tune"],
        "agents_only": ["fe-agent", "me-agent"],
    }
    one_shot, *_, passes, agents = read("policy=hf", "answers=3", "joint_answers=6").arms
    assert (vars(one_shot.pipeline.passes[0])["n"], vars(one_shot.pipeline.passes[0])["reward"]) == (6, "joint")
    assert vars(agents.pipeline.passes[1])["n"] == 3
    assert passes.policy.kind is PolicyKind.none  # it asks nobody


def test_agents_ask_the_adapter_of_their_stage() -> None:
    given = [
        "policy=hf",
        "policy.adapters.midend=there",
        "arms.big.policy.model=big",
        "arms.big.policy.adapters.frontend=f",
    ]
    arms = {arm.name: arm for arm in read(*given).arms}
    adapters = [vars(pass_).get("adapter") for pass_ in arms["agents_only"].pipeline.passes]
    assert adapters == ["", "midend"]
    assert [vars(pass_).get("adapter") for pass_ in arms["big"].pipeline.passes] == [
        "frontend",
        None,
        None,
        "midend",
        None,
    ]
    assert (arms["big"].policy.model, arms["agents_only"].policy.model) == ("big", "smollm")


def test_an_arm_is_a_pipeline_of_ones_own() -> None:
    given = ["only=[mine,less]", "pipeline=lower-inductor,tune", "arms.mine.pipeline=lower-inductor{fuse=false},tune"]
    mine, less = read(*given, "arms.less.without=[tune]", "policy=none").arms
    assert (str(mine.pipeline), str(less.pipeline)) == ("lower-inductor{fuse=false},tune", "lower-inductor")


def test_arms_that_train_differ_in_what_they_are_told() -> None:
    given = ["experiment=algorithms", "policy=hf", "seeds=[3,4]", "train.trainer.steps=7", "out=there"]
    settings = read(*given, "arms.more.train=[algorithm=grpo,algorithm.kl=0.5]")
    arms = {arm.name: arm for arm in settings.arms}
    for name in ("grpo", "rloo"):
        for seed in (3, 4):
            made = arms[name].training[seed]
            assert (made.content["algorithm"]["name"], made.plain.seed, made.plain.trainer.steps) == (name, seed, 7)
            assert made.plain.out == f"there/training/{name}/{seed}" and made.plain.policy.kind is PolicyKind.hf
    assert arms["more"].training[3].algorithm.kl == 0.5
    assert vars(arms["grpo"].pipeline.passes[0])["adapter"] == "frontend"
    assert len({arm.told() for arm in settings.arms}) == 6


@pytest.mark.parametrize("experiment", ["rewards", "timed_rewards"])
def test_rewards_are_arms_that_train(experiment: str) -> None:
    arms = read(f"experiment={experiment}").arms
    assert len({(arm.training[0].reward, str(arm.training[0].pay)) for arm in arms}) == len(arms) >= 3


BAD = [
    (["policy=none"], "arm one_shot: pass fe-agent asks a policy, and none is configured; give policy=NAME"),
    (["experiment=stage"], "unknown experiment 'stage' (choose from algorithms, dr_kernel, rewards, stages, timed"),
    (["arms.mine=tune"], "write arms.NAME.pipeline='…'"),
    (["arms.mine.pipeline=tune{trial=8}"], "pass tune has no option 'trial'"),
    (["arms.mine.pipelines=tune"], "pipelines"),
    (["arms.mine.without=[tunes]"], "arms.mine.without: the arm has no pass 'tunes'; choose from"),
    (["arms.mine.train=[algorithm=ppo2]"], "arm mine: unknown algorithm 'ppo2'"),
    (["arms.mine.pipeline=tune", "arms.mine.train=[]"], "arm mine trains the agent of stage frontend, but `tune`"),
    (["arms.mine.policy.kind=gpt"], "policy.kind"),
    (["arms.mine.train=[]", "arms.mine.policy.model=big"], "give arms.mine.train=[policy.model=…]"),
    (["arms.mine.train=[a"], "does not parse"),
    (
        ["arms.mine.pipeline=fe-agent{adapter=mine}"],
        "arm mine: the policy has no adapter 'mine' (adapters: frontend, midend)",
    ),
    (["only=[one]"], "only=['one']: choose from one_shot, frontend"),
    (["seeds=[]"], "give one or more different seeds"),
    (["seeds=[1,1]"], "give one or more different seeds"),
    (["limit=0"], "limit=0: out of range, at least 1"),
    (["jobs=0"], "jobs=0: out of range, at least 1"),
    (["timeout_s=0"], "timeout_s=0.0: out of range, above 0"),
    (["seed=1"], "unknown configuration key 'seed'"),
    (["baseline=lower"], "baseline: unknown pass 'lower'"),
]


@pytest.mark.parametrize(("overrides", "message"), BAD, ids=[given[0] for given, _ in BAD])
def test_what_does_not_fit_is_named(overrides: list[str], message: str) -> None:
    with pytest.raises(UserError) as caught:
        read(*overrides)
    assert message in str(caught.value)


def test_bad_usage_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = f"out={tmp_path / 'ablation'}"
    assert main(["ablate", "stages", out]) == 2
    assert "write experiment=stages" in capsys.readouterr().err
    assert main(["ablate", out, "policy=hf", f"problems.place={tmp_path / 'none.jsonl'}"]) == 2
    assert "no such file" in capsys.readouterr().err
    assert not (tmp_path / "ablation").exists()


def test_a_model_that_is_not_there_is_told(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*files, *ARMS, "only=[agent]", "policy=hf", f"policy.model={tmp_path / 'none'}"]
    assert main(["ablate", f"out={tmp_path / 'ablation'}", *given]) == 2
    assert "no such folder" in capsys.readouterr().err


def test_what_is_learnt_from_is_not_measured_with(files: list[str]) -> None:
    place = files[0]
    given = ["experiment=algorithms", "policy=hf", "only=[grpo]"]
    with pytest.raises(UserError, match="arm grpo trains on generated_5 and is measured on it"):
        Ablation(read(*given, "problems.first=5", "problems.count=1", "train.problems.count=6"))
    with pytest.raises(UserError, match="arm grpo trains on by/2"):
        Ablation(read(*given, place, "problems.split=null", f"train.{place}", "train.problems.split=null"))


def test_problems_are_of_the_levels_that_are_asked_for(tmp_path: Path) -> None:
    place = tmp_path / "problems.jsonl"
    codes = [(level, number, f"x{number} = {level}") for level in (1, 2, 3) for number in range(20)]
    rows = [{"level": level, "problem_id": number, "name": "x.py", "code": code} for level, number, code in codes]
    place.write_text("\n".join(map(json.dumps, rows)))

    def found(*levels: int, split: str | None = "train") -> set[str]:
        return {one.name for one in read_programs(ProblemSettings(str(place), list(levels), split))}

    assert len(found(2, split=None)) == 20
    assert found(1, 2) == found(1) | found(2) < found() == found(1, 2, 3)  # each is in the split that it is in anyway
    with pytest.raises(UserError, match=r"problems.levels=\[4\]: .*problems.jsonl has the levels 1, 2, 3; give others"):
        found(4)
    place.write_text(json.dumps({"problem_id": 1, "name": "x.py", "code": "x = 1"}))
    with pytest.raises(UserError, match=r"problems.jsonl has no levels; give others, or \[\] for all"):
        found(1)


def test_the_examples_are_problems() -> None:
    found = read_programs(read("policy=hf", "problems=examples").problems)
    assert "row_softmax" in {program.name for program in found}
    assert all("def get_inputs" in program.source for program in found)


# What a table says ------------------------------------------------------------------------------------------


def made(
    arm: str, problem: str, status: str = "ok", speedup: float | None = None, how: str = "estimated"
) -> dict[str, Any]:
    return {"arm": arm, "seed": 0, "problem": problem, "status": status, "speedup": speedup, "how": how}


def test_speedups_are_geometric_means_of_pairs() -> None:
    rows = [made("a", "p", speedup=1.0), made("b", "p", speedup=2.0), made("a", "q", speedup=4.0)]
    rows += [made("b", "q", speedup=2.0), made("a", "r", "mismatch"), made("b", "r", speedup=16.0)]
    a, b = summarize_arms(rows, ["a", "b"], [0], ["p", "q", "r"])["arms"]
    assert a["speedup"]["value"] == pytest.approx(2.0) and b["speedup"]["value"] == pytest.approx(4.0)
    assert b["speedup_ratio"]["value"] == pytest.approx(1.0) and b["speedup_ratio"]["pairs"] == 2  # 2 and 1/2
    assert b["verified_difference"]["value"] == pytest.approx(1 / 3)


def test_calibers_are_not_mixed() -> None:
    rows = [made("a", "p", speedup=1.0), made("b", "p", speedup=2.0, how="measured")]
    found = summarize_arms(rows, ["a", "b"], [0], ["p"])
    assert found["caliber"] is None and [arm["speedup"] for arm in found["arms"]] == [None, None]
    stream = io.StringIO()
    shown = {"name": "n", "made_with": {"baseline": "lower-inductor"}, **found}
    print_arms(shown, Console(file=stream, width=120))
    assert "not shown, because the rows have different calibers (estimated; measured)" in stream.getvalue()


def test_rows_of_faults_count_and_are_told() -> None:
    found = summarize_arms([made("a", "p", "crash"), made("a", "q")], ["a"], [0], ["p", "q"])
    assert found["arms"][0]["verified"]["value"] == 0.5
    stream = io.StringIO()
    print_arms({"name": "n", "made_with": {"baseline": "b"}, **found}, Console(file=stream, width=120))
    assert "1 rows ended by an error or a crash" in stream.getvalue()


def test_generated_programs_to_learn_from_are_in_no_form_that_is_held_out() -> None:
    learnt = read_programs(ProblemSettings(count=40, difficulty=0))
    assert len(learnt) == 40 and not any(form_is_held_out(one.source) for one in learnt)
    assert [one.name for one in learnt] != [f"generated_{seed}" for seed in range(40)]


def test_generated_programs_to_measure_with_are_in_held_out_forms_each_once() -> None:
    measured = read_programs(ProblemSettings(count=20, first=HELD_OUT, difficulty=0))
    assert all(form_is_held_out(one.source) for one in measured)
    assert len({normal_digest(one.source) for one in measured}) == len(measured) == 20
    seeds = [int(one.name.removeprefix("generated_")) for one in measured]
    assert seeds == sorted(seeds) and seeds[0] >= HELD_OUT
    known = {normal_digest(one.source) for one in measured}
    between = [generate_program(seed, 0) for seed in range(HELD_OUT, seeds[-1])]
    assert {normal_digest(source) for source in between if form_is_held_out(source)} <= known  # the first ones
