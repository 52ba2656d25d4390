"""`kernelwright evaluate`: what goes to stdout, exit statuses, batches, resuming and interruption."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from kernelwright.driver.cli import main
from kernelwright.driver.config.settings import EvaluatorSettings
from kernelwright.driver.judging import run as judging
from kernelwright.driver.run import build
from kernelwright.evaluation.pools.pool import EvaluatorPool, LocalOptions
from kernelwright.evaluation.sandbox.parent import SandboxError

REFERENCE = """import os

import torch
import torch.nn as nn

print("noise from Python")


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


def get_inputs():
    return [torch.randn(4, 33)]


def get_init_inputs():
    return []
"""
CANDIDATE = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out_ptr + row * columns + i, e / tl.sum(e, 0), mask=i < columns)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        out = torch.empty_like(x)
        softmax[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
        return out
"""
WRONG = CANDIDATE.replace("e / tl", "e * tl")
OUTSIDE = CANDIDATE.replace("return out", "return torch.softmax(x, -1)")
ENDLESS = CANDIDATE.replace("    e = tl", "    for _ in range(1 << 40):\n        x += 0.0\n    e = tl")
KEYS = ["status", "rung", "detail", "diagnostics", "errors", "times", "speedup", "ci", "caliber", "rungs", "resources"]
KEYS += ["shrunken"]
QUICK = ("rungs=parse,interpret", "evaluator.seeds=1", "device=cpu")
ONE = ("evaluate", "reference=r.py", "candidate=c.py")

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the programs, which is the current one, and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KERNELWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    for name, text in (("r.py", REFERENCE), ("c.py", CANDIDATE), ("wrong.py", WRONG), ("outside.py", OUTSIDE)):
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture(scope="module")
def pool() -> Iterator[EvaluatorPool]:
    """A pool for several tests: its workers stay warm."""
    with EvaluatorPool(LocalOptions(seeds=1, use_gpu=False), 2) as pool:
        yield pool


