"""Calls replayed without their host: right for content they never saw, wrong for programs that remember."""

import contextlib
import fcntl
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from broken_kernels import DOUBLE, GOOD, Broken, spec, vector_host
from torch import Tensor
from torch._dynamo.utils import counters
from torch._inductor.output_code import CompiledFxGraph
from torch._inductor.runtime.benchmarking import benchmarker
from torch.nn.modules.module import register_module_forward_pre_hook

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.backend.measure import clock
from kernelwright.backend.measure.clock import CaptureError, HostClock
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.tensors import Value
from kernelwright.evaluation.child import collected
from kernelwright.evaluation.child import reference as reference_job
from kernelwright.evaluation.device import time_reference
from kernelwright.evaluation.device.interpret import InterpreterExecutor
from kernelwright.evaluation.device.kernels import Description
from kernelwright.evaluation.device.replay import Replay, Rotation, Trace, slot
from kernelwright.evaluation.device.serve import LaunchRequest
from kernelwright.evaluation.device.time_job import measure
from kernelwright.evaluation.device.time_reference import in_turns
from kernelwright.evaluation.inputs.draws import Draw
from kernelwright.evaluation.inputs.weights import perturb
from kernelwright.evaluation.judge.comparison import Comparison, Timing
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.judge.program import Program
from kernelwright.evaluation.judge.truth import ReferenceRun, Truth
from kernelwright.evaluation.protocol.answers import Failing, MeasuredTimes, ReferenceTimed
from kernelwright.evaluation.protocol.decoding import Place
from kernelwright.evaluation.protocol.jobs import Job, RunReference, Sampling, TimeCandidate, TimeReference
from kernelwright.evaluation.protocol.sketch import snapshot
from kernelwright.evaluation.protocol.transport import encode_reference
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.evaluation.sandbox.parent import Answer, Limits
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

QUICK = Timing(baselines=("eager",), processes=(2, 2), samples=(6, 8), warm_up_s=0.0, budget_s=60.0)
KERNEL = """@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)"""


@pytest.fixture(scope="module")
def evaluator() -> Iterator[LocalEvaluator]:
    with LocalEvaluator(seeds=1, memory_gb=4, use_gpu=False, timing=QUICK) as evaluator:
        yield evaluator


def traced(x: Tensor, out: Tensor, before: Callable[[Trace], None] = lambda _trace: None) -> Trace:
    """A call that doubles 100 numbers, as a server would take it down; `before`: what it does first."""
    executor = InterpreterExecutor()
    language: dict[str, Any] = {"tl": {"module": "triton.language"}}
    executor.describe(Description("double#0", "double", KERNEL, language))
    executor.fresh(out)
    arguments = {"x_ptr": x, "out_ptr": out, "n": {"value": 100}, "BLOCK": {"value": 32}}
    request = LaunchRequest("double#0", (4, 1, 1), arguments, frozenset({"BLOCK"}), {})
    trace = Trace(executor)
    before(trace)
    trace.allocated(out.view(torch.uint8))
    executor.launch(request)
    trace.launched(request)
    return trace


def test_a_launch_is_replayed_on_new_content() -> None:
    x, out = torch.rand(100), torch.empty(100)
    replay = traced(x, out).replay()
    for _ in range(3):
        x.copy_(torch.rand(100))
        out.fill_(torch.nan)
        replay.run()
        assert torch.equal(out, x * 2)


@pytest.mark.parametrize("name", ["clone", "cat", "flip", "mm"])
def test_operators_are_replayed_into_the_same_memory(name: str) -> None:
    x, packet = torch.rand(6, 6), getattr(torch.ops.aten, name)
    args = {"clone": [x], "cat": [[x, x], 1], "flip": [x, [0]], "mm": [x, x]}[name]
    into = torch.empty_like(packet.default(*args))
    trace = Trace(InterpreterExecutor())
    trace.operated(f"aten.{name}.default", packet.default, args, {}, [into])
    trace.looked_at(seen := into.view(6, -1))
    x.copy_(torch.rand(6, 6))
    trace.replay().run()
    assert torch.equal(seen.view(into.shape), packet.default(*args))


