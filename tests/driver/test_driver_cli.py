"""The command line: exit statuses, messages, run folders, and what goes to which stream."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from kernelwright import __version__
from kernelwright.driver.cli import main
from kernelwright.driver.command.helping import verb_help
from kernelwright.driver.compiling.emit import check_emit, emit
from kernelwright.driver.config.discovery import discover
from kernelwright.frontend.importers import import_file
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import REGISTRY, Context, Pass
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule, Level

PROGRAM = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(24))

    def forward(self, x):
        return torch.relu(x * self.scale + 1.0)


def get_inputs():
    return [torch.rand(16, 24)]


def get_init_inputs():
    return []
"""
UNLOWERABLE = PROGRAM.replace("torch.relu(x * self.scale + 1.0)", "torch.nonzero(x * self.scale)")

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program in a folder of its own, which is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.py"
    path.write_text(PROGRAM)
    return path


# Bad input, through the installed entry point ---------------------------------------------------------------

BAD = {
    "unknown verb": (["compil", "small.py"], "unknown verb 'compil'; did you mean 'compile'?"),
    "file for a verb": (["small.py"], "to compile a file: `kernelwright compile small.py`"),
    "missing file": (["compile", "gone.py"], "gone.py: No such file or directory"),
    "unlowerable": (["compile", "unlowerable.py", "-p", "lower-inductor", "import.shrink=never"], "aten.nonzero"),
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, subprocess.CompletedProcess[str]]]:
    """Every case of `BAD` run as a process of its own."""
    folder = tmp_path_factory.mktemp("bad")
    (folder / "small.py").write_text(PROGRAM)
    (folder / "unlowerable.py").write_text(UNLOWERABLE)
    env = {key: value for key, value in os.environ.items() if key != "KERNELWRIGHT_DEBUG"}

    def run(argv: list[str]) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "kernelwright.driver.cli", *argv]
        return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)

    with ThreadPoolExecutor(2) as pool:
        done = pool.map(run, [argv for argv, _ in BAD.values()])
        yield dict(zip(BAD, done, strict=True))


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_message_and_status_2(
    case: str, refused: dict[str, subprocess.CompletedProcess[str]]
) -> None:
    done, message = refused[case], BAD[case][1]
    assert done.returncode == 2, done.stderr
    assert message in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.count("kernelwright: error: ") == 1 and done.stdout == ""


