"""Tables, lines and errors at 100, 80 and 40 columns: no word is cut, a verdict never is."""

import os
import pty
import re
import struct
import subprocess
import sys
from fcntl import ioctl
from io import StringIO
from termios import TIOCSWINSZ
from typing import Any

import pytest
from processes import environment
from rich.console import Console

from kernelwright.driver.ablation.table import print_arms
from kernelwright.driver.compiling.report import print_table
from kernelwright.driver.run.tables import print_rows

_SPENT = {"registers": 12, "spill_bytes": 0, "shared_bytes": 16384}


def stage(spec: str, verdict: str) -> dict[str, Any]:
    return {
        "name": spec.partition("{")[0],
        "spec": spec,
        "changed": True,
        "verdict": verdict,
        "kernels": ["k"],
        "externs": ["aten.convolution"],
        "resources": {"k": _SPENT},
        "estimated_us": 12345.67,
        "seconds": 1.2,
        "notes": {"plain": "lower-inductor{fuse=false}", "candidates": 48},
    }


REPORT = {
    "name": "conv_transpose_and_softmax",
    "target": "h100",
    "stages": [
        stage("lower-inductor{fuse=false}", "ok@interpret"),
        stage("tune{trials=32,measure=model,seconds=60}", "runtime_error@interpret"),
    ],
    "status": "runtime_error",
    "detail": "an address out of bounds, which is said in a sentence that is longer than the terminal is wide",
    "rungs": ["parse", "compile"],
    "shrunken": True,
    "speedup": {"value": None, "how": "not measured: no GPU, and no other stage to compare with", "against": ""},
}
SHARE = {"value": 0.5, "low": 0.333, "high": 0.667, "pairs": 12}
RATIO = {"value": 1.234, "low": 0.987, "high": 2.345, "pairs": 7}
ARM = {"arm": "passes_only", "problems": 12, "rows": 12, "by_status": {"ok": 6}, "verified": SHARE, "speedup": RATIO}
SUMMARY = {
    "name": "stages",
    "problems": 12,
    "seeds": [0],
    "rows": 24,
    "rows_wanted": 24,
    "shrunken": 3,
    "caliber": "estimated for h100 by the cost model, not measured",
    "calibers": [],
    "made_with": {"baseline": "lower-inductor"},
    "arms": [ARM, {**ARM, "arm": "frontend_and_midend_agents", "verified_difference": SHARE, "speedup_ratio": RATIO}],
}


def shown(print_: Any, content: Any, width: int) -> list[str]:
    file = StringIO()
    print_(content, Console(file=file, width=width, force_terminal=True, color_system=None))
    return re.sub(r"\x1b\[[\d;]*m", "", file.getvalue()).splitlines()


@pytest.mark.parametrize("width", [140, 80, 40])
@pytest.mark.parametrize(("print_", "content"), [(print_table, REPORT), (print_arms, SUMMARY)])
def test_nothing_is_cut_at_any_width(print_: Any, content: Any, width: int) -> None:
    lines, whole = shown(print_, content, width), shown(print_, content, 500)
    assert max(map(len, lines)) <= width
    words = [re.findall(r"[^\s,{;]+", text) for text in ("\n".join(lines), "\n".join(whole))]
    assert {*words[1]} - {*words[0]} <= {"stage", "arm"}  # paragraphs do without the first heading


def test_verdicts_stand_in_one_line_and_specs_go_on_in_the_next() -> None:
    for width in (140, 80, 40):
        text = "\n".join(shown(print_table, REPORT, width))
        assert text.count("ok@interpret") == text.count("runtime_error@interpret") == 1, width
    found = shown(print_table, {**REPORT, "stages": REPORT["stages"][:1]}, 80)
    assert found[1].split()[:3] == ["stage", "verdict", "kernels"]
    assert [line.split()[0] for line in found[2:4]] == ["lower-inductor{", "fuse=false}"]


def test_figures_stand_below_one_another() -> None:
    file = StringIO()
    print_rows(Console(file=file, width=80), "title", ("name", "how much of it"), [("one", "5"), ("two", "10")])
    assert file.getvalue().splitlines()[-2:] == ["one      5", "two     10"]


def test_an_error_on_a_terminal_ends_its_lines_between_words() -> None:
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    given = {key: value for key, value in environment().items() if key not in ("COLUMNS", "LINES")}
    command = [sys.executable, "-m", "kernelwright.driver.cli", "compil", "model.py"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=given) as process:
        os.close(theirs)
        process.wait(60)
    lines = os.read(ours, 10000).decode().replace("\r", "").rstrip().split("\n")
    os.close(ours)
    assert max(map(len, lines)) <= 40
    assert " ".join(lines).startswith("kernelwright: error: unknown verb 'compil'; did you mean 'compile'?")