def test_what_a_library_gives_is_not_copied() -> None:
    x, into = torch.rand(10, 10), torch.empty(10, 10)
    out = torch.empty(100)
    trace = traced(into.view(-1), out, before=lambda trace: operated(trace, x, into))
    x.copy_(torch.rand(10, 10))
    into.fill_(torch.nan)
    for _ in range(2):
        trace.replay().run()
        assert torch.equal(out, (x.exp() * 2).view(-1))
    assert into.isnan().all()


def test_a_library_s_result_in_another_layout_is_copied() -> None:
    x, into = torch.rand(10, 10), torch.empty(10, 10).t()
    out = torch.empty(100)
    trace = traced(into.t().view(-1), out, before=lambda trace: operated(trace, x, into))
    trace.replay().run()
    assert torch.equal(out, (x.exp() * 2).t().reshape(-1))


def operated(trace: Trace, x: Tensor, into: Tensor) -> None:
    """Take down that a library's `exp` went into memory."""
    trace.operated("aten.exp.default", torch.ops.aten.exp.default, [x], {}, [into.copy_(x.exp())])


def test_work_in_place_and_uploads_are_replayed() -> None:
    zeros, table, trace = torch.empty(16), torch.empty(16), Trace(InterpreterExecutor())
    content = torch.arange(16.0)
    trace.uploaded(zeros.view(torch.uint8), bytes(zeros.zero_().view(torch.uint8).tolist()))
    trace.uploaded(table.view(torch.uint8), bytes(content.view(torch.uint8).tolist()))
    trace.operated("aten.fill_.Scalar", torch.ops.aten.fill_.Scalar, [zeros[4:8], 3.0], {}, [])
    zeros.fill_(torch.nan)
    table.fill_(torch.nan)
    trace.replay().run()
    assert zeros.tolist() == [0.0] * 4 + [3.0] * 4 + [0.0] * 8
    assert torch.equal(table, content)


def rotation(x: Tensor, draws: Sequence[Tensor], run: Callable[[], object] = lambda: None) -> Rotation:
    return Rotation([slot(x, draws)], [Replay((run,), ())], [], random.Random(5))


def test_no_content_comes_twice_and_rows_stay_whole() -> None:
    draws = [torch.rand(64, 8) for _ in range(3)]
    rows = {tuple(row) for draw in draws for row in draw.tolist()}
    x, seen = torch.empty(64, 8), set()
    content = rotation(x, draws)
    for _ in range(20):
        content.fresh()
        seen.add(tuple(x.flatten().tolist()))
        assert {tuple(row) for row in x.tolist()} <= rows
    assert len(seen) >= 18
    assert not any(tuple(draw.flatten().tolist()) in seen for draw in draws)
    content.exact(2)
    assert torch.equal(x, draws[2])


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.rand(5, 7).t(),
        lambda: torch.rand(7).expand(5, 7),
        lambda: torch.rand(9, 9)[2:5, 1:4],
        lambda: torch.randint(0, 9, (40,)),
        lambda: torch.rand(()),
        lambda: torch.rand(0, 3),
    ],
    ids=["transposed", "expanded", "slice", "integers", "scalar", "empty"],
)
def test_every_layout_is_filled(make: Callable[[], Tensor]) -> None:
    draws = [make() for _ in range(3)]
    x = make()
    content = rotation(x, draws)
    for draw in range(3):
        content.exact(draw)
        assert torch.equal(x, draws[draw])
    content.fresh()
    whole = [sorted(draw.flatten().tolist()) for draw in draws]
    assert x.is_contiguous() is False or sorted(x.flatten().tolist()) in whole


