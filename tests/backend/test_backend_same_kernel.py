"""TTIR tells whether two texts are one kernel; a kernel and its reprint through the kernel IR are."""

import inspect
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import triton.language as tl
from kernel_corpus import corpus
from respelling import respelt_module

from kernelwright.backend.compile.same_kernel import compare_kernels
from kernelwright.backend.targets import get_target
from kernelwright.frontend.generate import generate_program
from kernelwright.frontend.importers import import_file, import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.kernel.text.inlining import inlined
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import with_functions
from kernelwright.ir.kernel.vocabulary import FUNCTIONS, HINTS, METHODS
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

TARGET = get_target("h100")
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", sorted(corpus()))
def test_a_reprint_is_the_same_kernel(name: str) -> None:
    module = corpus()[name]
    found = compare_kernels(module, with_functions(module, kernel_functions(module)), TARGET)
    assert found.equal and not found.unequal
    assert len(found.rejected) < len(found.equal)


@pytest.mark.parametrize("seed", range(0, 1000, 125))
def test_a_reprint_of_a_generated_program_is_the_same_kernel(seed: int) -> None:
    module = LowerInductor().run(import_source(generate_program(seed), f"random_{seed}", shrink="never"), Context())
    found = compare_kernels(module, with_functions(module, kernel_functions(module)), TARGET)
    assert found.equal and not found.unequal


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_a_reprint_of_an_example_is_the_same_kernel(path: Path) -> None:
    module = LowerInductor().run(import_file(path), Context())
    found = compare_kernels(module, with_functions(module, kernel_functions(module)), TARGET)
    assert found.equal and not found.unequal


def mutants(module: KernelModule) -> Iterator[KernelModule]:
    for old, new in (("acc + ", "acc - "), ("< 300", "<= 300"), ("other=0.0", "other=1.0"), ("tl.rsqrt", "tl.sqrt")):
        for index, kernel in enumerate(module.kernels):
            kernels = list(module.kernels)
            kernels[index] = replace(kernel, source=kernel.source.replace(old, new))
            assert kernels[index] != kernel
            yield replace(module, kernels=tuple(kernels))


def test_another_kernel_is_told_apart() -> None:
    module = corpus()["golden/persistent-rows/before.py"]
    changed = [compare_kernels(module, mutant, TARGET) for mutant in mutants(module)]
    assert len(changed) == 4
    assert all(found.unequal and not found.equal for found in changed)


def test_names_and_independent_order_do_not_matter() -> None:
    module = corpus()["golden/persistent-rows/before.py"]
    source = module.kernels[0].source
    mask, base = "    xmask = xindex < 7\n", "    r0_base = tl.arange(0, R0_BLOCK)[None, :]\n"
    other = source.replace(mask + base, base + mask).replace("r0_index", "j").replace("acc_1", "squares")
    assert other != source
    found = compare_kernels(module, replace(module, kernels=(replace(module.kernels[0], source=other),)), TARGET)
    assert found.equal and not found.unequal


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_signatures_are_those_of_triton(name: str) -> None:
    function = getattr(tl, name)
    parameters = inspect.signature(getattr(function, "fn", function)).parameters.values()
    own = [parameter for parameter in parameters if not parameter.name.startswith("_")]
    signature = FUNCTIONS[name]
    names = [parameter.name for parameter in own]
    assert names == [name for name in signature.parameters if name in names]
    starred = [parameter.name for parameter in own if parameter.kind is parameter.VAR_POSITIONAL]
    assert starred == ([signature.variadic] if signature.variadic else [])
    assert {
        parameter.name for parameter in own if parameter.default is not parameter.empty
    } <= signature.defaults.keys()


def test_methods_are_those_of_triton() -> None:
    assert all(hasattr(tl, name) for name in HINTS)
    kinds = (tl.tensor, tl.dtype, tl.pointer_type, tl.tensor_descriptor, tl.core.tensor_descriptor_base)
    assert all(
        any(hasattr(kind, name) for kind in kinds) for name in METHODS.keys() - {"atomic_add", "scatter", "store"}
    )


def test_inlined_helpers_are_the_same_kernel() -> None:
    compared = 0
    for module in corpus().values():
        functions = kernel_functions(module)
        whole = {symbol: inlined(function, functions) for symbol, function in functions.items()}
        if whole != functions:
            found = compare_kernels(module, with_functions(module, whole), TARGET)
            assert not found.unequal
            compared += len(found.equal)
    assert compared > 50


def test_respelt_kernels_are_the_same_kernel() -> None:
    compared = 0
    for seed, (_, module) in enumerate(sorted(corpus().items())):
        if seed % 4 or len(module.kernels) > 2:
            continue
        found = compare_kernels(module, respelt_module(module, seed, exact=True), TARGET)
        assert not found.unequal
        compared += len(found.equal)
    assert compared > 30
