"""Timing one program in one process: a candidate's call replayed, or the reference eager or compiled.

A candidate's `calls` are one that warms it up, then one for each draw, all with the same state.
"""

import functools
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kernelwright.backend.measure.clock import CaptureError, Clock, clock_for, middle, tick
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.evaluation.device.candidate_job import meet, memory_for
from kernelwright.evaluation.device.recorded import RecordedCalls, take_down
from kernelwright.evaluation.device.replay import Rotation
from kernelwright.evaluation.device.serve import Executor
from kernelwright.evaluation.protocol.answers import CandidateRan, CandidateTimed, CheckedSample, TimeEstimate
from kernelwright.evaluation.protocol.decoding import Place
from kernelwright.evaluation.protocol.jobs import RunCandidate, Sampling
from kernelwright.evaluation.protocol.link import Link
from kernelwright.evaluation.protocol.wire import RawTensor

#: Samples taken whatever the budget says, and the longest times that are captured in a graph as well.
_FEWEST, _GRAPH_BELOW_MS = 5, 0.5
#: Samples that are queued at a time.
_BATCH = 16


@dataclass
class Measured:
    """What sampling gave."""

    events: list[float] = field(default_factory=list)
    direct: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    graph: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    verified: list[tuple[int, list[RawTensor]]] = field(default_factory=list)

    def told(self, clock: Clock, device: Mapping[str, Any] | None) -> dict[str, Any]:
        """What `MeasuredTimes` has."""
        series = {name: tuple(getattr(self, name)) for name in ("events", "direct", "wall", "graph", "notes")}
        return {**series, "device": device, "flush_bytes": clock.flush_bytes}


def measure(
    rotation: Rotation,
    outputs: Callable[[int], list[RawTensor]],
    plan: Sampling,
    clock: Clock,
    generator: random.Random,
) -> Measured:
    """Sample a call: warm up, look at it with both clocks, then time it queued behind new content and a flush, and
    the same as a CUDA graph.

    `outputs` copies a draw's outputs, after a sample that is checked and before the next.
    """
    found = Measured()
    busy_ms = _warm_up(rotation, plan, clock)
    count, elapsed = generator.randint(*plan.samples), tick()
    for _ in range(min(plan.direct, count)):
        rotation.fresh()
        clock.flush()
        seen, whole = clock.time(rotation.run)
        found.direct.append(seen)
        found.wall.append(whole)
        if elapsed() > plan.budget_s / 2:
            break
    checked = set(generator.sample(range(count), min(plan.verify, count)))
    draws = _checked_draws(rotation.draws, generator)
    batch = max(1, min(_BATCH, int(1e3 * plan.budget_s / 4 / middle(found.wall))))
    while len(found.events) < count:
        done = len(found.events)
        late = done >= min(_FEWEST, count) and elapsed() > plan.budget_s
        if late and (found.verified or not plan.verify):
            found.notes.append(f"{done} samples, as the time was up")
            break
        size = 1 if late else min(batch, count - done, *(place + 1 - done for place in checked if place >= done))
        exact = late or done + size - 1 in checked
        draw = next(draws) if exact else 0
        last = functools.partial(rotation.exact, draw) if exact else rotation.fresh
        found.events += clock.queued([rotation.fresh] * (size - 1) + [last], rotation.run, busy_ms)
        if exact:
            found.verified.append((draw, outputs(draw)))
    if plan.graph and middle(found.events) < _GRAPH_BELOW_MS:
        _measure_graph(rotation, outputs, plan, clock, generator, draws, found)
    return found


def _checked_draws(count: int, generator: random.Random) -> Iterator[int]:
    """Which draws are checked, one after another: in random order, but the first one of all, which the host was warmed
    up with, after the others. Results kept from there are thus wrong at the first check."""
    return itertools.cycle([*generator.sample(range(1, count), count - 1), 0])


def _warm_up(rotation: Rotation, plan: Sampling, clock: Clock) -> float:
    """Run for a while, or so many times; how long the host takes to queue one run, in ms: the most that it took but for
    the first."""
    elapsed, queueing = tick(), list[float]()
    while len(queueing) < (plan.warm_up_runs or _FEWEST) or (not plan.warm_up_runs and elapsed() < plan.warm_up_s):
        rotation.fresh()
        clock.flush()
        queueing.append(_queueing_ms(rotation, clock))
        if elapsed() > plan.budget_s / 2 and len(queueing) > 1:
            break
    return max(queueing[1:])


