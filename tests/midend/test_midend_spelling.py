"""Rewrites of kernels read what a kernel does: spelt otherwise, it is rewritten all the same, to the same kernel."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from kernel_corpus import corpus
from programs import assert_right, outputs
from respelling import respelt_module

from kernelwright.driver.config.discovery import discover
from kernelwright.ir.kernel.normal import normal_form
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import REGISTRY, Context, Keeps
from kernelwright.ir.values import KernelModule

GOLDEN = Path(__file__).parents[1] / "golden"
SEEDS = range(20)

discover()
#: Passes that work on the kernel IR, those that change host code as well among them.
PASSES = sorted(name for name, found in REGISTRY.items() if found.keeps is not None)


def rewritten(name: str, module: KernelModule) -> KernelModule:
    return REGISTRY[name]().run(module, Context(target="h200"))


@cache
def respelt_corpus() -> dict[str, KernelModule]:
    return {place: respelt_module(module, seed) for seed, (place, module) in enumerate(sorted(corpus().items()))}


def forms(module: KernelModule) -> dict[str, str]:
    """The normal forms of the kernels that are launched."""
    functions = kernel_functions(module)
    return {symbol: normal_form(one, functions) for symbol, one in functions.items() if one.entry}


def golden(name: str) -> Iterator[tuple[KernelModule, KernelModule]]:
    for path in sorted((GOLDEN / name).rglob("before.py")):
        yield tuple(parse_module((path.parent / file).read_text("utf-8")) for file in ("before.py", "after.py"))  # type: ignore[misc]


def test_rewrites_of_kernels_say_what_they_do() -> None:
    assert {"cache-hints", "hoist-offsets", "persistent-rows"} <= set(PASSES)
    for name in PASSES:
        found: Any = REGISTRY[name]
        assert found.needs and found.changes and isinstance(found.keeps, Keeps)


@pytest.mark.slow
@pytest.mark.parametrize("name", PASSES)
def test_golden_inputs_spelt_otherwise_are_rewritten_to_the_same_kernels(name: str) -> None:
    for before, after in golden(name):
        expected = forms(after)
        for seed in SEEDS:
            other = respelt_module(before, seed)
            assert forms(rewritten(name, other)) == expected, seed


@pytest.mark.parametrize("name", PASSES)
def test_what_a_rewrite_gives_is_right_however_its_input_is_spelt(name: str) -> None:
    for before, _ in golden(name):
        assert_right(rewritten(name, respelt_module(before, 1)))


@pytest.mark.parametrize("name", [name for name in PASSES if REGISTRY[name].keeps is Keeps.EXACT])
def test_exact_rewrites_keep_every_bit(name: str) -> None:
    for before, after in golden(name):
        pairs = zip(outputs(before, 0), outputs(after, 0), strict=True)
        assert all(torch.equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("name", PASSES)
def test_the_same_kernels_of_the_corpus_are_rewritten(name: str) -> None:
    parted, changed = [], 0
    for place, module in corpus().items():
        after, other = rewritten(name, module), rewritten(name, respelt_corpus()[place])
        if after is module and other is respelt_corpus()[place]:
            continue
        changed += after is not module
        if forms(after) != forms(other):
            parted.append(place)
    assert changed > 0
    assert len(parted) <= 0.01 * len(corpus()), parted
