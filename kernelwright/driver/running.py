"""Calls of verified modules: on this machine's GPU, or else in the guarded interpreter."""

import atexit
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from kernelwright.backend.execute import CudaRuntime, load_module
from kernelwright.backend.tensors import Value
from kernelwright.evaluation.sandbox import Limits, Sandbox
from kernelwright.evaluation.session import InterpretedModule
from kernelwright.ir.values import KernelModule

#: Inputs in the reference's order, then its state by name.
Run = Callable[[Sequence[Value], Mapping[str, Tensor]], tuple[Tensor, ...]]

_sandboxes: list[Sandbox] = []


def sandbox() -> Sandbox:
    """The one sandbox of this process that interprets calls; its worker starts on first use and ends with the
    process."""
    if not _sandboxes:
        _sandboxes.append(Sandbox())
        atexit.register(_sandboxes[0].close)
    return _sandboxes[0]


def open_run(module: KernelModule, limits: Limits) -> Run:
    """The module as a function. Without a GPU its kernels are interpreted in a process beside this one, which the
    limits bound."""
    if torch.cuda.is_available():
        return load_module(module, CudaRuntime())
    return InterpretedModule(module, sandbox(), limits)