#: Those that differ in what is said alone: a process of its own would import torch and Inductor for each.
BAD_IN_PROCESS = {
    "folder": (["compile", "folder"], "folder: Is a directory"),
    "syntax error": (["compile", "broken.py"], "broken"),
    "no Model": (["compile", "empty.py"], "Model"),
    "unknown pass": (["compile", "small.py", "-p", "lower-inductr"], "did you mean 'lower-inductor'?"),
    "bad option value": (["compile", "small.py", "-p", "lower-inductor{tiles=many}"], "takes an integer, not"),
    "unknown option": (["compile", "small.py", "-p", "lower-inductor{tile=2}"], "has no option 'tile'"),
    "unknown target": (["compile", "small.py", "target=h1000"], "unknown target 'h1000' (choose from"),
    "unknown key": (["compile", "small.py", "targt=h100"], "did you mean 'target'?"),
    "no path": (["compile"], "compile takes one path to a PyTorch program, got none"),
    "unknown flag": (["compile", "small.py", "--emitt=ptx"], "has no flag --emitt; did you mean --emit?"),
    "unknown emit": (["compile", "small.py", "--emit=cuda"], "choose from triton"),
    "level too low": (["opt", "small.py", "-p", "tune"], "reads level triton, but the module is at level torch"),
    "broken module": (["opt", "broken_module.py"], "does not parse as a module"),
    "ends the process": (["compile", "leaving.py"], "leaving.py: get_inputs() (line 15) ends its process when it runs"),
    "null byte": (["compile", "null.py"], "null.py: source code string cannot contain null bytes; fix"),
    "views alone": (["compile", "views.py"], "gives back views of its inputs; there is nothing to lower"),
    "inputs alone": (["compile", "inputs.py"], "gives back its inputs; there is nothing to lower"),
    "empty out": (["compile", "small.py", "out="], "out= names no folder"),
    "no time": (["compile", "small.py", "evaluator.timeout_s=0"], "evaluator.timeout_s=0.0: out of range, above 0"),
    "no memory": (["compile", "small.py", "evaluator.memory_gb=nan"], "memory_gb=nan: a finite number is expected"),
    "no samples": (["compile", "small.py", "evaluator.samples=-1"], "evaluator.samples=-1: out of range, at least 0"),
    "no trials": (["compile", "small.py", "-p", "lower-inductor,tune{trials=0}"], "trials=0: give at least 1"),
}


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("case", BAD_IN_PROCESS)
def test_bad_usage_is_named(case: str, capsys: Captured) -> None:
    Path("folder").mkdir()
    Path("broken.py").write_text("class Model(\n")
    Path("empty.py").write_text("import torch\n")
    Path("broken_module.py").write_text("# kernelwright module 1\n# name: x\nimport os\n")
    Path("leaving.py").write_text(PROGRAM.replace("return [torch", "raise SystemExit(0)\n    return [torch"))
    Path("null.py").write_text(PROGRAM + "\0")
    for name, result in (("views", "x.view(-1)"), ("inputs", "x")):
        Path(f"{name}.py").write_text(PROGRAM.replace("torch.relu(x * self.scale + 1.0)", result))
    argv, message = BAD_IN_PROCESS[case]
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert message in err and out == "" and "Traceback" not in err
    assert err.count("kernelwright: error: ") == 1


QUICK = ("-p", "lower-inductor", "evaluator.seeds=1")


@pytest.fixture(scope="module")
def lowered(tmp_path_factory: pytest.TempPathFactory) -> KernelModule:
    """The program after `lower-inductor`, not judged."""
    path = tmp_path_factory.mktemp("lowered") / "small.py"
    path.write_text(PROGRAM)
    discover()
    return parse_pipeline("lower-inductor").run(import_file(path), Context("h100"))


# Good input, in this process ---------------------------------------------------------------------------------


def test_compile_writes_a_run_folder_and_json_alone(program: Path, capsys: Captured) -> None:
    status = main(["compile", str(program), *QUICK, "out=run", "--json"])
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert status == 0 and report == json.loads(Path("run/report.json").read_text())
    assert (report["status"], report["level"], report["shrunken"]) == ("ok", "triton", False)
    assert {"parse", "compile"} <= set(report["rungs"])
    (stage,) = report["stages"]
    assert stage["name"] == "lower-inductor" and stage["verdict"].startswith("ok@") and stage["externs"] == []
    assert [r["registers"] > 0 for r in stage["resources"].values()] == [True] * len(stage["kernels"])
    assert stage["estimated_us"] > 0 and report["speedup"]["how"]
    assert sorted(p.name for p in Path("run").iterdir()) == [
        ".hydra",
        "00-import.py",
        "01-lower-inductor.py",
        "module.py",
        "report.json",
    ]
    module = parse_module(Path("run/module.py").read_text())
    assert module.digest == report["digest"] and module.provenance[-1].verdict == stage["verdict"]
    assert "lower-inductor" in err and "Traceback" not in err


def test_compile_by_default_tunes_and_prints_a_table(program: Path, capsys: Captured) -> None:
    passes = "pipeline.passes=[lower-inductor,{tune:{trials:2}}]"
    assert main(["compile", str(program), "target=h100", "evaluator.seeds=1", passes, "-o", "result.py"]) == 0
    out, _ = capsys.readouterr()
    assert "small for h100" in out and "tune{trials=2}" in out and "run folder: runs/small-20" in out
    (folder,) = Path("runs").iterdir()
    assert json.loads((folder / "report.json").read_text())["level"] == "tuned"
    assert Path("result.py").read_text() == (folder / "module.py").read_text()


