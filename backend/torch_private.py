"""The adapter for private parts of torch that programs are watched by: dispatch modes, trees of values, keys, names."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch

from kernelwright.backend.versions import adapting

with adapting("kernelwright", "torch"):
    import torch._prims as _primitives
    from torch._C import (
        DisableTorchFunctionSubclass,
        _dispatch_has_kernel_for_dispatch_key,
        _VariableFunctions,
    )
    from torch._prims_common import suggest_memory_format
    from torch.nn.modules import module as _modules
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves, tree_map, tree_map_only

    torch.compiler._is_compiling_flag, torch.cuda._sleep, _primitives.__all__, torch._C._is_tracing  # noqa: B018
    _modules._global_forward_hooks, _modules._global_forward_pre_hooks, _modules._global_backward_hooks  # noqa: B018

__all__ = [
    "DisableTorchFunctionSubclass",
    "TorchDispatchMode",
    "compiling",
    "hooks_of_all_modules",
    "inductor_classes",
    "is_composite",
    "is_primitive",
    "keep_device_busy",
    "load_process_groups",
    "names_of_operations",
    "of_a_process_group",
    "suggest_memory_format",
    "tracing",
    "tree_leaves",
    "tree_map",
    "tree_map_only",
]


def is_composite(operation: str) -> bool:
    """Whether an operation, by the name that the dispatcher has it under, is made of others for every device."""
    return bool(_dispatch_has_kernel_for_dispatch_key(operation, "CompositeImplicitAutograd"))


def names_of_operations() -> frozenset[str]:
    """The names of the operations on tensors that torch's own namespace has."""
    return frozenset(dir(_VariableFunctions))


def is_primitive(name: str) -> bool:
    """Whether torch itself has an operation of this name among its `prims`: some are there only once Inductor is."""
    return name in _primitives.__all__


@contextmanager
def compiling() -> Iterator[None]:
    """As `torch.compiler.is_compiling()` says while `torch.compile` traces a program."""
    torch.compiler._is_compiling_flag = True
    try:
        yield
    finally:
        torch.compiler._is_compiling_flag = False


def hooks_of_all_modules() -> tuple[Any, ...]:
    """What runs around each call of any module, by number."""
    hooks = _modules._global_forward_pre_hooks, _modules._global_forward_hooks, _modules._global_backward_hooks
    return tuple(tuple(one) for one in hooks)


@contextmanager
def tracing() -> Iterator[None]:
    """As `torch.jit.is_tracing()` says while `torch.jit.trace` records a program."""
    with mock.patch.object(torch._C, "_is_tracing", lambda: True):
        yield


def load_process_groups() -> None:
    """Make `of_a_process_group` quick: imports what it needs. Raises UnsupportedVersionError where that is missing."""
    with adapting("process groups without peers", "torch"):
        import torch.testing._internal.distributed.fake_pg  # noqa: F401 - registers a backend


@contextmanager
def of_a_process_group(rank: int, size: int) -> Iterator[None]:
    """As one of so many processes of a distributed run, which sends nothing. Needs `load_process_groups`."""
    store = torch._C._distributed_c10d.HashStore()
    before = sys.excepthook  # a group has one of its own, and leaves it
    torch.distributed.init_process_group("fake", rank=rank, world_size=size, store=store)
    try:
        yield
    finally:
        torch.distributed.destroy_process_group()
        sys.excepthook = before


def keep_device_busy(cycles: int) -> None:
    """Queue work on the current CUDA stream that touches no memory and takes so many cycles of the device's clock."""
    torch.cuda._sleep(cycles)  # type: ignore[no-untyped-call]


def inductor_classes() -> tuple[Any, Any]:
    """The class of what Inductor compiles, which is called, and of what times its choices (`benchmark_gpu`).

    Takes seconds. Raises UnsupportedVersionError where either is missing.
    """
    with adapting("timing against Inductor", "torch"):
        from torch._inductor.output_code import CompiledFxGraph
        from torch._inductor.runtime.benchmarking import benchmarker

        timer = type(benchmarker)
        timer.benchmark_gpu  # noqa: B018
    return CompiledFxGraph, timer
