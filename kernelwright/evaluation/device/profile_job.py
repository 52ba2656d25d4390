"""Profiling one candidate in one process: its call, taken down once, repeated under the profiler without its host.

Each call is profiled in a window of its own, in which there is nothing but what the candidate does: inputs are filled
anew, memory is poisoned and the L2 flushed before it opens.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kernelwright.backend.cost.extern import ExternTrace
from kernelwright.backend.cost.model import LaunchCost, launch_cost
from kernelwright.backend.launch.execute import Launch
from kernelwright.backend.measure.clock import clock_for, tick
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.targets import TARGETS, Target
from kernelwright.backend.tensors import SHORT_DTYPES
from kernelwright.evaluation.device.candidate_job import memory_for
from kernelwright.evaluation.device.jit import CudaExecutor
from kernelwright.evaluation.device.profiler import Profiler, Seen, profiler_for
from kernelwright.evaluation.device.recorded import take_down
from kernelwright.evaluation.device.replay import Replay, Rotation, Trace
from kernelwright.evaluation.device.serve import Executor, LaunchRequest
from kernelwright.evaluation.protocol.answers import CandidateProfiled, CheckedSample, DeviceWork, ProfileRow
from kernelwright.evaluation.protocol.decoding import Place
from kernelwright.evaluation.protocol.jobs import ProfileCandidate, Profiling
from kernelwright.evaluation.protocol.link import Link
from kernelwright.evaluation.protocol.wire import RawTensor


@dataclass
class Tally:
    """What windows showed, added up by kind and name, with what the cost model says of each launch."""

    calls: int = 0
    rows: dict[tuple[DeviceWork, str], ProfileRow] = field(default_factory=dict)

    def add(self, seen: Sequence[Seen], costs: Sequence[LaunchCost | None]) -> None:
        """One window; `costs` are those of its launches, in order."""
        self.calls += 1
        launches = iter(costs)
        for one in seen:
            start = 0.0 if one.kind is DeviceWork.GENERATED else None
            row = self.rows.get((one.kind, one.name), ProfileRow(one.kind, one.name, 0.0, 0, start, start))
            row = replace(row, us=row.us + one.us, count=row.count + 1)
            self.rows[one.kind, one.name] = _charged(row, next(launches)) if one.kind is DeviceWork.GENERATED else row

    def means(self) -> tuple[ProfileRow, ...]:
        """The rows of one call."""
        calls = self.calls
        return tuple(
            replace(
                row,
                us=row.us / calls,
                count=row.count / calls,
                bytes=None if row.bytes is None else row.bytes / calls,
                flops=None if row.flops is None else row.flops / calls,
                products={kind: flops / calls for kind, flops in row.products.items()},
            )
            for row in self.rows.values()
        )


def _charged(row: ProfileRow, cost: LaunchCost | None) -> ProfileRow:
    """A row with a launch's cost added; one with a launch whose cost is not known has none."""
    if cost is None or row.bytes is None or row.flops is None:
        return replace(row, bytes=None, flops=None)
    products = dict(row.products)
    for kind, flops in cost.products.items():
        products[kind] = products.get(kind, 0) + flops
    return replace(row, bytes=row.bytes + cost.bytes, flops=row.flops + cost.flops, products=products)


def profile_candidate(
    job: ProfileCandidate,
    tensors: Sequence[RawTensor],
    link: Link,
    executor: Executor,
    turns: DeviceLock,
    stop_host: Callable[[], None],
) -> tuple[CandidateProfiled, list[RawTensor]]:
    """Take down one call of a host, end the host, and profile what the device did. Raises ProfilerError."""
    plan = job.profiling
    with memory_for(job) as memory:
        calls, walls = take_down(job, tensors, memory, link, executor, turns, stop_host)
        notes: list[str] = []
        costs = [_costs(trace, executor, plan, notes) for trace in calls.traces]
        with turns.shared():
            rotation = calls.rotation(job.calls[1:], random.Random(plan.seed))
        with turns.alone():
            operators = _operators(rotation)
            tally = _windows(rotation, profiler_for(memory.device), clock_for(memory.device).flush, costs, plan)
            calls.check_zones()
        outputs = calls.outputs(rotation.current)
        answer = CandidateProfiled(
            calls=tally.calls,
            rows=tally.means(),
            operators=operators,
            notes=tuple(notes),
            verified=(CheckedSample(rotation.current, tuple(map(Place, range(len(outputs))))),),
            launches=calls.traces[0].launches,
            walls=tuple(walls),
        )
        return answer, outputs


def _windows(
    rotation: Rotation,
    profiler: Profiler,
    flush: Callable[[], None],
    costs: Sequence[Sequence[LaunchCost | None]],
    plan: Profiling,
) -> Tally:
    """Profile calls as long as the budget lasts, at least one; the last on a draw as it is."""
    tally, elapsed = Tally(), tick()
    for _ in range(plan.warm_up):
        rotation.fresh()
        rotation.run()
    last = False
    while not last:
        last = tally.calls + 1 >= plan.calls or elapsed() > plan.budget_s
        if last:
            rotation.exact(rotation.generator.randrange(rotation.draws))
        else:
            rotation.fresh()
        flush()
        seen = profiler.window(rotation.replay)
        tally.add(seen, costs[rotation.current % len(costs)])
    return tally


def _costs(trace: Trace, executor: Executor, plan: Profiling, notes: list[str]) -> list[LaunchCost | None]:
    """What the cost model finds in the code of each launch; None, and a note, where it finds nothing in time."""
    target = TARGETS.get(plan.target)
    if not isinstance(executor, CudaExecutor) or target is None:
        why = "the device is not a listed one" if isinstance(executor, CudaExecutor) else "kernels are interpreted"
        _once(notes, f"no bytes and FLOPs of kernels: {why}")
        return [None] * len(trace.requests)
    known: dict[str, LaunchCost | None] = {}
    found, elapsed = list[LaunchCost | None](), tick()
    for request in trace.requests:
        launch = executor.as_launch(request)
        key = f"{request.kernel} {launch!r}"
        if key not in known and elapsed() > plan.budget_s:
            known[key] = None
            _once(notes, f"no bytes and FLOPs of some launches of @{launch.symbol}: the time was up")
        elif key not in known:
            known[key] = _cost(executor, request, launch, target, notes)
        found.append(known[key])
    return found


def _cost(
    executor: CudaExecutor, request: LaunchRequest, launch: Launch, target: Target, notes: list[str]
) -> LaunchCost | None:
    try:
        return launch_cost(launch, executor.compiled(request), target)
    except (AssertionError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        # The model reads what Triton's compiler printed; a form that it does not know is no fault of the kernel.
        _once(notes, f"no bytes and FLOPs of @{launch.symbol}: the cost model cannot read it ({type(error).__name__})")
        return None


def _once(notes: list[str], note: str) -> None:
    if note not in notes:
        notes.append(note)


def _operators(rotation: Rotation) -> Mapping[str, float]:
    """FLOPs of the library operators in a call by operand type, as torch counts them; the call is run once."""
    rotation.exact(0)
    found: dict[str, float] = {}
    replay: Replay = rotation.replay
    for note, step in zip(replay.notes, replay.steps, strict=True):
        if note.kind is not DeviceWork.LIBRARY:
            step()
            continue
        with ExternTrace() as trace:
            step()
        for call in trace.calls:
            if call.flops:
                kind = SHORT_DTYPES.get(call.dtype, str(call.dtype).removeprefix("torch."))
                found[kind] = found.get(kind, 0.0) + call.flops
    return found