def _queueing_ms(rotation: Rotation, clock: Clock) -> float:
    taken = 0.0

    def run() -> None:
        nonlocal taken
        since = tick()
        rotation.run()
        taken = 1e3 * since()

    clock.time(run)
    return taken


def _measure_graph(
    rotation: Rotation,
    outputs: Callable[[int], list[RawTensor]],
    plan: Sampling,
    clock: Clock,
    generator: random.Random,
    draws: Iterator[int],
    found: Measured,
) -> None:
    """Graph launches queued ahead, each on new content behind its own flush; the last is checked."""
    if len(rotation.replays) > 1:
        found.notes.append("no CUDA graph: host code reads numbers")
        return
    try:
        launch = clock.capture(rotation.run)
    except CaptureError as error:
        found.notes.append(f"no CUDA graph: {error}")
        return
    count = generator.randint(*plan.samples)
    found.graph = clock.queued([rotation.fresh] * count, launch)
    if plan.verify:
        draw = next(draws)
        clock.queued([functools.partial(rotation.exact, draw)], launch)
        found.verified.append((draw, outputs(draw)))


def _sampling(job: RunCandidate) -> Sampling:
    assert job.timing is not None
    return job.timing


def time_candidate(
    job: RunCandidate,
    tensors: Sequence[RawTensor],
    link: Link,
    executor: Executor,
    turns: DeviceLock,
    stop_host: Callable[[], None],
) -> tuple[CandidateTimed, list[RawTensor]]:
    """Take down one call of a host, end the host, and time what the device did."""
    plan = _sampling(job)
    with memory_for(job) as memory:
        calls, walls = take_down(job, tensors, memory, link, executor, turns, stop_host)
        generator = random.Random(plan.seed)
        with turns.shared():
            rotation = calls.rotation(job.calls[1:], generator)
        with turns.alone():
            clock = clock_for(memory.device)
            before = clock.facts() if plan.facts else {}
            found = measure(rotation, calls.outputs, plan, clock, generator)
            facts = device_facts(before, clock, plan)
        calls.check_zones()
        results: list[RawTensor] = []
        more: dict[str, Any] = {
            "verified": _verified(found, results),
            "launches": calls.traces[0].launches,
            "walls": tuple(walls),
        }
        return CandidateTimed(**found.told(clock, facts), **more), results


def check_and_time(
    job: RunCandidate,
    tensors: Sequence[RawTensor],
    link: Link,
    executor: Executor,
    turns: DeviceLock,
    stop_host: Callable[[], None],
) -> tuple[CandidateRan, list[RawTensor]]:
    """Calls as `run_candidate` makes them, then the first once more, taken down and timed for an estimate. The process
    may have served others before."""
    plan = _sampling(job)
    with memory_for(job) as memory:
        server, walls, built = meet(job, link, memory, executor)
        first = replace(job.calls[0], fresh=False)
        calls = RecordedCalls(server, replace(job, calls=(*job.calls, first)), tensors, turns)
        with turns.shared():
            ran = calls.run(built, walls)
            ran = replace(ran, calls=ran.calls[:-1])
            calls.record([replace(first, bump=False)])  # the state is that of the call before
        stop_host()
        places = [place for call in ran.calls for place in (*call.outputs, *call.left.values())]
        results = calls.results[: max(places, default=-1) + 1]
        generator = random.Random(plan.seed)
        with turns.shared():
            rotation = calls.rotation([first], generator)
        with turns.alone():
            found = measure(rotation, calls.outputs, plan, clock_for(memory.device), generator)
        calls.check_zones()
        estimate = TimeEstimate(tuple(found.events), tuple(found.notes), _verified(found, results))
        return replace(ran, estimate=estimate), results


def _verified(found: Measured, results: list[RawTensor]) -> tuple[CheckedSample, ...]:
    """What was checked, its outputs added to the results."""
    verified = []
    for draw, outputs in found.verified:
        verified.append(CheckedSample(draw, tuple(map(Place, range(len(results), len(results) + len(outputs))))))
        results += outputs
    return tuple(verified)


def device_facts(before: Mapping[str, Any], clock: Clock, plan: Sampling) -> dict[str, Any] | None:
    """Clocks and temperatures, where the plan asks for them."""
    return {"before": before, "after": clock.facts()} if plan.facts else None
