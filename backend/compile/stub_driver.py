"""A stand-in for Triton's active driver. The one place that touches `triton.runtime.driver`'s private state.

Code generation asks the active driver which target it writes for; without a GPU
there is no driver, and on a GPU the driver answers with that GPU, whatever one compiles for.
"""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import torch

from kernelwright.backend.versions import adapting

with adapting("offline compilation", "triton"):
    from triton.backends.compiler import GPUTarget
    from triton.runtime import driver

    driver._active, driver.set_active  # noqa: B018  (the interface that `compiling_for` depends on)

_lock = threading.RLock()


class StubDriver:
    """Names a target and can do nothing else."""

    def __init__(self, capability: int) -> None:
        self.target = GPUTarget("cuda", capability, 32)

    def get_current_target(self) -> Any:
        """The target that is compiled for."""
        return self.target

    def get_active_torch_device(self) -> torch.device:
        """Where tensors live that only have a shape."""
        return torch.device("cpu")

    def get_current_device(self) -> int:
        """A device for each capability: Triton's JIT remembers what a device is."""
        return int(self.target.arch)

    def get_current_stream(self, device: int) -> int:  # noqa: ARG002
        """The default one, on which nothing is launched."""
        return 0


def device_capability() -> int | None:
    """Compute capability times ten of this machine's GPU, or None."""
    if not torch.cuda.is_available():
        return None
    major, minor = torch.cuda.get_device_capability()
    return 10 * major + minor


@contextlib.contextmanager
def compiling_for(capability: int) -> Iterator[None]:
    """While this is entered Triton believes in a GPU of that capability; where it has one, nothing changes.

    On a machine whose GPU is another one, no other thread may launch kernels meanwhile.
    """
    if capability == device_capability():
        yield
        return
    with _lock:
        before = driver._active
        driver.set_active(StubDriver(capability))
        try:
            yield
        finally:
            driver._active = before
