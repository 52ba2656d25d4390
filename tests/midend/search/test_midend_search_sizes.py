"""Where sizes may change from call to call, a search does without the passes that write all of them into a kernel.

A pass of rows that takes the length that launches pass may still write that one; other sizes are then not verified.
"""

import pytest
from kernel_corpus import corpus

from kernelwright.backend.launch.facts import launch_facts
from kernelwright.driver.config.discovery import discover
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.passes import REGISTRY, Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.space import Space, explored

discover()
#: Every golden program that has kernels, with passes that change kernels.
PROGRAMS = {name: module for name, module in corpus().items() if name.endswith("before.py")}
PASSES = sorted(name for name, found in REGISTRY.items() if found.keeps is not None)


def _sizes(module: KernelModule) -> dict[str, set[str]]:
    """By kernel, the integers that its launches pass and that it reads, but for those fixed at compile time."""
    known, found = launch_facts(module), {}
    for symbol, function in kernel_functions(module).items():
        read = {operand for one in function.walk() for operand in one.operands}
        pairs = zip(function.body.arguments, function.parameters, strict=True)
        names = {one.name for value, one in pairs if value in read and not one.is_constexpr}
        found[symbol] = {one for one in names if symbol in known and known[symbol].is_integer(one)}
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
    module = PROGRAMS["golden/strength-reduce/before.py"]
    space = Space(module, Context("h200"), general=general)
    found = [one for one in space.walk(space.plain(), lambda _module: 0.0, 4) if one.module is not module]
    lost = [one.spec for one in found if _lost(module, one.module)]
    assert found and bool(lost) == (not general), lost