def test_state_is_put_back_and_new_memory_poisoned() -> None:
    x, count, made = torch.empty(8), torch.ones(1), torch.zeros(16, dtype=torch.uint8)
    content = rotation(x, [torch.rand(8)], lambda: count.add_(1))
    content.kept = [(count, count.clone())]
    content.replays = [Replay(content.replays[0].steps, (made,))]
    for _ in range(3):
        content.fresh()
        assert made.tolist() in ([0xFF] * 16, [0x7F] * 16)
        content.run()
        assert count.item() == 2.0


def test_integers_keep_their_order() -> None:
    draws = [torch.arange(40) + k for k in range(3)]
    x = torch.empty(40, dtype=torch.int64)
    content = rotation(x, draws)
    content.fresh()
    assert any(torch.equal(x, draw) for draw in draws)


class _Graphs(HostClock):
    """A clock that takes 20 us for everything and captures what it is given."""

    def time(self, run: Callable[[], object]) -> tuple[float, float]:
        run()
        return 0.02, 0.03

    def capture(self, run: Callable[[], object]) -> Callable[[], object]:
        return run


def test_samples_are_of_a_random_number_and_some_are_checked() -> None:
    counts, checked = set(), set()
    for seed in range(12):
        x, out, draws = torch.empty(100), torch.empty(100), [torch.rand(100) for _ in range(3)]
        content = rotation(x, draws, lambda x=x, out=out: out.copy_(x * 2))
        plan = Sampling(samples=(10, 20), warm_up_s=0.0, verify=2, seed=seed, facts=False)
        found = measure(content, lambda _draw, out=out: [snapshot(out, None)], plan, _Graphs(), random.Random(seed))
        assert len(found.direct) == len(found.wall) == 10
        assert 10 <= len(found.graph) <= 20
        assert len(found.verified) == 3  # the last graph launch is checked too
        for draw, (output,) in found.verified:
            assert bytes(output.data) == bytes((draws[draw] * 2).numpy().tobytes())
        counts.add(len(found.events))
        checked.add(tuple(draw for draw, _ in found.verified))
    assert len(counts) > 3
    assert checked == {(1, 2, 0), (2, 1, 0)}  # what the host was warmed up with comes last


def test_the_budget_ends_sampling_but_not_checking() -> None:
    x, out = torch.empty(4), torch.empty(4)
    content = rotation(x, [torch.rand(4)], lambda: out.copy_(x))
    plan = Sampling(samples=(50, 50), budget_s=0.0, warm_up_s=0.0, verify=1, facts=False)
    found = measure(content, lambda _draw: [snapshot(out, None)], plan, HostClock(), random.Random(0))
    assert len(found.events) == 6  # the last is checked
    assert found.verified
    assert "6 samples, as the time was up" in found.notes


def test_so_many_runs_come_before_the_first_that_counts() -> None:
    ran = list[str]()

    class Told(HostClock):
        def queued(self, before: Any, run: Callable[[], object], busy_ms: float = 0.0) -> list[float]:
            ran.extend(["timed"] * len(before))
            return super().queued(before, run, busy_ms)

    x, out = torch.empty(4), torch.empty(4)
    content = rotation(x, [torch.rand(4)], lambda: (ran.append("run"), out.copy_(x)))
    plan = replace(Timing.of_runs(9, 20, (), 60.0).plan(0), direct=1, graph=False)
    found = measure(content, lambda _draw: [snapshot(out, None)], plan, Told(), random.Random(0))
    assert ran.index("timed") == 9 + 1 and len(found.events) == 20 and not found.notes


def test_what_cannot_be_captured_is_noted() -> None:
    content = rotation(torch.empty(4), [torch.rand(4)])
    found = measure(content, lambda _draw: [], Sampling(samples=(5, 6), warm_up_s=0.0), HostClock(), random.Random(0))
    assert found.graph == []
    assert found.notes == ["no CUDA graph: there are no graphs on the CPU"]
    with pytest.raises(CaptureError):
        HostClock().capture(lambda: None)


