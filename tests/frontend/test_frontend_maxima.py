"""Maxima and minima keep NaN, whichever side it is on, in every type that has one."""

import pytest
import torch

from kernelwright.backend.compile.compiler import compile_module
from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import load_module
from kernelwright.backend.targets import get_target
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context

PROGRAM = """import torch
class Model(torch.nn.Module):
    def forward(self, x, y):
        return {results}
def get_inputs():
    return [torch.ones(5, 37).to(torch.{dtype}), torch.ones(5, 37).to(torch.{dtype})]
"""
RESULTS = "torch.maximum(x, y), torch.minimum(x, y), x.amax(1), x.amin(0)"


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64", "int32", "int64", "uint8", "bool"])
def test_nan_is_kept_and_numbers_are_compared(dtype: str) -> None:
    results = RESULTS if dtype != "bool" else RESULTS.split(", x.a")[0]  # a maximum of truths is another operation
    module = import_source(PROGRAM.format(results=results, dtype=dtype), "maxima", shrink="never")
    lowered = LowerInductor().run(module, Context(target="h200"))
    assert compile_module(lowered, get_target("h200"))
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randint(0, 9, (5, 37), generator=generator).to(getattr(torch, dtype)) for _ in range(2))
    if x.is_floating_point():
        x[1, 3] = y[2, 4] = x[3, 5] = y[3, 5] = torch.nan
    found = load_module(lowered, InterpreterRuntime())([x.clone(), y.clone()], {})
    expected = (torch.maximum(x, y), torch.minimum(x, y), x.amax(1), x.amin(0))[: len(found)]
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True)
    assert not x.is_floating_point() or int(found[0].isnan().sum()) == 3


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
def test_an_extremum_without_its_place_compares_no_indices(dtype: str) -> None:
    results = "x.max(1).values, y.min(0, keepdim=True)[0]"
    x, y = (torch.arange(5 * 37).reshape(5, 37) * factor % 29 for factor in (7, 11))
    x, y = (value.to(getattr(torch, dtype)) for value in (x, y))
    if x.is_floating_point():
        x[1, 3] = torch.nan
    expected = (x.max(1).values, y.min(0, keepdim=True)[0], *x.min(1))
    # Indices of truths are truths themselves in torch 2.11's Inductor.
    for text, compares in ((results, False), (f"{results}, *x.min(1)", True))[: 1 if dtype == "bool" else 2]:
        module = import_source(PROGRAM.format(results=text, dtype=dtype), "extrema", shrink="never")
        lowered = LowerInductor().run(module, Context(target="h200"))
        assert ("with_index" in "".join(map(str, lowered.kernels))) is compares
        for one, other in zip(load_module(lowered, InterpreterRuntime())([x, y], {}), expected, strict=False):
            torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True)
