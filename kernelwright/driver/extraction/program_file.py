"""The model of a program's file, and inputs of its forward."""

from pathlib import Path

import torch
from torch import nn

from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.tensors import Value
from kernelwright.frontend.importers import import_source, read_source


def read_model(path: Path, seed: int = 0) -> tuple[nn.Module, tuple[Value, ...]]:
    """Of a file in KernelBench's format, at its own sizes, on the GPU where there is one. Raises UserError."""
    reference = import_source(read_source(path), path.stem, shrink="never").reference
    program, device = ReferenceProgram.load(reference), "cuda" if torch.cuda.is_available() else "cpu"
    return program.build(seed, device), tuple(program.inputs(seed, device))