def test_device_facts_come_from_nvidia_smi_by_either_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Done:
        def __init__(self, returncode: int, stdout: str) -> None:
            self.returncode, self.stdout = returncode, stdout

    def run(command: list[str], **_options: Any) -> Done:
        assert command[:3] == ["nvidia-smi", "-i", "GPU-1"]
        if "clocks_event_reasons" in command[3]:
            return Done(2, 'Field "clocks_event_reasons.active" is not a valid field to query.')
        return Done(0, "1980, 2619, 41, 120.5, 0x0000000000000000\n")

    monkeypatch.setattr(clock.subprocess, "run", run)
    facts = clock._from_smi("GPU-1")
    assert facts["sm_mhz"] == "1980"
    assert facts["throttle_reasons"] == "0x0000000000000000"
    monkeypatch.setattr(clock.subprocess, "run", lambda *_a, **_k: Done(9, "No devices were found"))
    assert clock._from_smi("GPU-1") == {}


HEAD = """import torch
import torch.nn as nn
import triton
import triton.language as tl


"""
HONEST = f"""{HEAD}{KERNEL}


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        out = torch.empty_like(x)
        double[(4,)](x, out, 1000, BLOCK=256)
        return out
"""
REMEMBERS = HONEST.replace(
    "        out = torch.empty_like(x)\n",
    "        if self.last is not None:\n            return self.last.clone()\n        out = torch.empty_like(x)\n",
).replace("        return out\n", "        self.last = out\n        return out\n")
FIRST = Reference(
    """import torch


class Model(torch.nn.Module):
    def forward(self, x, k):
        return x * k


def get_inputs():
    return [torch.rand(1000), torch.rand(1)]


def get_init_inputs():
    return []
""",
    "Model",
    (spec("x", "f32[1000]"), spec("k", "f32[1]")),
    (),
    (spec("out", "f32[1000]"),),
)
READS = (
    HONEST.replace("(x_ptr, out_ptr, n,", "(x_ptr, out_ptr, k, n,")
    .replace(") * 2,", ") * k,")
    .replace("(self, x)", "(self, x, k)")
    .replace("(x, out, 1000,", "(x, out, k[0].item(), 1000,")
)


@pytest.mark.parametrize(
    ("reference", "text"),
    [(DOUBLE, HONEST), (FIRST, READS)],
    ids=["plain", "reads numbers"],
)
def test_honest_programs_are_timed(evaluator: LocalEvaluator, reference: Reference, text: str) -> None:
    _, comparison, found = evaluator.compare(Program(text, reference, externs=frozenset()), "cpu")
    assert found is not None, (comparison.failed, comparison.findings)
    assert comparison.findings.mismatch == ""
    assert set(found["times_ms"]) == {"candidate", "eager"}
    low, high = found["ci"]["eager"]
    assert low <= found["speedup"]["eager"] <= high
    assert found["modes"]["candidate"]["events"]["processes"] == 2
    assert 12 <= found["modes"]["candidate"]["events"]["samples"] <= 16
    assert found["caliber"]["flush_bytes"] > 0


def test_a_module_of_the_ir_is_timed(evaluator: LocalEvaluator) -> None:
    module = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK).module
    assert evaluator.compare(Program.of_module(module), "cpu")[2] is not None


def test_results_kept_from_an_earlier_call_are_found_out(evaluator: LocalEvaluator) -> None:
    _, comparison, found = evaluator.compare(Program(REMEMBERS, DOUBLE, externs=frozenset()), "cpu")
    assert found is None
    assert "expected" in comparison.findings.mismatch


def test_a_program_that_fails_gives_no_times(evaluator: LocalEvaluator) -> None:
    _, comparison, found = evaluator.compare(Program(HONEST.replace("empty_like(x)", "relu(x)"), DOUBLE), "cpu")
    assert found is None
    assert comparison.failed is not None
    assert comparison.failed.failed is not None
    assert comparison.failed.failed.status is Failing.HOST_COMPUTES


