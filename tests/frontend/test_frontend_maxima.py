"""Maxima and minima keep NaN, whichever side it is on, in every type that has one."""

import pytest
import torch

from kernelwright.backend.compiler import compile_module
from kernelwright.backend.execute import load_module
from kernelwright.backend.interpreter import InterpreterRuntime
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
