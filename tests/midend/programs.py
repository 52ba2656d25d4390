"""Programs lowered for the mid-end, and whether what became of them is right."""

from functools import cache

import torch

from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import load_module
from kernelwright.backend.reference.program import ReferenceProgram, flatten_outputs
from kernelwright.backend.tensors import copy_of
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import verify

#: What a template's sum may differ from torch's by, beside its size: the order of summation, and the type's rounding.
CLOSE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}
#: The same in fp32 where the reference lets operands be TF32.
CLOSE_TF32 = 2e-3


def lowered(forward: str, shapes, init: str = "pass", dtype: str = "float32", **options) -> KernelModule:
    """A program of tensors a, b, … of these shapes, lowered without changing the layout of convolutions. In the place
    of a shape there may be one with what makes a view of it, as text."""
    names = ", ".join("abcd"[: len(shapes)])
    given = [shape if isinstance(shape[-1], str) else (shape, "") for shape in shapes]
    made = ", ".join(f"torch.randn({shape}, dtype=torch.{dtype}){view}" for shape, view in given)
    source = f"""import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}
        self.to(torch.{dtype})

    def forward(self, {names}):
        return {forward}

def get_inputs():
    return [{made}]
"""
    return _lowered(source, LowerInductor(**{"channels_last": False, "device": "cpu", **options}))


@cache
def _lowered(source: str, lowering: LowerInductor) -> KernelModule:
    """Made once where several tests want the same."""
    return lowering.run(import_source(source, "program", shrink="never"), Context())


def outputs(module: KernelModule, seed: int) -> list[torch.Tensor]:
    """What a module gives for the inputs of a seed."""
    program = ReferenceProgram.load(module.reference)
    call = load_module(module, InterpreterRuntime(), seed)
    return call([value.clone() for value in program.inputs(seed)], program.state(program.build(seed)))


def assert_right(module: KernelModule, seeds=(0, 1)) -> None:
    """The module is in the dialect and gives what its reference gives, every access inside its tensor."""
    assert verify(module) == ()
    program = ReferenceProgram.load(module.reference)
    for seed in seeds:
        model, inputs = program.build(seed), program.inputs(seed)
        call = load_module(module, InterpreterRuntime(), seed)
        found = call([copy_of(value) for value in inputs], program.state(model))
        with torch.no_grad():
            expected = flatten_outputs(model(*inputs))
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype)
            allowed = CLOSE[other.dtype] if other.is_floating_point() else 0.0
            if other.dtype == torch.float32 and module.reference.numerics != "ieee":
                allowed = CLOSE_TF32
            size = float(other.abs().max()) if allowed else 0.0
            torch.testing.assert_close(one, other, rtol=allowed, atol=allowed * max(size, 1.0))