class _Scripted:
    """Answers in the place of a sandbox, in order by side; notes which side was asked when."""

    def __init__(self, **answers: list[Answer]) -> None:
        self.answers, self.asked, self.given = answers, [], []  # type: ignore[var-annotated]

    def __call__(self, job: Job, tensors: Sequence[RawTensor], room: int, _limits: Limits) -> Answer:
        side = "candidate" if isinstance(job, TimeCandidate) else job.compiler or "eager"
        self.asked.append(side)
        self.given.append((side, room > 0, [bytes(tensor.data) for tensor in tensors]))
        given = self.answers[side]
        return given.pop(0) if len(given) > 1 else given[0]


def timed(events: float, wall: float) -> Answer:
    return Answer(MeasuredTimes((events,) * 5, (events,) * 5, (wall,) * 5, (), (), None, flush_bytes=1))


def comparison(run: _Scripted, device_name: str = "") -> tuple[Comparison, dict[str, Any] | None]:
    timing = Timing(baselines=("eager", "inductor"), processes=(3, 5))
    contest = Comparison(run, Limits(), 1, random.Random(0), timing, device_name=device_name)
    x = RawTensor("f32", (1000,), (1,), memoryview(bytes(4000)))
    truth = Truth((ReferenceRun(Draw(0), (x,), {}, (), frozenset()),), init="[]")
    return contest, contest.times(Program(HONEST, DOUBLE), truth, ())


def test_sides_take_turns_and_a_baseline_that_fails_is_left_out() -> None:
    run = _Scripted(candidate=[timed(1.0, 1.02)], eager=[timed(2.0, 2.02)], default=[Answer(failure="died")])
    contest, found = comparison(run)
    assert found is not None
    assert run.asked == ["candidate", "eager", "default", *("candidate", "eager") * 2]
    assert found["speedup"] == {"eager": pytest.approx(2.0)}
    assert contest.notes[0].startswith("inductor: no times")


def test_what_the_first_process_compiled_goes_to_the_next_ones() -> None:
    compiled = RawTensor("u8", (3,), (1,), memoryview(b"abc"))
    times = timed(2.0, 2.02).content
    assert isinstance(times, MeasuredTimes)
    first = Answer(ReferenceTimed(**vars(times), compiled=Place(0)), (compiled,))
    run = _Scripted(candidate=[timed(1.0, 1.02)], eager=[timed(2.0, 2.02)], default=[first, timed(2.0, 2.02)])
    comparison(run)
    assert [one for one in run.given if one[0] == "default"] == [
        ("default", True, []),
        *[("default", False, [b"abc"])] * 2,
    ]
    assert all(not tensors for side, _, tensors in run.given if side == "eager")


def test_more_processes_are_asked_until_the_interval_is_narrow() -> None:
    for scale, share, rounds in ((1.0, 0.001, 3), (1.0, 0.5, 5), (1e-2, 0.5, 3)):
        drifting = [timed(scale * (1.0 + share * step), scale * (1.0 + share * step)) for step in range(9)]
        run = _Scripted(candidate=drifting, eager=[timed(2.0 * scale, 2.0 * scale)], default=[Answer(failure="died")])
        _, found = comparison(run)
        assert found is not None
        assert run.asked.count("candidate") == run.asked.count("eager") == rounds
        assert found["caliber"]["processes"] == (3, 5)


