"""What counts as killed, and the corpora that mutants are drawn from."""

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.ir.errors import Diagnostic

BENCHMARK = "judge.strict_mutants"


def test_mutants_come_from_the_suite_the_examples_and_fourteen_models(benchmark: ModuleType) -> None:
    found = {corpus: [name for name, _ in make()] for corpus, make in benchmark.CORPORA.items()}
    assert len(found["suite"]) > 50 and "row_softmax" in found["examples"]
    assert len(found["models"]) == 28 and {"unet_bf16", "unet_fp32"} <= set(found["models"])
    kernels = benchmark.CORPORA["models"]()
    modules = dict(kernels)["convnext_bf16"]()
    assert len(modules) == 3 and all(module.launcher is not None for module in modules)


def test_a_seed_draws_the_same_mutants_from_each_corpus_in_turn(benchmark: ModuleType, tmp_path: Path) -> None:
    taken = list(islice(benchmark.tickets(3, ["suite", "examples"], tmp_path), 4))
    assert taken == list(islice(benchmark.tickets(3, ["suite", "examples"], tmp_path), 4))
    assert [one.corpus for one in taken] == ["suite", "examples"] * 2
    first, again = ([one.drawn() for one in taken] for _ in range(2))
    assert first == again and all(one.mutant.module != one.module for one in first)
    assert [one.name.partition("#")[0] for one in first] == [f"{one.corpus}/{one.program}/0" for one in taken]


@pytest.mark.slow
def test_mutants_are_judged_in_processes_and_a_run_that_time_ends_goes_on(
    benchmark: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    words = ["strict_mutants.py", "--corpora", "suite", "--jobs", "1", "--draws", "40", "--target", "0"]
    words += ["--journal", str(tmp_path / "kept.jsonl"), "--modules", str(tmp_path / "kept"), "--out", str(out)]
    monkeypatch.setattr("sys.argv", [*words, "--count", "1", "--seconds", "0"])
    assert benchmark.main() == 3 and not out.exists()
    monkeypatch.setattr("sys.argv", [*words, "--count", "1"])
    assert benchmark.main() == 0
    (first,) = json.loads(out.read_text())["rows"]
    monkeypatch.setattr("sys.argv", [*words, "--count", "2"])
    assert benchmark.main() == 0
    found = json.loads(out.read_text())
    assert next(iter(found["rows"])) == first and found["summary"]["mutants"] == 2
    assert "ticket 0" not in capsys.readouterr().err.split("ticket 1")[-1]  # it was known


def test_open_mutants_are_compared_on_as_many_draws_as_are_asked_for(benchmark: ModuleType, tmp_path: Path) -> None:
    journal = benchmark.Journal(tmp_path / "answers.jsonl", {})
    same, other = islice(benchmark.tickets(3, ["examples"], tmp_path), 2)
    few = replace(other, place=7)

    class Answers:
        def answers_kept(self, journal: Any, tasks: Mapping[str, Any]) -> None:
            for name in tasks:
                odd = name == f"{other.key} on draws from 400"
                count = 10 if name.startswith(f"{few.key} ") else benchmark.AT_ONCE
                journal.add(name, {"same": 7, "differs": "normal, draw 407"} if odd else {"same": count, "differs": ""})

    run = benchmark.Run(journal, Answers(), iter(()), 2, 1000)
    found = {ticket: tuple(row.values()) for ticket, row in run._settled([same, other, few]).items()}
    assert found[same] == ("equivalent", "the same bits on 1000 draws")
    assert found[other] == ("survived", "differs on normal, draw 407")
    assert found[few] == ("survived", "the same bits on 410 draws")


def test_a_crash_and_a_time_out_kill_nothing_and_equal_ttir_is_no_survivor(
    benchmark: ModuleType, tmp_path: Path
) -> None:
    one = next(benchmark.tickets(3, ["examples"], tmp_path)).drawn()
    same = replace(one, mutant=replace(one.mutant, module=one.module))
    ok = Verdict(Status.OK, Rung.INTERPRET)
    assert benchmark.fate(same, ok) == ("equivalent", "the same TTIR")
    assert benchmark.fate(one, ok) == (benchmark.OPEN, "")
    for status, diagnostics, wanted in (
        (Status.MISMATCH, (), "killed"),
        (Status.RUNTIME_ERROR, (Diagnostic("load past the end", 1, 0),), "killed"),
        (Status.RUNTIME_ERROR, (), "no verdict"),
        (Status.TIMEOUT, (), "no verdict"),
        (Status.COMPILE_ERROR, (), "invalid"),
    ):
        verdict = Verdict(status, Rung.INTERPRET, diagnostics=diagnostics)
        assert benchmark.fate(one, verdict)[0] == wanted, status
    rows = {f"suite/{at}": {"fate": fate} for at, fate in enumerate(["killed"] * 3 + ["no verdict", "equivalent"])}
    assert benchmark.summary(rows)["score"] == 0.75
