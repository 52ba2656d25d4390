"""`kernelwright data kernelbench`: one file of a checkout's problems, each with where it is from and its licence."""

import json
from pathlib import Path

import pytest

from kernelwright.driver.cli import main
from kernelwright.rl.data.problems import load_problems

CHECKOUT = Path(__file__).parents[1] / "fixtures/kernelbench"


def test_a_checkout_becomes_a_file_that_loads_as_the_same_problems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new/kernelbench.jsonl"
    assert main(["data", "kernelbench", str(CHECKOUT), f"out={out}"]) == 0
    assert json.loads(capsys.readouterr().out) == {"out": str(out), "level 1": 2, "level 2": 1}
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [(row["level"], row["problem_id"], row["name"]) for row in rows] == [
        (1, 1, "1_Scaled_relu.py"),
        (1, 2, "2_Row_mean.py"),
        (2, 1, "1_Shifted_gelu_softmax.py"),
    ]
    assert all("MIT License" in row["license"] and str(CHECKOUT) in row["origin"] for row in rows)
    again, before = load_problems(out), load_problems(CHECKOUT)
    assert [(problem.id, problem.source) for problem in again] == [(p.id, p.source) for p in before]


def test_the_notice_is_that_of_the_checkout(tmp_path: Path) -> None:
    level = tmp_path / "KernelBench/level3"
    level.mkdir(parents=True)
    (level / "7_Program.py").write_text("class Model: ...\n", encoding="utf-8")
    notice = "Some License\n\nCopyright (c) Somebody\n\nPermission is hereby granted, …\n"
    (tmp_path / "LICENSE").write_text(notice, encoding="utf-8")
    out = tmp_path / "rows.jsonl"
    assert main(["data", "kernelbench", str(tmp_path), f"out={out}"]) == 0
    assert json.loads(out.read_text("utf-8"))["license"] == "Some License, Copyright (c) Somebody"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "takes one PLACE"),
        (["a", "b"], "got a b"),
        (["nowhere"], "no such file or folder"),
        (["{examples}"], "is not a problem of KernelBench"),
        (["{checkout}", "count=3"], "takes out=FILE and nothing else, got count=3"),
        (["{checkout}", "out="], "takes out=FILE and nothing else"),
        (["{checkout}", "out=/proc/none/rows.jsonl"], "name a writable file"),
    ],
)
def test_bad_input_is_one_line(
    given: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    examples = CHECKOUT.parents[2] / "examples"
    words = [word.format(checkout=CHECKOUT, examples=examples) for word in given]
    assert main(["data", "kernelbench", *words]) == 2
    complaint = capsys.readouterr().err
    assert message in complaint and complaint.count("\n") == 1
    assert not any(tmp_path.iterdir())
