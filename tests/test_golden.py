"""Golden cases of passes: `golden/<pipeline spec>/before.py` becomes `after.py`, to the letter.

Set KERNELWRIGHT_UPDATE_GOLDEN=1 to write what the passes give now, and read the difference before committing it.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from kernelwright.driver.config.discovery import discover
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.printer import print_module

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(path.parent.relative_to(GOLDEN) for path in GOLDEN.rglob("before.py"))
TORCH = "2.13"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_golden(case: Path) -> None:
    if "lower-inductor" in str(case) and not torch.__version__.startswith(TORCH):
        pytest.skip(f"Inductor's choices are those of torch {TORCH}")
    discover()
    before = parse_module((GOLDEN / case / "before.py").read_text("utf-8"))
    after = parse_pipeline(case.parts[0]).run(before, Context(target="h200"))
    text = print_module(replace(after, provenance=()))
    golden = GOLDEN / case / "after.py"
    if os.environ.get("KERNELWRIGHT_UPDATE_GOLDEN") == "1":
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


def test_there_are_cases() -> None:
    assert {case.parts[0] for case in CASES} >= {"lower-inductor", "cache-hints", "tune"}
