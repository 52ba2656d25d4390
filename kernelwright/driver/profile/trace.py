"""Whose each piece of device work in a trace of torch's profiler is: by its launch, and the marks around that.

A trace is Chrome's, as Kineto writes it. Device work and the call that launched it have one `correlation`; the launch
lies, on its thread, within spans of the host: our marks and torch's operations. Without a GPU the marks themselves are
what is timed.
"""

import json
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

#: Every mark begins so; after it come the kind of thing that is marked, and its name or number.
MARK = "kernelwright"
_DEVICE, _LAUNCHES = ("kernel", "gpu_memcpy", "gpu_memset"), ("cuda_runtime", "cuda_driver")
_SPANS = ("cpu_op", "user_annotation")


def mark(kind: str, name: str | int) -> Any:
    """A span of the host, to be entered: `call` of the model, `graph`, `kernel` or `operation`."""
    return torch.profiler.record_function(f"{MARK}|{kind}|{name}")


@dataclass(frozen=True)
class Piece:
    """A piece of work: of which call of the model, and of which graph (-1: none), what it was marked as, the outermost
    operation of torch's around its launch, the device's name for it, and microseconds.

    `kind` is `kernel` or `operation`; "" where no mark is about it.
    """

    call: int
    graph: int
    kind: str
    name: str
    operation: str
    symbol: str
    us: float


@dataclass(frozen=True)
class _Span:
    name: str
    start: float
    end: float

    @property
    def marked(self) -> tuple[str, str] | None:
        """Kind and name of a mark."""
        first, _, rest = self.name.partition("|")
        kind, _, name = rest.partition("|")
        return (kind, name) if first == MARK else None


def traced(run: Callable[[], Any], device: bool) -> dict[str, Any]:
    """The trace of a run, with the work of the GPU if `device`."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device:
        activities.append(torch.profiler.ProfilerActivity.CUDA)
        torch.cuda.synchronize()
    with torch.profiler.profile(activities=activities, acc_events=True) as profiled:
        run()
        if device:
            torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiled.export_chrome_trace(str(path))
        found: dict[str, Any] = json.loads(path.read_text("utf-8", errors="replace"))
    return found


def pieces(trace: Mapping[str, Any], device: bool) -> list[Piece]:
    """All work in the marked calls of a model, in no order: that of the GPU if `device`, else that of the host."""
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    spans: dict[Any, list[_Span]] = {}
    for event in events:
        if event.get("cat") in _SPANS:
            span = _Span(str(event["name"]), float(event["ts"]), float(event["ts"]) + float(event["dur"]))
            spans.setdefault(event["tid"], []).append(span)
    calls = sorted(
        (one.start, one.end, int(told[1]))
        for some in spans.values()
        for one in some
        if (told := one.marked) is not None and told[0] == "call"
    )
    found = _device_pieces(events, spans, calls) if device else _host_pieces(spans, calls)
    return [one for one in found if one.call >= 0]


def _device_pieces(
    events: Sequence[Mapping[str, Any]], spans: Mapping[Any, list[_Span]], calls: Sequence[tuple[float, float, int]]
) -> Iterator[Piece]:
    launches = [one for one in events if one.get("cat") in _LAUNCHES and "correlation" in one.get("args", {})]
    around: dict[int, tuple[float, list[_Span]]] = {}
    for thread in {one["tid"] for one in launches}:
        own = [one for one in launches if one["tid"] == thread]
        stacks = _stacks(spans.get(thread, []), [float(one["ts"]) for one in own])
        for one, stack in zip(own, stacks, strict=True):
            around[int(one["args"]["correlation"])] = float(one["ts"]), stack
    for event in events:
        if event.get("cat") in _DEVICE:
            us, symbol = float(event["dur"]), str(event["name"])
            known = around.get(int(event.get("args", {}).get("correlation", -1)))
            began, stack = known if known is not None else (float(event["ts"]), [])
            yield _piece(stack, _call_at(began, calls), symbol, us)


def _host_pieces(spans: Mapping[Any, list[_Span]], calls: Sequence[tuple[float, float, int]]) -> Iterator[Piece]:
    """Of each mark of a kernel or an operation that lies in no other such, the whole."""
    for some in spans.values():
        own = [one for one in some if one.marked is not None and one.marked[0] in ("kernel", "operation")]
        for one, stack in zip(own, _stacks(some, [one.start for one in own]), strict=True):
            inner = [other.name for other in stack if other.marked and other.marked[0] in ("kernel", "operation")]
            if len(inner) <= 1:
                yield _piece([*stack, *([] if inner else [one])], _call_at(one.start, calls), "", one.end - one.start)


def _stacks(spans: Sequence[_Span], moments: Sequence[float]) -> list[list[_Span]]:
    """The spans of a thread around each moment, the outermost first."""
    order = sorted(range(len(moments)), key=lambda place: moments[place])
    opening, at = sorted(spans, key=lambda span: (span.start, -span.end)), 0
    stack, found = list[_Span](), [list[_Span]()] * len(moments)
    for place in order:
        moment = moments[place]
        while at < len(opening) and opening[at].start <= moment:
            stack = [one for one in stack if one.end > opening[at].start] + [opening[at]]
            at += 1
        stack = [one for one in stack if one.end >= moment]
        found[place] = list(stack)
    return found


def _call_at(moment: float, calls: Sequence[tuple[float, float, int]]) -> int:
    """The call of the model at a moment; -1 between calls."""
    place = bisect_right(calls, (moment, float("inf"), 0)) - 1
    return calls[place][2] if place >= 0 and moment <= calls[place][1] else -1


def _piece(stack: Sequence[_Span], call: int, symbol: str, us: float) -> Piece:
    """By the outermost mark of a kernel or an operation, within the mark of a graph or outside of all."""
    marks = [told for span in stack if (told := span.marked) is not None]
    graph = next((int(name) for kind, name in marks if kind == "graph"), -1)
    kind, name = next(((kind, name) for kind, name in marks if kind in ("kernel", "operation")), ("", ""))
    operation = next((span.name for span in stack if span.name.startswith("aten::")), "")
    return Piece(call, graph, kind, name, operation, symbol, us)