def test_doubtful_times_are_measured_again_and_named_but_stand() -> None:
    again = [timed(0.03, 2.7), timed(1.0, 1.02)]
    run = _Scripted(candidate=again, eager=[timed(2.0, 2.02)], default=[timed(2.0, 2.02)])
    _, found = comparison(run)
    assert found is not None
    assert run.asked[:3] == ["candidate", "candidate", "eager"]
    assert found["times_ms"]["candidate"] == pytest.approx(1.0)
    assert found["notes"] == ["candidate, first measurement: the wall clock shows 2.7 ms where events show 0.03 ms"]

    run = _Scripted(candidate=[timed(1e-7, 1e-7)], eager=[timed(2.0, 2.02)], default=[timed(2.0, 2.02)])
    _, found = comparison(run, "NVIDIA H100 80GB HBM3")
    assert found is not None
    assert run.asked.count("candidate") == 6
    assert found["caliber"]["floor_ms"] > 0
    assert "candidate, second measurement: 1e-07 ms is below" in " ".join(found["notes"])


def test_graph_launches_are_queued_behind_their_flush(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    class Event:
        def __init__(self, enable_timing: bool) -> None:
            assert enable_timing

        def record(self) -> None:
            told.append("event")

        def query(self) -> bool:
            return False  # the device is still at work on the flush when the host has queued it all

        def elapsed_time(self, _other: "Event") -> float:
            return 0.0

    class Buffer:
        def add_(self, _value: int) -> None:
            told.append("flush")

    monkeypatch.setattr(clock, "_Event", Event)
    monkeypatch.setattr(clock, "_synchronize", lambda: told.append("wait"))
    cuda = object.__new__(clock.CudaClock)
    cuda._buffer, cuda._flush_ms = Buffer(), 0.06  # type: ignore[assignment]
    times = cuda.queued([lambda: told.append("content")] * 2, lambda: told.append("run"))
    assert told == ["content", "flush", "event", "run", "event"] * 3 + ["wait"]  # the first is not timed
    assert len(times) == 2
    assert min(times) > 0
    told.clear()
    seen, whole = cuda.time(lambda: told.append("run"))
    assert told == ["wait", "event", "run", "event", "wait"]
    assert 0 < seen <= whole
    told.clear()
    cuda.queued([lambda: told.append("content")], lambda: told.append("run"), busy_ms=0.15)
    assert told == ["content", *["flush"] * 3, "event", "run", "event"] * 2 + [
        "wait"
    ]  # the device is at work for long enough


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_the_time_rung_on_a_gpu() -> None:
    module = Broken("good", DOUBLE, GOOD, vector_host(), Status.OK).module
    with LocalEvaluator(seeds=1, timing=Timing(baselines=("eager", "inductor"))) as evaluator:
        verdict = evaluator.evaluate(module, (Rung.RUN, Rung.TIME))
    assert verdict.ok, verdict
    assert set(verdict.times_ms) == {"candidate", "eager", "inductor"}
    timing = verdict.caliber["timing"]
    assert timing["mode"] == {"eager": "graph", "inductor": "graph"}
    assert timing["caliber"]["floor_ms"] > 0
    assert timing["device"]["candidate"][0]["after"]


HELD_REFERENCE = """import torch
class Model(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.product = torch.nn.Linear(size, size)
    def forward(self, x):
        return self.product(x)
def get_inputs():
    return [torch.randn(4, 8)]
def get_init_inputs():
    return [8]
"""


def test_references_are_built_and_perturbed_outside_of_turns_and_run_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, set[bool]] = {"perturb": set(), "run": set(), "inputs": set()}
    inputs = ReferenceProgram.inputs

    class Told(DeviceLock):
        held, pauses = False, 0

        def _set(self, mode: int) -> None:
            super()._set(mode)
            Told.held = mode != fcntl.LOCK_UN

        def pause(self) -> None:
            super().pause()
            Told.pauses += 1

    def told(model: torch.nn.Module, seed: int, *rest: Any) -> None:
        seen["perturb"].add(Told.held)
        perturb(model, seed, *rest)

    def given(self: ReferenceProgram, *rest: Any) -> list[Value]:
        seen["inputs"].add(Told.held)
        return inputs(self, *rest)

    monkeypatch.setattr(ReferenceProgram, "inputs", given)
    monkeypatch.setattr(collected, "_LONG_BYTES", 0)
    for job in (reference_job, time_reference):
        monkeypatch.setattr(job, "perturb", told)
    reference = import_source(HELD_REFERENCE, "held").reference
    draws = asdict(Draw(0)), asdict(Draw(1, "normal", 2))
    encoded = encode_reference(reference)
    timing = TimeReference(encoded, "ieee", "cpu", 0, draws[1:], "", QUICK.plan(3))
    watched = register_module_forward_pre_hook(lambda _module, _inputs: seen["run"].add(Told.held))
    with contextlib.closing(Told(torch.device("cpu"))) as lock, watched:
        answer, _ = reference_job.run_reference(RunReference(encoded, "ieee", "cpu", 0, draws), (), lock)
        assert len(answer.passes) == 2 and Told.pauses > 15  # between runs of a pass, and those that try it, too
        assert seen == {"perturb": {False}, "run": {True}, "inputs": {True}}
        for found in seen.values():
            found.clear()
        time_reference.time_reference(timing, (), lock)
    assert seen == {"perturb": {False}, "run": {True}, "inputs": {True}}


