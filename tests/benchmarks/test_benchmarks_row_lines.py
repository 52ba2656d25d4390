"""How results are written: short values and rows take a line each, and the file is JSON of the same content."""

import json
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARK = "row_lines"

CONTENT = {
    "command": "python -m benchmarks.some",
    "caliber": {"device": "none", "cpus": 2},
    "summary": {f"level {level}": {"names": ["a" * 40] * 3, "over": {"eager": 1.0}} for level in (1, 2)},
    "rows": {f"row{place}": {"text": "b" * 200, "deep": [{"x": place}]} for place in range(16)},
    "few": [{"text": "c" * 200}, []],
    "nothing": {},
}


def test_results_have_a_line_for_each_row(benchmark: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "new" / "result.json"
    benchmark.write_result(out, CONTENT)
    text = out.read_text()
    assert json.loads(text) == CONTENT
    lines = text.splitlines()
    assert ' "caliber": {"device": "none", "cpus": 2},' in lines
    assert sum(line.startswith('  "row') for line in lines) == 16
    assert max(len(line) for line in lines if "b" * 200 not in line and "c" * 200 not in line) <= 150


def test_committed_results_are_written_so(benchmark: ModuleType) -> None:
    for path in (Path(__file__).parents[2] / "benchmarks/results").rglob("*.json"):
        text = path.read_text("utf-8")
        assert text == benchmark.result_text(json.loads(text)) + "\n", f"{path.name}: write it with write_result"


def test_a_command_runs_its_module_again_and_names_no_folder_of_this_machine(
    benchmark: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Path(benchmark.__file__).parent / "judge" / "soak.py"
    monkeypatch.setattr("sys.argv", [str(script), "--count", "3", "--out", "/home/me/out.json", "--note", "a b", ""])
    assert benchmark.command_line() == "python -m benchmarks.judge.soak --count 3 --out out.json --note 'a b' ''"
    monkeypatch.setattr("sys.argv", ["/elsewhere/soak.py", "runs/x.json"])
    assert benchmark.command_line() == "python soak.py runs/x.json"
