"""What a call makes a device do, as torch's profiler sees it. The one place that reads its traces.

The trace is Chrome's format as Kineto writes it: device work has the category `kernel`, `gpu_memcpy` or `gpu_memset`, a
`dur` in microseconds and its stream in `args`. Only device work is asked for.

**Whose work an event is shows in its stream, never in its name.** While a call is profiled, launches of generated
kernels go to a stream that nothing else uses, copies and fills to another, and operators of libraries stay where they
are; each step waits for the one before. Which number the profiler has for a stream is found by a run of our own before.
One stream keeps its order, so that the n-th event on that of the kernels is the n-th launch.
"""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from kernelwright.backend.measure.clock import tick
from kernelwright.evaluation.device.replay import Replay
from kernelwright.evaluation.protocol.answers import DeviceWork
from kernelwright.evaluation.protocol.link import Json

_profile: Any = torch.profiler.profile
_Stream: Any = torch.cuda.Stream
_current, _on = torch.cuda.current_stream, torch.cuda.stream
_synchronize = torch.cuda.synchronize
_CUDA = torch.profiler.ProfilerActivity.CUDA
_WORK = {"kernel": True, "gpu_memcpy": False, "gpu_memset": False}
#: How often a window is tried in which the profiler lost something.
_TRIES = 3


class ProfilerError(RuntimeError):
    """The profiler of this machine does not see what it should; says what."""


@dataclass(frozen=True)
class DeviceEvent:
    """One piece of device work: its exact name, whether it is a kernel, the profiler's number of its stream, and when
    it began and how long it took, in microseconds."""

    name: str
    kernel: bool
    stream: int
    start_us: float
    us: float


@dataclass(frozen=True)
class Seen:
    """Device work and whose it is."""

    kind: DeviceWork
    name: str
    us: float


class Profiler(Protocol):
    """Profiles replays of calls on one device."""

    def window(self, replay: Replay) -> list[Seen]:
        """Run a call once, alone in its window; everything that the device did, the generated kernels in the order of
        their launches. Raises ProfilerError."""
        ...


def device_events(trace: Mapping[str, Any]) -> list[DeviceEvent]:
    """The device work in a trace, by when it began. Raises ProfilerError for what is no such trace."""
    found = []
    try:
        for event in trace["traceEvents"]:
            if event.get("ph") != "X" or event.get("cat") not in _WORK:
                continue
            start, us, stream = float(event["ts"]), float(event["dur"]), int(event["args"]["stream"])
            found.append(DeviceEvent(str(event["name"]), _WORK[event["cat"]], stream, start, us))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ProfilerError(f"torch {torch.__version__} writes traces of another form: {error!r}") from error
    return sorted(found, key=lambda event: event.start_us)


def attribute(events: Sequence[DeviceEvent], streams: Mapping[int, DeviceWork], launched: Sequence[str]) -> list[Seen]:
    """Whose work each event is, by its stream; a stream that is not among `streams` is a library's.

    `launched` are the names that the launched kernels were compiled under, in order. Raises ProfilerError where the
    stream of generated kernels does not show exactly those.
    """
    seen = [Seen(streams.get(event.stream, DeviceWork.LIBRARY), event.name, event.us) for event in events]
    # What an operator copies without a kernel is a copy, wherever it runs.
    seen = [
        Seen(DeviceWork.COPY, one.name, one.us) if one.kind is DeviceWork.LIBRARY and not event.kernel else one
        for one, event in zip(seen, events, strict=True)
    ]
    own = [one.name for one in seen if one.kind is DeviceWork.GENERATED]
    if own != list(launched):
        told = next((pair for pair in zip(own, launched, strict=False) if pair[0] != pair[1]), None)
        what = f"{told[0]} in the place of {told[1]}" if told else f"{len(own)} of {len(launched)} launches"
        raise ProfilerError(f"the profiler shows {what[:300]}")
    return seen


class CudaProfiler:
    """The current CUDA device, by Kineto. Raises ProfilerError where it shows nothing."""

    def __init__(self) -> None:
        self._side = {DeviceWork.GENERATED: _Stream(), DeviceWork.COPY: _Stream()}
        buffer = torch.zeros(1 << 16, device="cuda")
        for _ in range(_TRIES):  # the first window may lose events, as the profiler sets itself up
            events = self._events(lambda: self._mark(buffer))
            self._numbers = dict(zip((event.stream for event in events), self._side, strict=False))
            if len(events) == len(self._side) == len(self._numbers):
                return
        raise ProfilerError("the profiler does not show this device's work; is CUPTI there, and may it be used?")

    def window(self, replay: Replay) -> list[Seen]:
        launched = [note.name for note in replay.notes if note.kind is DeviceWork.GENERATED]
        events = self._events(lambda: self._run(replay))
        return attribute(events, self._numbers, launched)

    def _mark(self, buffer: Tensor) -> None:
        """One kernel on each stream, in the order of the streams."""
        for kind in self._side:
            self._apart(kind, lambda: buffer.add_(1))

    def _run(self, replay: Replay) -> None:
        for note, step in zip(replay.notes, replay.steps, strict=True):
            self._apart(note.kind, step)

    def _apart(self, kind: DeviceWork, step: Callable[[], object]) -> None:
        """A step on the stream of its kind, after all before it and before all after it."""
        side = self._side.get(kind)
        if side is None:
            step()
            return
        side.wait_stream(_current())
        with _on(side):
            step()
        _current().wait_stream(side)

    def _events(self, run: Callable[[], object]) -> list[DeviceEvent]:
        _synchronize()
        with _profile(activities=[_CUDA]) as profiled:
            run()
            _synchronize()
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "trace.json"
                profiled.export_chrome_trace(str(path))
                trace: Json = json.loads(path.read_text(errors="replace"))
        except (RuntimeError, OSError, ValueError) as error:
            raise ProfilerError(f"the profiler leaves no trace: {str(error)[:200]}") from error
        return device_events(trace)


class HostProfiler:
    """Work on the CPU, step by step by the wall clock, under the names that steps were noted by. For rehearsals."""

    def window(self, replay: Replay) -> list[Seen]:
        seen = []
        for note, step in zip(replay.notes, replay.steps, strict=True):
            elapsed = tick()
            step()
            seen.append(Seen(note.kind, note.name, 1e6 * elapsed()))
        return seen


def profiler_for(device: torch.device) -> Profiler:
    """The profiler of a device."""
    return CudaProfiler() if device.type == "cuda" else HostProfiler()