@pytest.fixture
def warm(folder: Path, pool: EvaluatorPool, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, where what is judged is judged by that pool."""
    monkeypatch.setattr(judging, "open_pool", lambda *_: nullcontext(pool))
    return folder


def write_batch(*rows: Any, name: str = "batch.jsonl") -> str:
    """A batch; rows that are text stand as they are."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    Path(name).write_text("".join(f"{line}\n" for line in lines))
    return f"batch={name}"


def row(name: str | int, candidate: str = "c.py", **more: Any) -> dict[str, Any]:
    return {"id": name, "reference": "r.py", "candidate": candidate, **more}


def read_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# One candidate ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_a_right_candidate_is_one_object_and_status_0(capsys: Captured) -> None:
    assert main([*ONE, "evaluator.seeds=1", "rungs=parse,compile,interpret", "target=h200"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert list(found) == KEYS and out.count("\n") == 1
    assert (found["status"], found["rung"], found["rungs"]) == ("ok", "interpret", ["parse", "compile", "interpret"])
    assert found["speedup"] is None and found["ci"] is None and found["times"] == {} and found["shrunken"] is False
    assert found["errors"]["rms"] < 1e-5 and found["resources"]["softmax"]["registers"] > 0
    assert (found["caliber"]["compile_target"], found["caliber"]["seeds"]) == ("h200", 1)
    assert "noise from Python" in err and "c.py: ok@interpret" in err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("file", "status"), [("wrong.py", "mismatch"), ("outside.py", "unparsed")])
def test_a_bad_candidate_is_a_verdict_and_status_1(file: str, status: str, capsys: Captured) -> None:
    assert main(["evaluate", "reference=r.py", f"candidate={file}", *QUICK]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == status and found["detail"]
    if status == "unparsed":
        (diagnostic,) = found["diagnostics"]
        assert set(diagnostic) == {"line", "column", "message", "text", "hint", "kernel"}
        assert diagnostic["line"] == OUTSIDE.splitlines().index("        return torch.softmax(x, -1)") + 1


BAD = {
    "missing reference": (["reference=gone.py", "candidate=c.py"], "reference=gone.py: No such file"),
    "missing candidate": (["reference=r.py", "candidate=gone.py"], "candidate=gone.py: No such file"),
    "no reference": (["candidate=c.py"], "reference=FILE is missing"),
    "nothing": ([], "reference=FILE is missing"),
    "no Model": (["reference=c.py", "candidate=c.py"], "c.py: no class `Model`; a file needs"),
    "failing reference": (
        ["reference=fails.py", "candidate=c.py"],
        "the program itself fails, before anything is compiled",
    ),
    "leaving reference": (["reference=leaves.py", "candidate=c.py"], "leaves.py: the file (line 21) ends its process"),
    "no text": (["reference=r.py", "candidate=bytes.py"], "candidate=bytes.py is not a text file in UTF-8; "),
    "null byte": (["reference=null.py", "candidate=c.py"], "null.py"),
    "bad rung": ([*ONE[1:], "rungs=parse,iterpret"], "unknown rung 'iterpret' (choose from parse, compile"),
    "rung without device": ([*ONE[1:], "rungs=run", "device=cpu"], "rung run needs a CUDA device"),
    "unknown key": ([*ONE[1:], "dialct=on"], "unknown configuration key 'dialct'; did you mean 'dialect'?"),
    "bad device": ([*ONE[1:], "device=gpu"], "expected one of [auto, cpu, cuda]"),
    "bad dialect": ([*ONE[1:], "dialect=maybe"], "dialect=maybe: give true or false"),
    "bad evaluator": ([*ONE[1:], "evaluator=far"], "unknown evaluator 'far' (choose from default, local, ray)"),
    "bad target": ([*ONE[1:], "target=h1000"], "unknown target 'h1000'"),
    "bad workers": (["batch=empty.jsonl", "workers=0"], "workers=0: out of range, at least 1"),
    "paths alone": (["r.py", "c.py"], "takes key=value only, got r.py c.py"),
    "both ways": ([*ONE[1:], "batch=empty.jsonl"], "not both"),
    "out for one": ([*ONE[1:], "out=o.jsonl"], "out=FILE goes with batch"),
    "missing batch": (["batch=gone.jsonl"], "batch=gone.jsonl: no such file"),
    "out is the batch": (["batch=batch.jsonl", "out=batch.jsonl"], "out=batch.jsonl is the batch"),
    "out nowhere": (["batch=empty.jsonl", "out=no/where.jsonl"], "out=no/where.jsonl: No such file"),
    "out of something else": (["batch=batch.jsonl", "out=other.jsonl"], "line 1 is not a verdict"),
    "out of another batch": (
        ["batch=batch.jsonl", "out=another.jsonl"],
        "line 1 has id 'z', but the batch has id 'a'",
    ),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("case", BAD)
def test_bad_usage_is_one_clear_message_and_status_2(case: str, capsys: Captured) -> None:
    Path("fails.py").write_text(REFERENCE.replace("torch.softmax(x, dim=-1)", "x @ x"))
    Path("leaves.py").write_text(REFERENCE + "\nraise SystemExit(0)\n")
    Path("bytes.py").write_bytes(b"\xff\xfe\x00")
    Path("null.py").write_text("x = 0\0\n")
    Path("empty.jsonl").write_text("")
    write_batch(row("a"))
    Path("other.jsonl").write_text('{"id": "a"}\n')
    Path("another.jsonl").write_text('{"id": "z", "status": "ok"}\n')
    before = {path: path.read_bytes() for path in Path().glob("*.jsonl")}
    argv, message = BAD[case]
    assert main(["evaluate", *argv]) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("kernelwright: error: ") == 1 and out == ""
    assert {path: path.read_bytes() for path in Path().glob("*.jsonl")} == before


@pytest.mark.usefixtures("folder")
def test_what_could_not_be_judged_is_not_called_rejected(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise SandboxError("the evaluation worker did not start")

    monkeypatch.setattr(build.EvaluatorPool, "_judge", broken)
    assert main([*ONE, *QUICK]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "not judged: the evaluation worker did not start" in err


@pytest.mark.usefixtures("folder")
def test_paths_may_hold_anything(capsys: Captured) -> None:
    name = "a, b=(c) '${d}'.py"
    Path(name).write_text(OUTSIDE)
    assert main(["evaluate", "reference=r.py", f"candidate={name}", "rungs=parse"]) == 1
    assert json.loads(capsys.readouterr().out)["status"] == "unparsed"


# Batches -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_runs_on_the_same_input_are_told(capsys: Captured) -> None:
    assert main([*ONE, "evaluator.seeds=1", "rungs=parse,interpret", "evaluator.repeats=3"]) == 0
    assert json.loads(capsys.readouterr().out)["caliber"]["determinism"] == {"runs": 3, "equal": 3}


def test_fixed_numbers_of_runs_reach_the_evaluators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "EvaluatorPool", lambda options, *_rest: options)
    options: Any = build.open_pool(EvaluatorSettings(timed_runs=100, repeats=2), "h100", 1)
    assert (options.runs, options.repeats) == ((10, 100), 2)
    options = build.open_pool(EvaluatorSettings(), "h100", 1)
    assert (options.runs, options.repeats) == (None, 1)


@pytest.mark.usefixtures("warm", "folder")
def test_a_batch_is_a_line_for_each_row_in_order(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    real = build.import_reference

    def counting(source: str, name: str, *given: Any, **more: Any) -> Any:
        imported.append(name)
        return real(source, name, *given, **more)

    monkeypatch.setattr(judging, "import_reference", counting)
    Path("sub").mkdir()
    Path("sub/fails.py").write_text(REFERENCE.replace("torch.softmax(x, dim=-1)", "x @ x"))
    for name in ("r.py", "c.py", "wrong.py"):
        Path("sub", name).write_text(Path(name).read_text())
    rows: list[Any] = [
        (row("a"), "ok", ""),
        (row(2, "wrong.py"), "mismatch", ""),
        ("{not json", "error", "line 3 is not JSON"),
        (row("text", OUTSIDE, reference=REFERENCE), "unparsed", ""),
        ("[1]", "error", "line 5 is not an object"),
        ({"reference": "r.py", "candidate": "c.py"}, "error", 'line 6 has no key "id"'),
        ({"id": "d", "reference": "r.py"}, "error", 'no "candidate"'),
        (row("e", "gone.py"), "error", "candidate=sub/gone.py: No such file"),
        (row("f", reference="fails.py"), "error", "the program itself fails"),
        (row("g", reference="fails.py"), "error", "the program itself fails"),
        (row("h", rungs=["pars"]), "error", "unknown rung 'pars'"),
        (row("i", dialect="maybe"), "error", "dialect='maybe'"),
        (row("j", rungs="run"), "error", "rung run needs a CUDA device"),
        (row("k", "wrong.py", rungs=["parse"], label="not ours"), "ok", ""),
        (row("l", dialect="on"), "ok", ""),
        (row("m", "\ud800\n"), "unparsed", ""),
    ]
    batch = write_batch(*(one for one, _, _ in rows), name="sub/batch.jsonl")
    assert main(["evaluate", batch, "workers=2", *QUICK]) == 2
    out, err = capsys.readouterr()
    lines = read_lines(out)
    assert [line["status"] for line in lines] == [status for _, status, _ in rows]
    assert [line["id"] for line in lines] == [one.get("id") if isinstance(one, dict) else None for one, _, _ in rows]
    for line, (_, _, detail) in zip(lines, rows, strict=True):
        assert list(line) == ["id", *KEYS, "asked"] and detail in line["detail"]
    assert lines[13]["rungs"] == ["parse"]
    assert imported == ["r.py", "fails.py"]  # once each; the text is the same as r.py
    assert "sub/batch.jsonl: 10 error, " in err


@pytest.mark.usefixtures("warm")
def test_the_status_of_a_batch(capsys: Captured) -> None:
    assert main(["evaluate", write_batch(row("a"), "", row("b")), *QUICK]) == 0
    assert main(["evaluate", write_batch(row("a"), row("b", "wrong.py")), *QUICK]) == 1
    assert main(["evaluate", write_batch(), *QUICK]) == 0
    assert [line["id"] for line in read_lines(capsys.readouterr().out)] == ["a", "b", "a", "b"]


@pytest.mark.usefixtures("warm")
def test_a_stopped_batch_goes_on_where_it_was(capsys: Captured) -> None:
    batch = write_batch(row("a", "wrong.py"), "{", row("b"), row("c", "outside.py"), row("d"))
    argv = ["evaluate", batch, "out=out.jsonl", *QUICK]
    out = Path("out.jsonl")
    assert main(argv) == 2
    whole = read_lines(out.read_text())
    assert [line["id"] for line in whole] == ["a", None, "b", "c", "d"]
    marked = [json.dumps({**line, "detail": "kept"}) for line in whole]
    for torn in ("", marked[3][:40], marked[3], '{"i'):
        out.write_text("\n".join(marked[:3]) + "\n" + torn)
        assert main(argv) == 2
        lines = read_lines(out.read_text())
        assert [line["detail"] == "kept" for line in lines] == [True] * 3 + [False] * 2
        assert [(line["id"], line["status"]) for line in lines] == [(line["id"], line["status"]) for line in whole]
    longer = out.read_text() + marked[0] + "\n"
    out.write_text(longer)
    assert main(argv) == 2 and out.read_text() == longer
    captured = capsys.readouterr()
    assert captured.out == "" and "line 6 has id 'a', but the batch has fewer rows" in captured.err


@pytest.mark.usefixtures("warm")
def test_an_interrupted_batch_leaves_whole_lines(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("stop.py").write_text(REFERENCE + "\n# stop\n")
    argv = ["evaluate", write_batch(*map(row, range(5)), row(5, reference="stop.py")), "workers=1", *QUICK]
    with monkeypatch.context() as patch:
        real = build.import_reference

        def stopping(source: str, *given: Any, **more: Any) -> Any:
            if "# stop" in source:
                raise KeyboardInterrupt
            return real(source, *given, **more)

        patch.setattr(judging, "import_reference", stopping)
        assert main([*argv, "out=out.jsonl"]) == 130
    text = Path("out.jsonl").read_text()
    assert text.endswith("\n") and [line["id"] for line in read_lines(text)] == list(range(len(read_lines(text))))
    assert 0 < len(read_lines(text)) <= 5
    kept = f"{len(read_lines(text))} of 6 rows are judged; kept in out.jsonl; the same command resumes from there"
    assert capsys.readouterr().err.splitlines()[-1] == f"kernelwright: interrupted: {kept}"
    assert main([*argv, "out=out.jsonl"]) == 0
    assert Path("out.jsonl").read_text().startswith(text)
    assert [line["id"] for line in read_lines(Path("out.jsonl").read_text())] == list(range(6))
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("folder")
def test_a_batch_that_asks_for_something_else_is_not_gone_on_with(capsys: Captured) -> None:
    argv = ["evaluate", write_batch(row("a"), row("b")), "rungs=parse", "out=out.jsonl"]
    assert main(argv) == 0
    whole = Path("out.jsonl").read_text()
    assert main(argv) == 0 and Path("out.jsonl").read_text() == whole
    told = "was judged with another text of the candidate or the reference, other rungs or other settings; name another"
    for other in (["rungs=parse,interpret"], ["evaluator.seeds=2"], ["dialect=off"]):
        capsys.readouterr()
        assert main([*argv, *other]) == 2 and f"line 1 (id 'a') {told}" in capsys.readouterr().err, other
    Path("c.py").write_text(Path("wrong.py").read_text())
    assert main(argv) == 2 and f"line 1 (id 'a') {told}" in capsys.readouterr().err
    assert Path("out.jsonl").read_text() == whole


@pytest.mark.usefixtures("folder")
def test_the_first_error_of_a_batch_is_told(capsys: Captured) -> None:
    for text, told in (
        ("a,b\n", "line 1 is not JSON: "),
        ("[1]\n", 'line 1 is not an object with "id", "reference" and "candidate"'),
        (json.dumps(row("a") | {"rung": "parse"}), "unknown key 'rung'; did you mean 'rungs'?"),
    ):
        Path("b.jsonl").write_text(text)
        assert main(["evaluate", "batch=b.jsonl", "rungs=parse"]) == 2
        assert f"b.jsonl: 1 error; the first error: {told}" in capsys.readouterr().err
    Path("b.jsonl").write_text(json.dumps(row("a") | {"problem": "of mine"}))
    assert main(["evaluate", "batch=b.jsonl", "rungs=parse"]) == 0


@pytest.mark.usefixtures("folder")
def test_a_verdict_is_found_again_unless_the_cache_is_off(capsys: Captured) -> None:
    argv = [*ONE, *QUICK]
    assert main(argv) == 0
    entries = list(Path("cache/verdicts").rglob("*.json"))
    assert len(entries) == 1
    marked = json.loads(entries[0].read_text()) | {"detail": "from the cache"}
    entries[0].write_text(json.dumps(marked))
    capsys.readouterr()
    assert main(argv) == 0 and json.loads(capsys.readouterr().out)["detail"] == "from the cache"
    assert main([*argv, "cache=false"]) == 0 and json.loads(capsys.readouterr().out)["detail"] == ""


# A process of its own ------------------------------------------------------------------------------------------------


def test_ctrl_c_ends_a_hanging_candidate_and_stdout_holds_verdicts_alone(folder: Path) -> None:
    (folder / "endless.py").write_text(ENDLESS)
    (folder / "r.py").write_text(REFERENCE + '\nos.write(1, b"noise from C\\n")\n')
    batch = write_batch(row("a"), row("b", "endless.py"), row("c"))
    command = [sys.executable, "-m", "kernelwright.driver.cli", "evaluate", batch, "workers=1", *QUICK]
    command.append("evaluator.timeout_s=3600")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    assert process.stdout is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=300)
    assert process.returncode == 130, errors
    assert json.loads(first)["id"] == "a" and rest == ""
    assert "noise from Python" in errors and "noise from C" in errors and "Traceback" not in errors
    kept = "1 of 3 rows are judged; out=FILE keeps verdicts, and resumes from them"
    assert errors.splitlines()[-1] == f"kernelwright: interrupted: {kept}"
