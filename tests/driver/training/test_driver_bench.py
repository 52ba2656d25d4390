"""`kernelwright bench`: pass@k, fast_p and failure classes of a policy whose answers are written down."""

import itertools
import json
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from test_driver_run import ANSWER, PROGRAM
from test_driver_set_aside import BROKEN

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.driver.benchmarking import asking
from kernelwright.driver.benchmarking.bench import run_bench
from kernelwright.driver.benchmarking.settings import read_bench_settings
from kernelwright.driver.benchmarking.table import failure_class, pass_at_k, print_bench, summarize_bench
from kernelwright.driver.cli import main
from kernelwright.ir.errors import Diagnostic, UserError
from kernelwright.ir.values import KernelModule
from kernelwright.serve.replay import RecordingPolicy, ScriptedPolicy

RIGHT, OTHER = ANSWER.replace("FACTOR", "2"), ANSWER.replace("FACTOR", "3")


def suite(path: Path) -> Path:
    rows = [(1, 1, PROGRAM), (1, 2, PROGRAM.replace("* 2", "* 3")), (2, 7, BROKEN)]
    content = [{"level": level, "problem_id": number, "name": "p", "code": code} for level, number, code in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in content))
    return path


def told(tmp_path: Path, *more: str) -> list[str]:
    given = [f"suite=jsonl:{suite(tmp_path / 'suite.jsonl')}", f"out={tmp_path / 'run'}", "n=2", "policy=replay"]
    return [*given, "policy.path=unused", "workers=1", "evaluator.seeds=1", "rollout.rungs=[parse,interpret]", *more]


def measured(overrides: list[str], *answers: list[str]) -> dict[str, Any]:
    return run_bench(read_bench_settings(overrides), Console(file=StringIO()), ScriptedPolicy(answers))


def test_a_suite_is_measured_and_a_run_goes_on(tmp_path: Path) -> None:
    outside = OTHER.replace("torch.empty_like(x)", "torch.relu(x)")
    overrides = told(tmp_path, "batch=1")
    found = measured(overrides, [RIGHT, OTHER], [OTHER, outside])
    assert {name: part["problems"] for name, part in found["parts"].items()} == {"all": 3, "level 1": 2, "level 2": 1}
    shares = {name: [part["pass_at"][k]["value"] for k in ("1", "2")] for name, part in found["parts"].items()}
    assert shares["all"] == pytest.approx([1 / 3, 2 / 3])
    assert shares["level 1"] == [0.5, 1.0] and shares["level 2"] == [0.0, 0.0]
    assert found["parts"]["all"]["fast"]["0"]["value"] == pytest.approx(1 / 3)
    assert found["parts"]["all"]["fast"]["1"] is None  # nothing was timed
    classes = {name.partition(":")[0]: one["answers"] for name, one in found["failures"].items()}
    assert classes == {"not_read": 2, "mismatch": 1, "unparsed": 1}
    assert any("relu" in name for name in found["failures"])
    assert found["set_aside"] == ["kernelbench/2/7"]
    assert json.loads((tmp_path / "run" / "run.json").read_text())["starts"][0]["configuration"]["n"] == 2

    lines = (tmp_path / "run" / "table.jsonl").read_text().splitlines(keepends=True)
    kept = [line for line in lines if "kernelbench_1_2" not in line]
    (tmp_path / "run" / "table.jsonl").write_text("".join(kept))
    assert measured(overrides, [OTHER, outside])["parts"] == found["parts"]  # the missing one alone is asked
    assert measured(overrides)["failures"] == found["failures"]  # nothing is asked
    with pytest.raises(UserError, match="table"):
        measured([*overrides, "seed=1"])  # other answers

    shown = StringIO()
    print_bench(found, Console(file=shown, width=160))
    text = shown.getvalue()
    assert "pass@2" in text and "nothing was timed" in text and "33.3%  not_read" in text
    assert "1 problems were set aside" in text


def test_a_turn_that_mends_the_answer_counts(tmp_path: Path) -> None:
    found = measured(told(tmp_path, "limit=1", "turns=2", "n=1"), [OTHER], [RIGHT])
    assert found["answers"] == 1 and found["parts"]["all"]["pass_at"]["1"]["value"] == 1.0
    (row,) = map(json.loads, (tmp_path / "run" / "table.jsonl").read_text().splitlines()[1:])
    assert row["answers"] == [{"correct": True, "turn": 2, "speedup": None, "by_turn": [[2, None]]}]
    assert found["by_turn"] == {"1": {"0": 0.0}, "2": {"0": 1.0}}


