"""The clocks that device work is timed with, bound when this module is imported: before any candidate is there."""

import contextlib
import importlib
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch

#: What can be written as JSON.
Json = dict[str, Any]

_now = time.perf_counter_ns
_Event: Any = torch.cuda.Event
_Stream: Any = torch.cuda.Stream
_synchronize = torch.cuda.synchronize
#: Runs before a capture, on the stream captured from: libraries set themselves up in the first ones.
_CAPTURE_WARM_UP = 3

_QUERY = {
    "sm_mhz": "clocks.sm",
    "memory_mhz": "clocks.mem",
    "temperature_c": "temperature.gpu",
    "power_w": "power.draw",
}
#: Newer drivers call it by the first name, older ones by the second.
_REASONS = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
#: Flushes before one run at most, some 60 us each.
_MOST_FLUSHES = 40
#: What events show for nothing at all, in ms: times are positive.
_LEAST_MS = 1e-6


class CaptureError(RuntimeError):
    """Work that cannot become a CUDA graph; says why."""


class Clock(Protocol):
    """Times work on one device, in ms."""

    flush_bytes: int

    def flush(self) -> None:
        """Drive everything out of the last-level cache."""
        ...

    def time(self, run: Callable[[], object]) -> tuple[float, float]:
        """Events and wall clock around one run, the device idle before and after."""
        ...

    def capture(self, run: Callable[[], object]) -> Callable[[], object]:
        """The run as one graph launch; raises CaptureError."""
        ...

    def queued(
        self,
        prepares: Sequence[Callable[[], object]],
        run: Callable[[], object],
        busy_ms: float = 0.0,
        warm: bool = False,
    ) -> list[float]:
        """Events around one run after each `prepare` and a flush, nothing waited for until the end.

        With `warm` another run stands between the flush and the one that is timed, which finds in the caches what that
        one left there. The flush keeps the device at work for `busy_ms` or longer, while the host queues what comes
        behind it. A run that the device waited for is not timed: it and the next ones are queued behind longer flushes,
        as far as those go.
        """
        ...

    def facts(self) -> Json:
        """Clocks, temperature and the like, as they are now."""
        ...


class CudaClock:
    """The current CUDA device. The flush writes more than twice the L2."""

    def __init__(self) -> None:
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        self.flush_bytes = 2 * int(properties.L2_cache_size) + (16 << 20)
        self._uuid = f"GPU-{properties.uuid}"
        self._buffer = torch.zeros(self.flush_bytes // 4, dtype=torch.int32, device="cuda")
        self._flush_ms = min(self.time(self.flush)[0] for _ in range(3))

    def flush(self) -> None:
        self._buffer.add_(1)

    def time(self, run: Callable[[], object]) -> tuple[float, float]:
        first, last = _Event(enable_timing=True), _Event(enable_timing=True)
        _synchronize()
        began = _now()
        first.record()
        run()
        last.record()
        _synchronize()
        ended = _now()
        return max(_LEAST_MS, float(first.elapsed_time(last))), (ended - began) / 1e6

    def capture(self, run: Callable[[], object]) -> Callable[[], object]:
        try:
            side = _Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(_CAPTURE_WARM_UP):
                    run()
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                run()
            graph.replay()
            _synchronize()
        except RuntimeError as error:
            with contextlib.suppress(RuntimeError):
                _synchronize()
            raise CaptureError(str(error).split("\n")[0][:200]) from error
        return graph.replay

    def queued(
        self,
        prepares: Sequence[Callable[[], object]],
        run: Callable[[], object],
        busy_ms: float = 0.0,
        warm: bool = False,
    ) -> list[float]:
        # As the device is at work while the events and the launches between them are queued, the events hold the
        # device's work and no waiting for the host. The first run, which nobody times, gives the host its lead.
        flushes = min(_MOST_FLUSHES, 1 + int(busy_ms / self._flush_ms))
        before = run if warm else None
        self._queue(prepares[0], run, flushes, before)
        pairs: list[tuple[Any, Any]] = []
        for prepare in prepares:
            first, last = self._queue(prepare, run, flushes, before)
            while first.query() and flushes < _MOST_FLUSHES:  # the device was there before the host had queued it all
                flushes = min(_MOST_FLUSHES, 2 * flushes)
                first, last = self._queue(prepare, run, flushes, before)
            pairs.append((first, last))
        _synchronize()
        return [max(_LEAST_MS, float(first.elapsed_time(last))) for first, last in pairs]

    def _queue(
        self,
        prepare: Callable[[], object],
        run: Callable[[], object],
        flushes: int,
        before: Callable[[], object] | None,
    ) -> tuple[Any, Any]:
        """Queue one run, with what comes between the flushes and it; the events before and after it."""
        prepare()
        for _ in range(flushes):
            self.flush()
        if before is not None:
            before()
        first, last = _Event(enable_timing=True), _Event(enable_timing=True)
        first.record()
        run()
        last.record()
        return first, last

    def facts(self) -> Json:
        """From NVML where its bindings are installed, else from nvidia-smi; empty where there is neither."""
        return _from_nvml(self._uuid) or _from_smi(self._uuid)


class HostClock:
    """Work on the CPU, where there is only the wall clock: both clocks show it. For rehearsals."""

    def __init__(self, flush_bytes: int = 1 << 20) -> None:
        self.flush_bytes = flush_bytes
        self._buffer = torch.zeros(flush_bytes // 4, dtype=torch.int32)

    def flush(self) -> None:
        self._buffer.add_(1)

    def time(self, run: Callable[[], object]) -> tuple[float, float]:
        began = _now()
        run()
        taken = max(1, _now() - began) / 1e6
        return taken, taken

    def capture(self, run: Callable[[], object]) -> Callable[[], object]:
        del run
        raise CaptureError("there are no graphs on the CPU")

    def queued(
        self,
        prepares: Sequence[Callable[[], object]],
        run: Callable[[], object],
        busy_ms: float = 0.0,
        warm: bool = False,
    ) -> list[float]:
        del busy_ms
        times = []
        for prepare in prepares:
            prepare()
            self.flush()
            if warm:
                run()
            times.append(self.time(run)[0])
        return times

    def facts(self) -> Json:
        return {}


def clock_for(device: torch.device) -> Clock:
    """The clock of a device."""
    return CudaClock() if device.type == "cuda" else HostClock()


def tick() -> Callable[[], float]:
    """Seconds since now."""
    began = _now()
    return lambda: (_now() - began) / 1e9


def middle(times: list[float]) -> float:
    """The median."""
    return statistics.median(times)


def _from_nvml(uuid: str) -> Json:
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ImportError:
        return {}
    try:
        nvml.nvmlInit()
        handle = nvml.nvmlDeviceGetHandleByUUID(uuid)
        return {
            "sm_mhz": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM),
            "memory_mhz": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM),
            "temperature_c": nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
            "power_w": nvml.nvmlDeviceGetPowerUsage(handle) / 1e3,
            "throttle_reasons": hex(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)),
        }
    except nvml.NVMLError:
        return {}


def _from_smi(uuid: str) -> Json:
    for reasons in _REASONS:
        query = _QUERY | {"throttle_reasons": reasons}
        command = ["nvidia-smi", "-i", uuid, f"--query-gpu={','.join(query.values())}", "--format=csv,noheader,nounits"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        except (OSError, subprocess.TimeoutExpired):
            return {}
        values = [value.strip() for value in done.stdout.split("\n")[0].split(",")]
        if done.returncode == 0 and len(values) == len(query):
            return dict(zip(query, values, strict=True))
    return {}
