"""What takes the times of work inside a running model: CUDA events on a GPU, the host's clock on a CPU."""

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import Any, Protocol

import torch

from kernelwright.backend.torch_private import keep_device_busy

#: How many times as long as the host took last time the device is kept busy while a call is queued, and how often
#: longer than that is tried where the device was done before.
LEAD, TRIES = 1.5, 3
#: A call that takes so much longer behind a longer lead, as a share of what that is longer by, waits for the device;
#: so many calls in a row have to.
WAITED, SURE = 0.8, 2
#: What a call takes the host at least, in microseconds.
_LEAST_US = 100.0
#: Launches that tell how long one takes at least.
LAUNCHES = 11
#: Cycles that tell how many the device does in a microsecond.
_CYCLES = 1_000_000


class Watch(Protocol):
    """Takes times on one device, in microseconds. `launch_us`: what a launch of a kernel that does nothing takes."""

    launch_us: float

    def mark(self) -> Any:
        """A point in the device's work."""
        ...

    def us(self, first: Any, last: Any) -> float:
        """Between two points of what is done."""
        ...

    def queued(self, call: Callable[[], object]) -> None:
        """One call whose work is done when this returns. On a GPU it is queued as a whole before any of it begins, so
        that points hold no waiting for the host, unless the call itself waits for the device."""
        ...


class HostWatch:
    """Work that the host does itself."""

    launch_us = 0.0

    def mark(self) -> Any:
        return time.perf_counter_ns()

    def us(self, first: Any, last: Any) -> float:
        return float(max(1, last - first)) / 1e3

    def queued(self, call: Callable[[], object]) -> None:
        call()


class Lead:
    """How long the device is kept busy while a call is queued, in microseconds.

    A call that waits for the device on its way can never be queued as a whole, and takes the longer the longer the lead
    is: one that copies a number to the host, or one of more launches than a queue holds. Once calls are known to wait
    they get one try, and a lead that does not grow.
    """

    def __init__(self) -> None:
        self._host_us = 1000.0
        self._tries: list[tuple[float, float]] = []
        self._waited = 0

    @property
    def us(self) -> float:
        """Of the next try."""
        return LEAD * self._host_us

    @property
    def waits(self) -> bool:
        """Whether calls wait for the device."""
        return self._waited >= SURE

    def tried(self, host_us: float, enough: bool) -> bool:
        """Take down how long a try took the host, and whether it was queued as a whole; says whether to try again."""
        self._tries.append((self.us, host_us))
        if not enough and not self.waits and len(self._tries) < TRIES:
            self._host_us = max(_LEAST_US, host_us)
            return True
        if enough:
            self._host_us, self._waited = max(_LEAST_US, host_us), 0
        elif not self.waits:
            (before, took), (lead, took_longer) = self._tries[-2:]
            self._waited = self._waited + 1 if took_longer - took > WAITED * (lead - before) > 0 else 0
            self._host_us = max(_LEAST_US, took_longer - lead if self._waited else took_longer)
        self._tries.clear()
        return False


class CudaWatch:
    """The current stream of the current CUDA device."""

    def __init__(self) -> None:
        self._lead = Lead()
        keep_device_busy(_CYCLES)
        (a_long_one,) = self._launched((_CYCLES,))
        self._cycles_a_us = _CYCLES / a_long_one
        self.launch_us = median(self._launched((_CYCLES, *[1] * LAUNCHES))[1:])

    def _launched(self, cycles: Sequence[int]) -> list[float]:
        """What launches take that keep the device busy for so many cycles each, all of them queued."""
        points = [self.mark()]
        for one in cycles:
            keep_device_busy(one)
            points.append(self.mark())
        torch.cuda.synchronize()
        return [self.us(*sides) for sides in pairwise(points)]

    def mark(self) -> Any:
        event: Any = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        event.record()
        return event

    def us(self, first: Any, last: Any) -> float:
        return max(1e-3, 1e3 * float(first.elapsed_time(last)))

    def queued(self, call: Callable[[], object]) -> None:
        again = True
        while again:
            torch.cuda.synchronize()
            keep_device_busy(int(self._cycles_a_us * self._lead.us))
            lead, began = self.mark(), time.perf_counter()
            call()
            host_us = 1e6 * (time.perf_counter() - began)
            enough = not lead.query()  # else the device had caught up, and the next try has a longer lead
            torch.cuda.synchronize()
            again = self._lead.tried(host_us, enough)


def watch_for(device: str) -> Watch:
    """What takes times on a device: `cuda` or `cpu`."""
    return CudaWatch() if device == "cuda" else HostWatch()