def test_a_curve_by_turn_and_by_budget_keeps_the_best_so_far() -> None:
    first: dict[str, Any] = {"correct": True, "turn": 1, "speedup": 4.0, "by_turn": [[1, 1.0], [3, 4.0]]}
    second: dict[str, Any] = {"correct": True, "turn": 2, "speedup": 2.0, "by_turn": [[2, 2.0], [3, 0.5]]}
    wrong: dict[str, Any] = {"correct": False, "class": "mismatch"}
    rows = [
        {"problem": "a", "level": 1, "answers": [first, second]},
        {"problem": "b", "level": 1, "answers": [wrong, wrong]},
    ]
    found = summarize_bench(rows, 2, turns=4)
    shown = {turn: [shares[name] for name in ("0", "1", "1.5", "best")] for turn, shares in found["by_turn"].items()}
    assert shown == {
        "1": [0.25, 0.0, 0.0, 1.0],
        "2": [0.5, 0.25, 0.25, pytest.approx(2**0.5)],
        "3": [0.5, 0.5, 0.5, pytest.approx(8**0.5)],
        "4": [0.5, 0.5, 0.5, pytest.approx(8**0.5)],  # nothing got better, nothing is lost
    }
    shown = {spent: [shares[name] for name in ("0", "1", "best")] for spent, shares in found["by_budget"].items()}
    assert shown == {"2": [0.5, 0.0, 1.0], "4": [0.5, 0.5, 2.0], "6": [0.5, 0.5, 4.0], "8": [0.5, 0.5, 4.0]}
    text = StringIO()
    print_bench({"title": "some", **found}, Console(file=text, width=160))
    assert "best so far: problems, by answers so far" in text.getvalue() and "2.83x" in text.getvalue()


#: Milliseconds of a right answer by the size of its block; eager takes 1 ms.
_FASTER = {64: 1.0, 128: 0.25, 256: 0.5, 512: 2.0}


def _timed(modules: Iterable[KernelModule], _rungs: Any) -> Iterator[Verdict]:
    for module in modules:
        assert module.launcher is not None
        times = {"eager": 1.0, "candidate": next(ms for size, ms in _FASTER.items() if f"={size})" in str(module))}
        yield Verdict(Status.OK, Rung.TIME, times_ms=times, rungs=(Rung.PARSE, Rung.RUN, Rung.TIME))


def test_rounds_go_on_from_a_memory_of_the_fastest_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "judged_by", lambda _pool: _timed)
    blocks = [64, 128, 512, 256, 64]
    policy = ScriptedPolicy([[RIGHT.replace("BLOCK=64", f"BLOCK={size}")] for size in blocks])
    overrides = told(tmp_path, "limit=1", "n=1", "turns=2", "rounds=3", "memory=2")
    found = run_bench(read_bench_settings(overrides), Console(file=StringIO()), policy)
    said = [[m.content for m in prompt if m.role == "assistant"] for prompt in policy.prompts]
    seen = [[next(size for size in _FASTER if f"={size})" in text) for text in texts] for texts in said]
    assert seen == [[], [64], [64, 128], [64, 128], [256, 128]]  # the best one last, the slowest forgotten
    best = {turn: shares["best"] for turn, shares in found["by_turn"].items()}
    assert best == pytest.approx({"1": 1.0, "2": 4.0, "3": 4.0, "4": 4.0, "5": 4.0})
    assert list(found["by_budget"]) == ["1", "2", "3", "4", "5"] and "up to 5 turns" in found["title"]


def test_a_speedup_that_is_too_high_is_measured_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def judged(modules: Iterable[KernelModule], _rungs: Any) -> Iterator[Verdict]:
        for module in modules:
            asked.append(module.digest)
            times = {"eager": 1.0, "candidate": 0.5 if len(asked) > 1 else 0.001}
            yield Verdict(Status.OK, Rung.TIME, times_ms=times, rungs=(Rung.PARSE, Rung.RUN, Rung.TIME))

    monkeypatch.setattr(asking, "judged_by", lambda _pool: judged)
    found = measured(told(tmp_path, "limit=1", "n=1"), [RIGHT])
    assert len(asked) == 2 and found["by_turn"]["1"]["best"] == 2.0


def half(path: Path) -> Path:
    """As many problems as the odd half of level 1 has, and others of level 2, all of another form and one result."""
    rows = []
    for level, number in [*((1, number) for number in range(1, 100, 2)), *((2, number) for number in range(100, 110))]:
        more = "".join(".abs()" if number >> bit & 1 else ".relu()" for bit in range(7))
        code = PROGRAM.replace("torch.relu(x) * 2", f"(torch.relu(x) * 2){more}")
        rows.append({"level": level, "problem_id": number, "name": "p", "code": code})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.slow
