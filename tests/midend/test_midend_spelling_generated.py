"""Rewrites see through other spellings of 1,000 generated programs: the smallest ones, several lowered as one.

`make spelling` does the same with larger programs, one by one and under two lowerings each.
"""

import ast
import re
from collections.abc import Iterator
from itertools import islice

import pytest
from programs import assert_right
from respelling import respelt_module

from kernelwright.backend.compile.same_kernel import compare_kernels
from kernelwright.backend.targets import get_target
from kernelwright.driver.config.discovery import discover
from kernelwright.frontend.generate import generate_program
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.kernel.normal import normal_form
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.passes import REGISTRY, Context
from kernelwright.ir.values import KernelModule

PROGRAMS = 1000
#: Programs that are lowered as one: most of what Inductor takes for one of them is the same for many.
TOGETHER = 25

discover()
PASSES = sorted(name for name, found in REGISTRY.items() if found.keeps is not None)
_NAMES = re.compile(r"\b(Model|get_inputs|get_init_inputs)\b")


def as_one(sources: list[str]) -> str:
    """One program that computes what each of several does, of inputs of its own."""
    texts, parts, calls, taken, drawn = [], [], [], [], []
    for number, source in enumerate(sources):
        text = _NAMES.sub(rf"\g<1>{number}", source)
        model = next(node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
        forward = next(node for node in model.body if isinstance(node, ast.FunctionDef) and node.name == "forward")
        names = [f"{argument.arg}_{number}" for argument in forward.args.args[1:]]
        texts.append(text)
        parts.append(f"        self.part{number} = Model{number}()")
        calls.append(f"self.part{number}({', '.join(names)})")
        taken += names
        drawn.append(f"*get_inputs{number}()")
    whole = [
        "class Model(torch.nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
        *parts,
        f"    def forward(self, {', '.join(taken)}):",
        f"        return [{', '.join(calls)}]",
        f"def get_inputs():\n    return [{', '.join(drawn)}]",
        "def get_init_inputs():\n    return []",
    ]
    return "\n".join([*texts, *whole])


def groups() -> Iterator[KernelModule]:
    """The kernels of all programs, several together; those of every other group read rows in loops."""
    for number, first in enumerate(range(0, PROGRAMS, TOGETHER)):
        yield from lowered(range(first, first + TOGETHER), LowerInductor(persistent=number % 2 == 0))


def lowered(seeds: range, lowering: LowerInductor) -> Iterator[KernelModule]:
    """The programs of some seeds as one; in two halves where that cannot be, and one that has no kernel not at all."""
    program = import_source(
        as_one([generate_program(seed, difficulty=0) for seed in seeds]), "programs", shrink="never"
    )
    try:
        yield lowering.run(program, Context(lowering_device="meta"))
    except LoweringError:
        middle = len(seeds) // 2
        for half in (seeds[:middle], seeds[middle:]) if middle else ():
            yield from lowered(half, lowering)


def forms(module: KernelModule) -> dict[str, str]:
    """The normal forms of the kernels that are launched."""
    functions = kernel_functions(module)
    return {symbol: normal_form(one, functions) for symbol, one in functions.items() if one.entry}


def fired(before: KernelModule, after: KernelModule) -> set[str]:
    """The kernels that a rewrite has changed, made or left out."""
    one, other = kernel_functions(before), kernel_functions(after)
    return {symbol for symbol in one.keys() | other.keys() if one.get(symbol) != other.get(symbol)}


def rewritten(name: str, module: KernelModule) -> KernelModule:
    return REGISTRY[name]().run(module, Context(target="h200"))


@pytest.mark.slow
def test_generated_programs_spelt_otherwise_are_rewritten_to_the_same_kernels() -> None:
    kernels, changed, parted, names = 0, 0, [], set()
    for seed, module in enumerate(groups()):
        other = respelt_module(module, seed)
        before = forms(module)
        kernels += len(before)
        assert before == forms(other), seed
        for name in PASSES:
            after, again = rewritten(name, module), rewritten(name, other)
            if after is module and again is other:
                continue
            names.add(name)
            one, two = forms(after), forms(again)
            here, there = fired(module, after) & one.keys(), fired(other, again) & two.keys()
            changed += len(here | there)
            apart = (here ^ there) | {symbol for symbol in here & there if one[symbol] != two[symbol]}
            parted += [f"{seed} {name} {symbol}" for symbol in sorted(apart)]
    assert kernels > 0.8 * PROGRAMS
    assert names >= {"cache-hints", "exp-identities", "hoist-offsets", "persistent-rows", "strength-reduce"}
    assert changed > 0.1 * PROGRAMS
    assert len(parted) <= 0.01 * changed, parted


@pytest.mark.slow
def test_generated_programs_spelt_otherwise_stay_the_same_kernels_and_right() -> None:
    """Names, temporaries and helpers by Triton's IR, the rest by what it computes after all rewrites in turn."""
    for seed, module in enumerate(islice(groups(), 2)):
        found = compare_kernels(module, respelt_module(module, seed, exact=True), get_target("h100"))
        assert found.equal and not found.unequal
        other = respelt_module(module, seed)
        for name in PASSES:
            other = rewritten(name, other)
        assert_right(other, seeds=(0,))