@pytest.mark.parametrize(
    ("what", "marks"),
    [
        ("triton", ["# kernelwright module", "@triton.jit"]),
        ("ttir", ["tt.func"]),
        ("ttgir", ["#ttg"]),
        ("ptx", [".version", ".target sm_90"]),
        ("kernelbench", ["class ModelNew", "@triton.jit"]),
        ("standalone", ["@triton.jit"]),
    ],
)
def test_emit_gives_every_form(what: str, marks: list[str], lowered: KernelModule) -> None:
    text = emit(lowered, check_emit(what), "h100")
    assert all(mark in text for mark in marks)


def test_emit_prints_the_text_alone(program: Path, capsys: Captured) -> None:
    assert main(["compile", str(program), "--emit=ptx", "target=h100", *QUICK]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("// kernel ") and ".target sm_90" in out and "run folder" not in out
    assert "run folder" in err


def test_opt_reads_a_program_or_a_module_and_composes(program: Path, capsys: Captured) -> None:
    assert main(["opt", str(program), "-p", "lower-inductor", "-o", "lowered.py", "--time"]) == 0
    assert " s  lower-inductor" in capsys.readouterr().err
    assert main(["opt", "lowered.py"]) == 0
    assert capsys.readouterr().out == Path("lowered.py").read_text()
    given = ["-p", "tune{trials=2}", "target=h100", "--diff", "--print-ir-after=tune", "--verify", "evaluator.seeds=1"]
    assert main(["opt", "lowered.py", *given]) == 0
    out, err = capsys.readouterr()
    assert parse_module(out).target == "h100" and parse_module(out).provenance[-1].verdict.startswith("ok@")
    assert "+++ after tune" in err and "# ---- after tune" in err


def test_opt_says_why_a_pass_left_a_kernel_as_it_was(program: Path, capsys: Captured) -> None:
    assert main(["opt", str(program), "-p", "lower-inductor", "-o", "lowered.py"]) == 0
    assert main(["opt", "lowered.py", "-p", "align-rows,fuse-epilogue"]) == 0
    assert "it has no loop" not in capsys.readouterr().err
    assert main(["opt", "lowered.py", "-p", "align-rows,fuse-epilogue", "--declined"]) == 0
    out, err = capsys.readouterr()
    assert out == Path("lowered.py").read_text()
    assert err.endswith(
        "align-rows @mul_add_relu: it has no loop\nfuse-epilogue: no kernel reads what another one stores\n"
    )


def test_opt_judges_what_no_pass_changed(program: Path, capsys: Captured) -> None:
    assert main(["opt", str(program), "-p", "lower-inductor", "-o", "right.py"]) == 0
    text = Path("right.py").read_text()
    Path("wrong.py").write_text(text.replace("+ 1.0\n", "+ 2.0\n"))
    assert Path("wrong.py").read_text() != text
    for file, passes, status in (("right.py", [], 0), ("wrong.py", [], 1), ("wrong.py", ["-p", "align-rows"], 1)):
        given = [file, *passes, "--verify", "target=interpreter", "evaluator.seeds=1"]
        assert main(["opt", *given]) == status
        out, err = capsys.readouterr()
        assert bool(out) == (status == 0) and ("as it was given is not verified: mismatch" in err) == (status == 1)


def test_a_byte_order_mark_is_no_part_of_a_program(program: Path, capsys: Captured) -> None:
    program.write_text(PROGRAM, "utf-8-sig")
    assert main(["opt", str(program)]) == 0
    assert "small" in capsys.readouterr().out


def test_json_mode_keeps_stdout_clean_on_bad_input(program: Path, capsys: Captured) -> None:
    assert main(["compile", str(program), "--json", "target=none"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "unknown target 'none'" in err


# Runs that do not end well -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Spoil(Pass):
    """Computes something else, or stops in one way or another."""

    name: ClassVar[str] = "c-spoil"
    reads: ClassVar[Level] = Level.TORCH
    writes: ClassVar[Level] = Level.TORCH
    way: str = "wrong"

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        if self.way == "interrupt":
            raise KeyboardInterrupt
        if self.way == "crash":
            raise RuntimeError("boom")
        wrong = tuple(replace(k, source=k.source.replace("1.0", "2.0")) for k in module.kernels)
        assert wrong != module.kernels
        return replace(module, kernels=wrong)


@pytest.fixture
def spoil(program: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    """Compile the program with a pipeline that may name the pass above."""
    monkeypatch.setitem(REGISTRY, _Spoil.name, _Spoil)
    given = ("out=run", "--json", "evaluator.seeds=1")
    return lambda pipeline: main(["compile", str(program), "-p", pipeline, *given])


def test_a_wrong_module_is_not_verified(spoil: Callable[[str], int], capsys: Captured) -> None:
    assert spoil("lower-inductor,c-spoil") == 1
    report = json.loads(capsys.readouterr().out)
    assert report["status"] == "mismatch" and report["speedup"]["value"] is None
    assert [stage["verdict"].split("@")[0] for stage in report["stages"]] == ["ok", "mismatch"]
    assert Path("run/02-c-spoil-refused.py").exists()
    assert "-p c-spoil --verify out=run" in Path("run/reproduce.sh").read_text()


def test_an_interrupted_run_keeps_what_was_done(spoil: Callable[[str], int], capsys: Captured) -> None:
    assert spoil("lower-inductor,c-spoil{way=interrupt}") == 130
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines()[-1] == "kernelwright: interrupted: 1 stage was done; kept in run"
    assert parse_module(Path("run/00-import.py").read_text()).level is Level.TORCH
    assert json.loads(Path("run/report.json").read_text())["status"] == "interrupted"


def test_a_crashing_pass_is_named_and_reproducible(spoil: Callable[[str], int], capsys: Captured) -> None:
    assert spoil("c-spoil{way=crash}") == 1
    assert "pass c-spoil on @small: RuntimeError: boom" in capsys.readouterr().err
    assert main(["opt", "run/reproduce.py"]) == 0
    assert json.loads(Path("run/report.json").read_text())["status"] == "error"
    assert "-p 'c-spoil{way=crash}' out=run" in Path("run/reproduce.sh").read_text()


def test_debug_shows_tracebacks(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELWRIGHT_DEBUG", "1")
    with pytest.raises(ValueError, match="unknown target"):
        main(["compile", str(program), "target=none"])


# Help ----------------------------------------------------------------------------------------------------------


def test_help_and_version(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"kernelwright {__version__}\n"
    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    for verb, text in verb_help().items():
        assert f"  {verb} " in overview and f"usage: kernelwright {verb}" in text
        assert main([verb, "--help"]) == 0
        assert capsys.readouterr().out == f"{text}\n"


def test_passes_lists_every_pass(capsys: Captured) -> None:
    assert main(["passes"]) == 0
    text = capsys.readouterr().out
    assert main(["passes", "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert {"lower-inductor", "tune"} <= set(described)
    assert described["lower-inductor"]["options"]["tiles"] == {"type": "int", "default": 0}
    for name, found in described.items():
        assert f"{name}  ({found['reads']} -> {found['writes']})" in text and found["summary"] in text
        assert all(f"\n    {word} {found[word]}\n" in text for word in ("needs", "changes", "keeps") if found[word])
    assert described["cache-hints"]["keeps"] == "every value, bit for bit" and described["tune"]["keeps"] == ""


def test_a_closed_stdout_is_told_in_one_line() -> None:
    command = f"{sys.executable} -m kernelwright.driver.cli passes >&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "kernelwright: error: stdout is closed; redirect it, for example with >FILE or >/dev/null\n"
