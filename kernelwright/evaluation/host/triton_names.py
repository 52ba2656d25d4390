"""`triton` as host code finds it: the names that describe and launch kernels instead of running them."""

import functools
import importlib
from collections.abc import Callable
from typing import Any

import torch
import triton
from triton.backends.compiler import GPUTarget

from kernelwright.evaluation.host.kernels import HostKernels


class _Driver:
    """What host code may ask Triton's driver: which device there is."""

    class utils:  # noqa: N801 - Triton's name
        @staticmethod
        def get_device_properties(_device: int) -> dict[str, int]:
            """The figures that Triton's own driver gives."""
            return {
                "max_shared_mem": 232448,
                "max_num_regs": 65536,
                "multiprocessor_count": torch.cuda.get_device_properties(0).multi_processor_count,
                "warpSize": 32,
                "sm_clock_rate": 1980000,
                "mem_clock_rate": 2619000,
                "mem_bus_width": 5120,
            }

    def get_current_device(self) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)

    def get_current_stream(self, _device: int = 0) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cuda", 0)


def install(kernels: HostKernels) -> None:
    """Let `import triton` give host code the names that describe and launch kernels instead of running them."""
    runtime = importlib.import_module("triton.runtime")
    for name in ("jit", "autotune", "heuristics"):
        own = _like(getattr(triton, name), getattr(kernels.namespace, name))
        setattr(triton, name, own)
        setattr(runtime, name, own)
    triton.runtime.driver.set_active(_Driver())


def _like(known: Any, method: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls the method, with the name and the signature of the one that is known."""

    @functools.wraps(known)
    def function(*args: Any, **kwargs: Any) -> Any:
        return method(*args, **kwargs)

    del function.__wrapped__
    return function
