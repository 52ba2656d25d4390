"""Modules whose kernels the tests of the kernel IR read: the golden cases and the suite's honest candidates."""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kernelwright.frontend.importers import import_source
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule, Reference

sys.path.insert(0, str(Path(__file__).parent / "suite"))
from cases import load_cases

TESTS = Path(__file__).parent


@cache
def corpus() -> dict[str, KernelModule]:
    """Every module with kernels, by a name."""
    return dict(_modules())


def _modules() -> Iterator[tuple[str, KernelModule]]:
    for path in sorted((TESTS / "golden").rglob("*.py")):
        module = parse_module(path.read_text("utf-8"))
        if module.kernels:
            yield str(path.relative_to(TESTS)), module
    for case in load_cases("honest"):
        if not case.refused:
            module = parse_module(case.text, reference=_reference(case.reference_path))
            if module.kernels:
                yield case.id, module


@cache
def _reference(path: Path) -> Reference:
    return import_source(path.read_text("utf-8"), path.stem, shrink="never").reference
