"""The profile: whose work device events are, what rates mean on a target, and what answers are refused."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from broken_kernels import DOUBLE, GOOD

from kernelwright.backend.cost.model import launch_cost
from kernelwright.backend.targets import get_target, target_of
from kernelwright.evaluation.checks.profile import MOST_ROWS, coverage, report, roofline
from kernelwright.evaluation.device import profiler
from kernelwright.evaluation.device.jit import CompilingExecutor
from kernelwright.evaluation.device.kernels import Description
from kernelwright.evaluation.device.profile_job import Tally
from kernelwright.evaluation.device.profiler import CudaProfiler, DeviceEvent, ProfilerError, Seen, attribute
from kernelwright.evaluation.device.replay import Note, Replay
from kernelwright.evaluation.device.serve import LaunchRequest
from kernelwright.evaluation.protocol.answers import CandidateProfiled, DeviceWork, ProfileRow
from kernelwright.evaluation.protocol.decoding import MalformedError
from kernelwright.evaluation.protocol.jobs import HostProgram, ProfileCandidate, decode_answer

H200 = get_target("h200")


def event(category: str, name: str, stream: int, start: float, us: float, phase: str = "X") -> dict[str, Any]:
    """An event as Kineto writes it."""
    place = {"device": 0, "context": 1, "stream": stream, "correlation": 7}
    return {"ph": phase, "cat": category, "name": name, "pid": 0, "tid": stream, "ts": start, "dur": us, "args": place}


TRACE = {
    "schemaVersion": 1,
    "traceEvents": [
        {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}},
        event("kernel", "double", 13, 20.5, 4.25),
        event("cuda_runtime", "cudaLaunchKernel", 0, 1.0, 9.0),
        event("cuda_driver", "cuLaunchKernelEx", 0, 2.0, 3.0),
        event("kernel", "double", 7, 30.0, 8.0),
        event("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 14, 10.0, 2.0),
        event("gpu_memset", "Memset (Device)", 7, 29.0, 1.0),
        event("gpu_user_annotation", "double", 13, 20.5, 40.0),
        {"ph": "i", "name": "Iteration Start", "pid": "Traces", "tid": "Trace", "ts": 0.0},
    ],
}
STREAMS = {13: DeviceWork.GENERATED, 14: DeviceWork.COPY}


def test_only_device_work_is_read_in_the_order_of_its_start() -> None:
    events = profiler.device_events(TRACE)
    assert [(one.stream, one.us, one.kernel) for one in events] == [
        (14, 2.0, False), (13, 4.25, True), (7, 1.0, False), (7, 8.0, True),
    ]  # fmt: skip
    assert events[1].name == "double"


@pytest.mark.parametrize("missing", ["ts", "dur", "args", "name"])
def test_a_trace_of_another_form_is_named(missing: str) -> None:
    trace = copy.deepcopy(TRACE)
    del trace["traceEvents"][1][missing]  # type: ignore[index]
    with pytest.raises(ProfilerError, match="traces of another form"):
        profiler.device_events(trace)
    with pytest.raises(ProfilerError, match="traces of another form"):
        profiler.device_events({})


def test_a_librarys_kernel_of_the_same_name_counts_for_nothing() -> None:
    seen = attribute(profiler.device_events(TRACE), STREAMS, ["double"])
    assert seen == [
        Seen(DeviceWork.COPY, "Memcpy DtoD (Device -> Device)", 2.0),
        Seen(DeviceWork.GENERATED, "double", 4.25),
        Seen(DeviceWork.COPY, "Memset (Device)", 1.0),  # an operator's own
        Seen(DeviceWork.LIBRARY, "double", 8.0),
    ]
    tally = Tally()
    tally.add(seen, [None])
    rows = tally.means()
    assert coverage(rows) == pytest.approx(4.25 / 15.25)


@pytest.mark.parametrize(
    ("launched", "told"),
    [(["double", "double"], "1 of 2 launches"), ([], "1 of 0 launches"), (["triple"], "double in the place of triple")],
)
def test_lost_or_strange_launches_are_no_profile(launched: list[str], told: str) -> None:
    with pytest.raises(ProfilerError, match=told):
        attribute(profiler.device_events(TRACE), STREAMS, launched)


def test_rows_are_means_over_the_calls() -> None:
    class Cost:
        bytes, flops = 800, 100
        products = {"tf32": 60}  # noqa: RUF012

    tally = Tally()
    for us in (3.0, 5.0):
        tally.add([Seen(DeviceWork.GENERATED, "k", us), Seen(DeviceWork.GENERATED, "k", us)], [Cost(), Cost()])  # type: ignore[list-item]
    (row,) = tally.means()
    assert row == ProfileRow(DeviceWork.GENERATED, "k", 8.0, 2.0, 1600.0, 200.0, {"tf32": 120.0})
    tally.add([Seen(DeviceWork.GENERATED, "k", 1.0)], [None])
    (row,) = tally.means()
    assert (row.bytes, row.flops) == (None, None)


def test_the_cost_model_reads_a_launch_as_the_device_has_it() -> None:
    executor = CompilingExecutor(H200)
    executor.describe(Description("good#0", "bad", GOOD.strip(), {"tl": {"module": "triton.language"}}))
    arguments = {
        "x_ptr": torch.empty(1000),
        "out_ptr": torch.empty(1000),
        "n": {"value": 1000},
        "BLOCK": {"value": 256},
    }
    request = LaunchRequest("good#0", (4, 1, 1), arguments, frozenset({"BLOCK"}), {})
    executor.launch(request)
    cost = launch_cost(executor.as_launch(request), executor.compiled["bad"], H200)
    assert (cost.bytes, cost.flops, cost.products) == (8000, 1024, {})


def test_coverage_is_a_share_of_everything_on_the_device() -> None:
    rows = [
        ProfileRow(DeviceWork.GENERATED, "k", 3.0, 1),
        ProfileRow(DeviceWork.LIBRARY, "k", 5.0, 1),
        ProfileRow(DeviceWork.COPY, "fill", 2.0, 1),
    ]
    assert coverage(rows) == pytest.approx(0.3)
    assert coverage(rows[:1]) == 1.0
    assert coverage(rows[1:]) == 0.0 == coverage([])


def test_a_copy_is_bound_by_memory() -> None:
    found = roofline(ProfileRow(DeviceWork.GENERATED, "copy", 100.0, 1, bytes=240_000_000, flops=0), H200)
    assert found["gb_s"] == pytest.approx(2400)
    assert found["of_bandwidth"] == found["of_attainable"] == pytest.approx(0.5)
    assert (found["bound"], found["gflop_s"], found["of_peak"]) == ("memory", 0.0, 0.0)
    assert found["attainable_us"] == pytest.approx(50.0)


def test_products_are_held_against_the_peak_of_their_type() -> None:
    flops = 495e12 * 50e-6  # what takes 50 us at the peak for TF32
    row = ProfileRow(DeviceWork.GENERATED, "mm", 100.0, 1, bytes=1e6, flops=flops, products={"tf32": flops})
    found = roofline(row, H200)
    assert found["bound"] == "compute"
    assert found["of_peak"] == found["of_attainable"] == pytest.approx(0.5)
    assert found["attainable_gflop_s"] == pytest.approx(495e3)
    plain = roofline(ProfileRow(DeviceWork.GENERATED, "mm", 100.0, 1, bytes=1e6, flops=flops), H200)
    assert plain["of_peak"] == pytest.approx(0.5 * 495 / 67)
    assert plain["gflop_s"] == found["gflop_s"] == pytest.approx(495e3 / 2)


def test_what_is_not_known_is_none() -> None:
    unknown = roofline(ProfileRow(DeviceWork.GENERATED, "k", 1.0, 1), H200)
    assert set(unknown.values()) == {None}
    unlisted = roofline(ProfileRow(DeviceWork.GENERATED, "k", 1.0, 1, bytes=1e3, flops=2e3), None)
    assert (unlisted["gb_s"], unlisted["gflop_s"], unlisted["bound"]) == (1.0, 2.0, None)
    assert target_of("Tesla V100") is None and target_of("NVIDIA H200") is H200


ANSWER = CandidateProfiled(
    calls=5,
    rows=(
        ProfileRow(DeviceWork.LIBRARY, "void gemm<1, 2>(float*)", 6.0, 1),
        ProfileRow(DeviceWork.GENERATED, "bad", 2.0, 1, 8e3, 1e3),
        ProfileRow(DeviceWork.COPY, "Memcpy DtoD", 0.5, 2),
    ),
    operators={"f32": 4e6},
    notes=("a note",),
    verified=(),
    launches=1,
    walls=(),
)


def test_the_report_tells_every_kernel_and_the_whole() -> None:
    told = report(ANSWER, DOUBLE, H200)
    assert told["coverage"] == pytest.approx(2 / 8.5)
    assert [row["name"] for row in told["kernels"]] == ["void gemm<1, 2>(float*)", "bad", "Memcpy DtoD"]
    own = told["kernels"][1]
    assert own["gb_s"] == pytest.approx(4.0) and own["bound"] == "memory" and own["by"].startswith("cost model")
    assert "gb_s" not in told["kernels"][0]
    whole = told["program"]
    assert (whole["bytes"], whole["flops"], whole["us"]) == (8000, 4_001_000, 8.5)
    assert whole["by"].startswith("compulsory")
    library, own_row, copied = ANSWER.rows
    unknown = replace(ANSWER, rows=(library, replace(own_row, bytes=None, flops=None), copied))
    told = report(unknown, DOUBLE, H200)
    assert told["program"]["flops"] is None and told["program"]["gb_s"] is not None
    assert told["kernels"][1]["by"] is None


def test_many_kernels_are_told_in_a_bounded_table() -> None:
    many = replace(ANSWER, rows=tuple(ProfileRow(DeviceWork.LIBRARY, f"k{i}", 1.0, 1) for i in range(200)))
    told = report(many, DOUBLE, H200)
    assert len(told["kernels"]) == MOST_ROWS + 1
    assert told["kernels"][-1] | {"us": 0} == {"name": "168 more", "kind": "library", "us": 0, "count": 168.0}
    assert sum(row["us"] for row in told["kernels"]) == pytest.approx(told["us"]) == 200.0


def _broken(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    answer = json.loads(json.dumps(ANSWER.encode()))["gave"]
    change(answer)
    return {"gave": answer}


BAD = [
    lambda a: a.pop("rows"),
    lambda a: a.update(rows=[7]),
    lambda a: a.update(calls=True),
    lambda a: a.update(calls=-1),
    lambda a: a.update(operators=[]),
    lambda a: a.update(operators={"f32": -1}),
    lambda a: a["rows"][0].update(kind="mine"),
    lambda a: a["rows"][0].update(name=None),
    lambda a: a["rows"][0].update(us="nan"),
    lambda a: a["rows"][0].update(us=float("nan")),
    lambda a: a["rows"][1].update(bytes=float("inf")),
    lambda a: a["rows"][1].update(products={"f32": "x"}),
]
_JOB = ProfileCandidate(
    HostProgram("", "ModelNew", "class", False, "", 0, False, (), (), 0), (), "ieee", None, 1 << 30, "cpu", ()
)


@pytest.mark.parametrize("change", BAD)
def test_an_answer_that_is_no_profile_is_malformed(change: Callable[[dict[str, Any]], object]) -> None:
    assert decode_answer(_JOB, _broken(lambda _: None), 0) == ANSWER
    with pytest.raises(MalformedError):
        decode_answer(_JOB, _broken(change), 0)


def test_nothing_is_no_profile() -> None:
    idle = replace(ANSWER, rows=tuple(replace(row, us=0.0) for row in ANSWER.rows))
    for nothing in (replace(ANSWER, rows=()), replace(ANSWER, calls=0), idle):
        with pytest.raises(ValueError, match="nothing was profiled"):
            report(nothing, DOUBLE, H200)


def test_generated_kernels_and_copies_have_streams_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    class Stream:
        def __init__(self, name: str) -> None:
            self.name = name

        def wait_stream(self, other: "Stream") -> None:
            told.append(f"{self.name} waits for {other.name}")

        def __enter__(self) -> None:
            told.append(f"on {self.name}")

        def __exit__(self, *_error: object) -> None:
            told.append(f"off {self.name}")

    main = Stream("main")
    monkeypatch.setattr(profiler, "_current", lambda: main)
    monkeypatch.setattr(profiler, "_on", lambda stream: stream)
    cuda = object.__new__(CudaProfiler)
    cuda._side = {DeviceWork.GENERATED: Stream("own"), DeviceWork.COPY: Stream("copy")}
    cuda._numbers = STREAMS
    notes = (Note(DeviceWork.GENERATED, "double"), Note(DeviceWork.LIBRARY, "aten.mm.default"))
    replay = Replay((lambda: told.append("launch"), lambda: told.append("mm")), (), notes)

    def events(run: Callable[[], object]) -> list[DeviceEvent]:
        run()
        return [DeviceEvent("double", True, 13, 0.0, 2.0), DeviceEvent("double", True, 7, 3.0, 4.0)]

    monkeypatch.setattr(cuda, "_events", events)
    assert cuda.window(replay) == [Seen(DeviceWork.GENERATED, "double", 2.0), Seen(DeviceWork.LIBRARY, "double", 4.0)]
    assert told == ["own waits for main", "on own", "launch", "off own", "main waits for own", "mm"]
