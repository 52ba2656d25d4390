"""Where sizes may change from call to call, a search does without the passes that write all of them into a kernel.

A pass of rows that takes the length that launches pass may still write that one; other sizes are then not verified.
"""

import ast
from pathlib import Path

import pytest

from kernelwright.driver.config.discovery import discover
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import REGISTRY, Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.space import Space, explored

discover()
GOLDEN = Path(__file__).parents[2] / "golden"
#: Every golden program that has kernels, with passes that change kernels.
PROGRAMS = {
    path.parent.name: module
    for path in sorted(GOLDEN.glob("*/before.py"))
    if (module := parse_module(path.read_text("utf-8"))).launcher is not None
}
PASSES = sorted(name for name, found in REGISTRY.items() if found.keeps is not None)


def _sizes(module: KernelModule) -> dict[str, set[str]]:
    """By kernel, the parameters that are neither pointers nor fixed at compile time, and that it reads."""
    found = {}
    for kernel in module.kernels:
        (function,) = (node for node in ast.parse(kernel.source).body if isinstance(node, ast.FunctionDef))
        read = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        parameters = {one.arg for one in function.args.args if one.annotation is None}
        found[kernel.symbol] = {one for one in parameters & read if not one.endswith("_ptr")}
    return found


def _lost(before: KernelModule, after: KernelModule) -> bool:
    """Whether a kernel reads a size no more."""
    sizes, left = _sizes(before), _sizes(after)
    return any(sizes[symbol] - left[symbol] for symbol in sizes.keys() & left.keys())


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_after_which_a_kernel_reads_a_size_no_more_says_so(name: str) -> None:
    lost = []
    for program, module in PROGRAMS.items():
        try:
            after = parse_pipeline(name).run(module, Context("h200"))
        except KernelwrightError:
            continue
        lost += [program] if _lost(module, after) else []
    assert bool(lost) == explored(name).sizes, lost


@pytest.mark.parametrize("general", [False, True])
def test_candidates_of_a_general_search_read_all_sizes(general: bool) -> None:
    module = PROGRAMS["strength-reduce"]
    space = Space(module, Context("h200"), general=general)
    found = [one for one in space.walk(space.plain(), lambda _module: 0.0, 4) if one.module is not module]
    lost = [one.spec for one in found if _lost(module, one.module)]
    assert found and bool(lost) == (not general), lost
