"""`kernelwright data rollouts`: a policy's right answers, and its wrong ones with what they were told, as rows."""

import json
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from test_driver_run import ANSWER, PROGRAM

from kernelwright.agent.reading import fenced
from kernelwright.agent.rewards import make_reward
from kernelwright.driver.benchmarking import asking
from kernelwright.driver.benchmarking.rollouts import Rollouts
from kernelwright.driver.benchmarking.settings import read_rollouts_settings
from kernelwright.driver.cli import main
from kernelwright.driver.config.train_settings import read_sft_settings
from kernelwright.driver.pairs.rows import answer_of, asked, read_pair_rows
from kernelwright.frontend.agent import FrontendAgent
from kernelwright.frontend.generate import generate_program
from kernelwright.ir.errors import UserError
from kernelwright.rl.data.rows import Pair, read_rows
from kernelwright.serve.base import find_base
from kernelwright.serve.replay import ScriptedPolicy

RIGHT, WRONG, WORSE = (ANSWER.replace("FACTOR", number) for number in "235")


def suite(path: Path, *programs: str) -> Path:
    rows = [{"id": f"p{number}", "source": source, "split": "train"} for number, source in enumerate(programs)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def told(tmp_path: Path, *more: str) -> list[str]:
    place = suite(tmp_path / "suite.jsonl", PROGRAM, PROGRAM.replace("* 2", "* 3"))
    given = [f"suite=jsonl:{place}", f"out={tmp_path / 'rows.jsonl'}", "n=2", "policy=replay", "policy.path=unused"]
    return [*given, "workers=1", "evaluator.seeds=1", "rollout.rungs=[parse,interpret]", *more]


def made(overrides: list[str], *answers: list[str]) -> dict[str, Any]:
    return Rollouts(read_rollouts_settings(overrides), Console(file=StringIO())).run(ScriptedPolicy(answers))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The first problem is solved at once and, in another trajectory, at the second turn; the other one never."""
    folder = tmp_path_factory.mktemp("rollouts")
    overrides = told(folder, "turns=2", "batch=1")
    return folder, made(overrides, [RIGHT, WRONG], [RIGHT], [RIGHT, WORSE], [RIGHT], [RIGHT])


def test_right_answers_and_repairs_are_rows(run: tuple[Path, dict[str, Any]]) -> None:
    folder, summary = run
    rows = read_rows(folder / "rows.jsonl", Pair)
    assert [row.provenance["kind"] for row in rows] == ["answer", "repair"]
    alone, repair = rows
    assert alone.answer == repair.answer == RIGHT and not alone.turns
    (turn,) = repair.turns
    assert turn["answer"] == WRONG and turn["told"].startswith("Status: mismatch")
    assert repair.modules()[1].launcher is not None
    assert summary["rows"] == 2 and (summary["answer_rows"], summary["repair_rows"]) == (1, 1)
    assert (summary["answers"], summary["right"], summary["right_by_turn"]) == (7, 2, {"1": 1, "2": 1})
    assert sum(summary["failures"].values()) == 5
    card = (folder / "rows.jsonl.card.md").read_text()
    assert summary["digest"] in card and "1 repairs" in card and "mismatch" in card


def test_the_agent_is_asked_as_the_policy_was(run: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = run
    repair = read_rows(folder / "rows.jsonl", Pair)[1]
    agent = FrontendAgent("h100", make_reward("frontend"))
    prompt = asked(repair, repair.question(), agent)
    assert [message.role for message in prompt] == ["system", "user", "assistant", "user"]
    assert prompt[2].content == WRONG and prompt[3].content.endswith(agent.closing)


def test_a_run_goes_on_and_asks_nothing_twice(run: tuple[Path, dict[str, Any]]) -> None:
    folder, summary = run
    journal = folder / "rows.jsonl.journal"
    kept = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(kept[:2]))
    overrides = told(folder, "turns=2", "batch=1")
    assert made(overrides, [RIGHT, WORSE], [RIGHT], [RIGHT]) == summary  # the second problem alone
    assert made(overrides) == summary
    assert made([*overrides, "per_problem=1"])["rows"] == 1
    with pytest.raises(UserError, match="journal"):
        made([*overrides, "seed=1"])


def test_a_wrong_trajectory_ends_with_the_answer_of_another_one(tmp_path: Path) -> None:
    found = made(told(tmp_path, "turns=2", "limit=1"), [RIGHT, WRONG], [WORSE])
    assert found["rows_by_kind"] == {"answer, right answer: own": 1, "repair, right answer: other": 1}
    repair = read_rows(tmp_path / "rows.jsonl", Pair)[1]
    assert [turn["answer"] for turn in repair.turns] == [WRONG, WORSE] and repair.answer == RIGHT
    assert made(told(tmp_path, "turns=2", "limit=1", "compose=false"))["rows"] == 1


def test_what_nobody_solves_ends_with_the_pair_s_answer(tmp_path: Path) -> None:
    given = tmp_path / "pairs.jsonl"
    quick = ("rungs=parse,interpret", "evaluator.seeds=1", "held_out=0", "count=0", "workers=1")
    place = suite(tmp_path / "problems.jsonl", PROGRAM)
    assert main(["data", "pairs", f"out={given}", f"problems={place}", "ratio=1", *quick]) == 0
    found = made(told(tmp_path, f"suite=jsonl:{given}", "turns=1"), [WRONG, WORSE])
    assert found["rows_by_kind"] == {"repair, right answer: pair": 2}
    row, pair = read_rows(tmp_path / "rows.jsonl", Pair)[0], read_rows(given, Pair)[0]
    assert row.after == pair.after and row.answer == fenced(pair.after)


def test_copies_of_evaluation_problems_are_not_asked(tmp_path: Path) -> None:
    against = suite(tmp_path / "against.jsonl", PROGRAM.replace("* 2", "* 3"))
    found = made(told(tmp_path, "turns=1", f"against=[{against}]"), [RIGHT, RIGHT])
    assert found["problems"] == 1 and found["set_aside"] == {"contaminated": 1} and found["rows"] == 1


def test_rows_in_the_form_of_kernelbench_are_learnt_from(tmp_path: Path, base: Path) -> None:
    new = RIGHT.replace("def forward(x: ", "class ModelNew(torch.nn.Module):\n    def forward(self, x: ")
    head, _, body = new.partition("class ModelNew")
    lines = body.split("\n")
    body = "\n".join([*lines[:2], *("    " + line if line.startswith("    ") else line for line in lines[2:])])
    found = made(told(tmp_path, "turns=1", "limit=1", "n=1", "rollout.form=modelnew"), [f"{head}class ModelNew{body}"])
    assert found["rows"] == 1, found
    told_sft = [f"pairs={tmp_path / 'rows.jsonl'}", f"model={base}", "max_tokens=20000", "trainer=small"]
    rows = read_pair_rows(read_sft_settings([*told_sft, "rollout.form=modelnew"]))
    assert len(rows.train) == 1
    with pytest.raises(UserError, match="answers in the form modelnew"):
        read_pair_rows(read_sft_settings(told_sft))


def test_the_configuration_that_is_shown_and_swept_is_that_of_rollouts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["data", "rollouts", "policy=smollm", "turns=3", "--cfg", "job"]) == 0
    shown = capsys.readouterr().out
    assert "turns: 3" in shown and "compose: true" in shown and "count:" not in shown
    assert main(["data", "pairs", "--cfg", "job"]) == 0
    assert "count: 1000" in capsys.readouterr().out
    script = ScriptedPolicy([[RIGHT, WRONG]])
    monkeypatch.setattr(asking, "open_policy", lambda _settings: nullcontext(script))
    given = [item for item in told(tmp_path, "turns=1", "limit=1", "-m", "seed=1") if not item.startswith("out=")]
    Path("unused").touch()
    assert main(["data", "rollouts", *given, "hydra.sweep.dir=swept"]) == 0, capsys.readouterr().err
    assert len(read_rows(tmp_path / "swept/0/rollouts.jsonl", Pair)) == 2


#: What SmolLM2-135M with the shipped adapter answers to the two problems at temperature 0: one right, one wrong.
RECORDED = (
    "```\na = load(x1[i])\nb = load(weight3[i])\nstore(out[i], a * b)\n```",
    "```\na = load(x1[r, 0])\nb = a - max(a)\nstore(out[r, 0], sum(b - log(sum(exp(b)))))\n```",
)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_a_small_model_s_answers_become_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shipped model answers where it is on this machine; elsewhere what it answered is replayed."""
    try:
        find_base("smollm")
    except UserError:
        script = [[answer] * 2 for answer in RECORDED]
        monkeypatch.setattr(asking, "open_policy", lambda _settings: nullcontext(ScriptedPolicy(script)))
    place, out = (
        suite(tmp_path / "suite.jsonl", *(generate_program(seed, 0) for seed in (1, 2))),
        tmp_path / "rows.jsonl",
    )
    given = [
        "policy=smollm",
        "policy.dtype=float32",
        "rollout.temperature=0",
        "rollout.max_tokens=200",
        "n=2",
        "turns=1",
    ]
    given += [f"suite=jsonl:{place}", f"out={out}", "workers=1", "evaluator.seeds=1", "rollout.rungs=[parse,interpret]"]
    assert main(["data", "rollouts", *given]) == 0, capsys.readouterr().err
    summary = json.loads(capsys.readouterr().out)
    assert (summary["problems"], summary["answers"], summary["right"]) == (2, 4, 2)
    (row,) = read_rows(out, Pair)  # equal answers are one row
    assert (row.problem, row.provenance["kind"], row.form) == ("p0", "answer", "kernels")
    assert row.answer == RECORDED[0] and "smollm" in (tmp_path / "rows.jsonl.card.md").read_text()
    agent = FrontendAgent("h100", make_reward("frontend"), "kernels")
    assert answer_of(row, agent) == row.answer and asked(row, row.question(), agent)[-1].role == "user"
