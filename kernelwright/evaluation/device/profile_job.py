"""Profiling one candidate in one process: its call, taken down once, repeated under the profiler without its host.

Each call is profiled in a window of its own, in which there is nothing but what the candidate does: inputs are filled
anew, memory is poisoned and the L2 flushed before it opens.
Answer: `calls`, `rows` (see `profile.ProfileRow`, means over the calls), `operators` (FLOPs of library operators by
operand type), `notes`, and `walls`, `launches` and `verified` as `time_candidate` has them: outputs of the last call.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kernelwright.backend.cost.extern import ExternTrace
from kernelwright.backend.cost.model import LaunchCost, launch_cost
from kernelwright.backend.launch.execute import Launch
from kernelwright.backend.measure.clock import clock_for, tick
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.targets import TARGETS, Target
from kernelwright.backend.tensors import SHORT_DTYPES
from kernelwright.evaluation.checks.profile import Kind
from kernelwright.evaluation.device.candidate_job import memory_for
from kernelwright.evaluation.device.jit import CudaExecutor
from kernelwright.evaluation.device.profiler import Profiler, Seen, profiler_for
from kernelwright.evaluation.device.recorded import take_down
from kernelwright.evaluation.device.replay import Replay, Rotation, Trace
from kernelwright.evaluation.device.serve import Executor, LaunchRequest
from kernelwright.evaluation.protocol.jobs import ProfileCandidate, Profiling
from kernelwright.evaluation.protocol.link import Json, Link
from kernelwright.evaluation.protocol.wire import RawTensor


@dataclass
class Tally:
    """What windows showed, added up by kind and name, with what the cost model says of each launch."""

    calls: int = 0
    rows: dict[tuple[Kind, str], Json] = field(default_factory=dict)

    def add(self, seen: Sequence[Seen], costs: Sequence[LaunchCost | None]) -> None:
        """One window; `costs` are those of its launches, in order."""
        self.calls += 1
        launches = iter(costs)
        for one in seen:
            row = self.rows.setdefault((one.kind, one.name), {"us": 0.0, "count": 0, "products": {}})
            row["us"] += one.us
            row["count"] += 1
            if one.kind is Kind.GENERATED:
                _charge(row, next(launches))

    def answer(self) -> list[Json]:
        """The rows of one call."""
        return [
            {"kind": str(kind), "name": name, "products": {k: v / self.calls for k, v in row["products"].items()}}
            | {key: None if row[key] is None else row[key] / self.calls for key in row if key != "products"}
            for (kind, name), row in self.rows.items()
        ]


def _charge(row: Json, cost: LaunchCost | None) -> None:
    """Add a launch's cost to its row; a row with one that is not known has none."""
    for name in ("bytes", "flops"):
        before = row.get(name, 0)
        row[name] = None if cost is None or before is None else before + getattr(cost, name)
    for kind, flops in cost.products.items() if cost else ():
        row["products"][kind] = row["products"].get(kind, 0) + flops


def profile_candidate(
    job: ProfileCandidate,
    tensors: Sequence[RawTensor],
    link: Link,
    executor: Executor,
    turns: DeviceLock,
    stop_host: Callable[[], None],
) -> tuple[Json, list[RawTensor]]:
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
        verified = [{"draw": rotation.current, "outputs": list(range(len(outputs)))}]
        answer: Json = {"calls": tally.calls, "rows": tally.answer(), "operators": operators, "notes": notes}
        return answer | {"verified": verified, "launches": calls.traces[0].launches, "walls": walls}, outputs


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
        if note.kind is not Kind.LIBRARY:
            step()
            continue
        with ExternTrace() as trace:
            step()
        for call in trace.calls:
            if call.flops:
                kind = SHORT_DTYPES.get(call.dtype, str(call.dtype).removeprefix("torch."))
                found[kind] = found.get(kind, 0.0) + call.flops
    return found
