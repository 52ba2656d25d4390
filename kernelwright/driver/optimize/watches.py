"""What takes the times of work inside a running model: CUDA events on a GPU, the host's clock on a CPU."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch

from kernelwright.backend.torch_private import keep_device_busy

#: How many times as long as the host took last time the device is kept busy while a call is queued, and how often
#: longer than that is tried where the device was done before.
LEAD, TRIES = 1.5, 3
#: Cycles that tell how many the device does in a microsecond.
_CYCLES = 1_000_000


class Watch(Protocol):
    """Takes times on one device, in microseconds."""

    def mark(self) -> Any:
        """A point in the device's work."""
        ...

    def us(self, first: Any, last: Any) -> float:
        """Between two points of what is done."""
        ...

    def queued(self, call: Callable[[], object]) -> None:
        """One call whose work is done when this returns. On a GPU it is queued as a whole before any of it begins, so
        that points hold no waiting for the host."""
        ...


class HostWatch:
    """Work that the host does itself."""

    def mark(self) -> Any:
        return time.perf_counter_ns()

    def us(self, first: Any, last: Any) -> float:
        return float(max(1, last - first)) / 1e3

    def queued(self, call: Callable[[], object]) -> None:
        call()


class CudaWatch:
    """The current stream of the current CUDA device."""

    def __init__(self) -> None:
        self._host_us = 1000.0
        keep_device_busy(_CYCLES)
        with self._timed() as sides:
            keep_device_busy(_CYCLES)
        self._cycles_a_us = _CYCLES / self.us(*sides)

    @contextmanager
    def _timed(self) -> Iterator[list[Any]]:
        sides = [self.mark()]
        yield sides
        sides.append(self.mark())
        torch.cuda.synchronize()

    def mark(self) -> Any:
        event: Any = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        event.record()
        return event

    def us(self, first: Any, last: Any) -> float:
        return max(1e-3, 1e3 * float(first.elapsed_time(last)))

    def queued(self, call: Callable[[], object]) -> None:
        for _ in range(TRIES):
            torch.cuda.synchronize()
            keep_device_busy(int(self._cycles_a_us * LEAD * self._host_us))
            lead, began = self.mark(), time.perf_counter()
            call()
            self._host_us = max(100.0, 1e6 * (time.perf_counter() - began))
            enough = not lead.query()  # else the device had caught up, and the next try has a longer lead
            torch.cuda.synchronize()
            if enough:
                return


def watch_for(device: str) -> Watch:
    """What takes times on a device: `cuda` or `cpu`."""
    return CudaWatch() if device == "cuda" else HostWatch()