def test_the_report_s_baselines_are_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two policies, each asked once about each of the 10 test problems of 50, with nothing left to chance."""
    monkeypatch.chdir(tmp_path)
    given = [f"suite=jsonl:{half(tmp_path / 'half.jsonl')}", "sweep=sft_grpo", "policy=replay", "workers=1"]
    given += ["evaluator.seeds=1", "evaluator.checks=reward", "rollout.rungs=[parse,interpret]"]
    for name, answer in (("good", RIGHT), ("bad", OTHER)):
        with RecordingPolicy(ScriptedPolicy([[answer]] * 10), tmp_path / f"{name}.jsonl") as policy:
            made = run_bench(
                read_bench_settings([*given, "policy.path=unused", f"out={name}"]), Console(file=StringIO()), policy
            )
        assert made["problems"] == made["answers"] == 10 and set(made["parts"]) == {"all", "level 1"}
        asked_as = [json.loads(line)["sampling"] for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]
        assert len(asked_as) == 10 and {(one["temperature"], one["n"]) for one in asked_as} == {(0.0, 1)}
    assert main(["bench", "-m", *given, "policy.path=good.jsonl,bad.jsonl", "out=both"]) == 0, capsys.readouterr().err
    shares = [
        json.loads((tmp_path / f"both/{job}/summary_bench.json").read_text())["parts"]["all"]["pass_at"]["1"]["value"]
        for job in (0, 1)
    ]
    assert shares == [1.0, 0.0]


def test_pass_at_k_is_the_share_of_subsets_with_a_right_answer() -> None:
    for right, k in itertools.product(range(6), range(1, 6)):
        subsets = list(itertools.combinations([True] * right + [False] * (5 - right), k))
        assert pass_at_k(right, 5, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_fast_p_counts_right_answers_that_are_fast() -> None:
    right: dict[str, Any] = {"correct": True, "turn": 1}
    wrong = {"correct": False, "class": "mismatch"}
    rows = [
        {"problem": "a", "level": 1, "answers": [{**right, "speedup": 1.3}, {**right, "speedup": 0.9}]},
        {"problem": "b", "level": 1, "answers": [{**right, "speedup": 2.5}, wrong]},
    ]
    fast = summarize_bench(rows, 2)["parts"]["all"]["fast"]
    assert {p: found["value"] for p, found in fast.items()} == {"0": 0.75, "1": 0.5, "1.2": 0.5, "1.5": 0.25, "2": 0.25}


def test_fast_p_by_turn_counts_what_was_reached_by_then() -> None:
    first: dict[str, Any] = {"correct": True, "turn": 1, "speedup": 2.5, "by_turn": [[1, 1.1], [3, 2.5]]}
    second: dict[str, Any] = {"correct": True, "turn": 2, "speedup": 1.3, "by_turn": [[2, 1.3]]}
    rows = [{"problem": "a", "level": 1, "answers": [first, second]}]
    found = summarize_bench(rows, 2)["by_turn"]
    assert {turn: [shares[p] for p in ("0", "1", "1.2", "2")] for turn, shares in found.items()} == {
        "1": [0.5, 0.5, 0.0, 0.0],
        "2": [1.0, 1.0, 0.5, 0.0],
        "3": [1.0, 1.0, 1.0, 0.5],
    }


def test_failures_differ_by_their_first_diagnostic_and_not_by_numbers() -> None:
    def of(message: str, detail: str = "") -> str:
        said = (Diagnostic(message, 3, 0),) if message else ()
        return failure_class(Verdict(Status.UNPARSED, Rung.PARSE, detail, diagnostics=said))

    named = Verdict(Status.UNPARSED, Rung.PARSE, diagnostics=(Diagnostic("no torch compute", 3, 0, "torch.relu"),))
    assert failure_class(named) == "unparsed: no torch compute (torch.relu)"
    assert of("import of numpy at 3") == of("import of numpy at 17") == "unparsed: import of numpy at #"
    assert of("import of scipy") != of("import of numpy")
    assert of("", "took 12.5 s\nmore") == "unparsed: took # s"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ([], "bench measures a policy: give policy=smollm"),
        (["policy=smollm", "suite=jsonl:none.jsonl"], "suite=none.jsonl: no such file"),
        (["policy=smollm", "n=0"], "n=0: out of range, at least 1"),
        (["policy=smollm", "rollout.form=foo"], "rollout.form"),
    ],
)
def test_what_does_not_fit_is_named(overrides: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *overrides]) == 2
    assert message in capsys.readouterr().err


def test_answers_have_the_form_of_the_policy() -> None:
    assert read_bench_settings(["policy=smollm"]).plain.rollout.form == "kernels"
    assert read_bench_settings(["policy=smollm", "stage=midend"]).plain.rollout.form == "brief"
    assert read_bench_settings(["policy=smollm", "rollout.form=native"]).plain.rollout.form == "native"
