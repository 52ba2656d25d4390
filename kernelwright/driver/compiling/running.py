"""Calls of verified modules: on this machine's GPU, or else in the guarded interpreter."""

import atexit
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from kernelwright.backend.launch.execute import CudaRuntime, load_module
from kernelwright.backend.tensors import Value, copy_of
from kernelwright.evaluation.judge.session import InterpretedModule
from kernelwright.evaluation.sandbox.parent import Limits, Sandbox
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
    """The module as a function. On a GPU, tensors that lie elsewhere are copied there, and outputs go to where the
    first tensor came from. Without a GPU its kernels are interpreted in a process beside this one, which the limits
    bound."""
    if not torch.cuda.is_available():
        return InterpretedModule(module, sandbox(), limits)
    loaded = load_module(module, CudaRuntime())

    def run(inputs: Sequence[Value], state: Mapping[str, Tensor]) -> tuple[Tensor, ...]:
        home = next((value.device for value in inputs if isinstance(value, Tensor)), None)
        there = [
            value if not isinstance(value, Tensor) or value.is_cuda else copy_of(value, "cuda") for value in inputs
        ]
        return tuple(output if home is None else output.to(home) for output in loaded(there, state))

    return run