ON_GPU = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")]
FEW = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.roll(x, 2, -1)

def get_inputs():
    return [torch.randn(2, 1)]

def get_init_inputs():
    return []
"""


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=ON_GPU)])
def test_inputs_of_too_few_elements_for_an_infinite_one_are_no_draw_of_their_own(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs, asked = ReferenceProgram.inputs, list[str]()

    def told(self: ReferenceProgram, seed: int, where: str = "cpu") -> list[Value]:
        asked.append(str(where))
        return inputs(self, seed, where)

    monkeypatch.setattr(ReferenceProgram, "inputs", told)
    draws = asdict(Draw(0)), asdict(Draw(1, "infinite"))
    reference = encode_reference(import_source(FEW, "few").reference)
    job = RunReference(reference, "ieee", device, 0, draws)
    with contextlib.closing(DeviceLock(torch.device(device))) as turns:
        answer, _ = reference_job.run_reference(job, (), turns)
    assert [one.number for one in answer.passes] == [0]
    # Three for what holds of them; given, and infinite.
    assert asked == [device] * 5


def test_what_is_compiled_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reference = import_source(HELD_REFERENCE, "compiled").reference
    draws = (asdict(Draw(0)),)
    job = TimeReference(encode_reference(reference), "ieee", "cpu", 0, draws, "default", QUICK.plan(3))
    given: list[RawTensor] = []
    for process, keep in enumerate((64 << 20, 0)):
        monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / str(process)))
        torch._dynamo.reset()
        counters.clear()
        with contextlib.closing(DeviceLock(torch.device("cpu"))) as turns:
            answer, kept = time_reference.time_reference(replace(job, keep=keep), given, turns)
        assert len(answer.events) >= 3
        assert counters["inductor"]["fxgraph_cache_hit"] == process
        given = given or kept
    assert answer.compiled is None
    assert given


def test_a_compiled_reference_takes_its_turn_until_it_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []

    class Told(DeviceLock):
        @contextlib.contextmanager
        def shared(self) -> Iterator[None]:
            log.append("shared")
            yield

        @contextlib.contextmanager
        def alone(self) -> Iterator[None]:
            log.append("alone")
            yield

    monkeypatch.setattr(CompiledFxGraph, "__call__", lambda _graph, inputs: inputs)
    monkeypatch.setattr(type(benchmarker), "benchmark_gpu", lambda _timer, run: run())
    with in_turns(Told(torch.device("cpu"))):
        kept: Any = CompiledFxGraph.__call__
        assert kept(None, [1]) == [1]
        assert benchmarker.benchmark_gpu(lambda: 2.0) == 2.0
    assert log == ["shared", "alone"]
    assert kept(None, [1]) == [1] and len(log) == 2
