"""What the mid-end agents' benchmark makes of attempts, and a whole run of it."""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.agents import midend_agents, midend_agents_summary, midend_modules
from benchmarks.agents.agents import Arm
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.policies import PolicySettings
from kernelwright.driver.run.journal import Journal
from kernelwright.frontend.generate import generate_program
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.rl.data.rows import Pair, Problem, write_rows

GOLDEN = Path(__file__).parents[1] / "golden"


def row(arm: str, module: str, us: list[float | None]) -> dict[str, Any]:
    return {"arm": arm, "module": module, "given_us": 8.0, "us": us, "statuses": ["ok" if u else "illegal" for u in us]}


def test_failures_keep_the_given_module_and_the_best_is_never_slower() -> None:
    found = midend_agents_summary.measures(row("sft", "m", [4.0, None]), 2)
    assert found == {"single": pytest.approx(math.log(2) / 2), "best": pytest.approx(math.log(2))}
    assert midend_agents_summary.measures(row("sft", "m", [16.0, 16.0]), 2) == {"single": -math.log(2), "best": 0.0}
    assert "best" not in midend_agents_summary.measures(row("pairs", "m", [4.0]), 2)
    assert midend_agents_summary.measures(row("search", "m", []), 2) == {"best": 0.0}


def test_quotients_are_of_the_same_modules() -> None:
    rows = [row("sft", name, [8.0, 8.0]) for name in "abc"] + [row("rl", name, [4.0, 2.0]) for name in "ab"]
    found = midend_agents_summary.summary(rows, 2)
    assert found["speedups"]["sft"]["single"] == (1.0, 1.0, 1.0)
    assert found["quotients"]["rl / sft"]["best"] == (4.0, 4.0, 4.0)
    assert found["quotients"]["rl / sft"]["single"][0] == pytest.approx(math.sqrt(8))


def split_rows() -> Pair:
    """A module to choose passes for, without an answer."""
    module = parse_module((GOLDEN / "split-rows" / "before.py").read_text("utf-8"))
    return Pair.unanswered("q/0", Problem("q", module.reference.source, {}, "test"), "midend", module)


def test_answers_that_a_journal_has_need_no_model(tmp_path: Path) -> None:
    modules = {"q/0": (parse_module(split_rows().before), "")}
    given = argparse.Namespace(arm=[Arm("sft", "brief", "")], n=1, max_tokens=8, seed=1, chunk=4, target="h100")
    with Journal(tmp_path / "journal", {}) as journal:
        with pytest.raises(UserError, match="no policy is configured"):
            midend_agents.answers_of(given, PolicySettings(), modules, journal)
        journal.add("answers/sft/q/0", {"texts": ["split-rows"], "on": {"device": "cpu"}})
        midend_agents.answers_of(given, PolicySettings(), modules, journal)
        assert midend_agents.answered_on(given.arm[0], modules, journal) == [{"device": "cpu"}]


def test_a_run_without_time_leaves_a_journal_and_no_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rows(tmp_path / "pairs.jsonl", [split_rows()])
    words = [tmp_path / "out.json", "--modules", tmp_path / "pairs.jsonl", "--seconds", 0, "--target", "h100"]
    monkeypatch.setattr(sys, "argv", ["midend_agents", *map(str, words)])
    assert midend_agents.main() == 2
    assert "left no time for a module" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json.journal", "pairs.jsonl"]


def test_modules_of_a_result_are_lowered_again(tmp_path: Path) -> None:
    discover()
    rows = [row(arm, "generated/0/7/0", [4.0]) for arm in ("random", "search")]
    (tmp_path / "before.json").write_text(json.dumps({"attempts": rows}))
    (name,) = midend_modules.names_of(tmp_path / "before.json")
    write_rows(tmp_path / "pairs.jsonl", [midend_modules.made(name, "h100")])
    ((module, choice),) = midend_agents.read_modules(tmp_path / "pairs.jsonl", None).values()
    assert module.kernels and not choice
    assert module.reference.source == generate_program(7, 0)


@pytest.mark.slow
def test_a_run_without_a_policy_says_that_it_estimates(tmp_path: Path) -> None:
    discover()
    before = parse_module((GOLDEN / "persistent-rows" / "before.py").read_text("utf-8"))
    problem = Problem("p", before.reference.source, {}, "test")
    pairs = [Pair.of_choice("p/0", problem, before, "persistent-rows"), split_rows()]
    write_rows(tmp_path / "pairs.jsonl", pairs)
    out = tmp_path / "out.json"
    arguments = [out, "--modules", tmp_path / "pairs.jsonl", "--n", "2", "--workers", "1", "--target", "h100"]
    command = [sys.executable, "-m", "benchmarks.agents.midend_agents", *arguments]
    subprocess.run(list(map(str, command)), check=True, capture_output=True, timeout=300)
    found = json.loads(out.read_text("utf-8"))
    assert found["caliber"]["judged"] == "by the cost model, not verified" and found["caliber"]["modules_left"] == 0
    tried = {(one["module"], one["arm"]): len(one["us"]) for one in found["attempts"]}
    both = {(name, arm): 2 for name in ("p/0", "q/0") for arm in ("random", "search")}
    assert tried == {**both, ("p/0", "pairs"): 1}
    assert found["attempts"][0]["given_us"] > 0 and all(one["statuses"][0] == "ok" for one in found["attempts"])
