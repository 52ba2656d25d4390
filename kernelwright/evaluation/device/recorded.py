"""Calls of a host taken down, so that they can be repeated without it: what is timed and profiled."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from torch import Tensor

from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.evaluation.device.candidate_job import Calls, meet
from kernelwright.evaluation.device.memory import Memory
from kernelwright.evaluation.device.replay import Rotation, Trace, slot
from kernelwright.evaluation.device.serve import Executor
from kernelwright.evaluation.protocol.answers import CallMade
from kernelwright.evaluation.protocol.jobs import Call, RunCandidate
from kernelwright.evaluation.protocol.link import Json, Link, TensorRef
from kernelwright.evaluation.protocol.sketch import snapshot
from kernelwright.evaluation.protocol.wire import RawTensor


def take_down(
    job: RunCandidate,
    tensors: Sequence[RawTensor],
    memory: Memory,
    link: Link,
    executor: Executor,
    turns: DeviceLock,
    stop_host: Callable[[], None],
) -> tuple["RecordedCalls", list[str]]:
    """Let a host make the first of a job's calls, take down the others, and end it: they, and its walls."""
    server, walls, built = meet(job, link, memory, executor)
    calls = RecordedCalls(server, replace(job, calls=job.calls[:1]), tensors, turns)
    with turns.shared():
        calls.run(built, walls)
        calls.record(job.calls[1:])
    stop_host()
    return calls, walls


@dataclass
class RecordedCalls(Calls):
    """Calls that are taken down: for each draw the trace, the inputs and outputs it had, and the state it changed."""

    traces: list[Trace] = field(default_factory=list)
    given: dict[str, Tensor] = field(default_factory=dict)
    _outputs: list[list[Tensor]] = field(default_factory=list)
    _changed: dict[str, tuple[Tensor, Tensor]] = field(default_factory=dict)

    def record(self, calls: Sequence[Call]) -> None:
        """Make calls and take them down; only one is needed where host code reads nothing."""
        for call in calls:
            self.traces.append(Trace(self.server.executor))
            self.server.recorder = self.traces[-1]
            self._one(len(self.traces), call, [])
            if not self.traces[-1].reads:
                break
        self.server.recorder = None

    def rotation(self, draws: Sequence[Call], generator: random.Random) -> Rotation:
        """What was taken down on the inputs of these calls, to be repeated in any order."""
        contents = [dict(self.values(call)) for call in draws]
        slots = [slot(target, [values[name] for values in contents]) for name, target in self.given.items()]
        replays = [trace.replay() for trace in self.traces]
        return Rotation(slots, replays, list(self._changed.values()), generator, turns=len(replays) == 1)

    def outputs(self, draw: int) -> list[RawTensor]:
        """The outputs of a draw, once it was repeated, as they are now."""
        return [snapshot(output, self.sketching) for output in self._outputs[draw % len(self.traces)]]

    def check_zones(self) -> None:
        """Raise OutOfBoundsError where a repeated call wrote beside its memory."""
        self.server.memory.check_zones(list(self.server.memory.stores))

    def _answer(self, answer: Json, places: Mapping[str, TensorRef], before: Mapping[str, Tensor]) -> CallMade:
        memory = self.server.memory
        made = super()._answer(answer, places, before)
        if self.traces:
            self._outputs.append([memory.tensor(ref) for ref in self._returned.last])
            self.traces[-1].looked_at(*self._outputs[-1])
            names = set(self.job.program.inputs)
            self.given = {name: memory.tensor(ref) for name, ref in places.items() if name in names}
            changed = [name for name in made.modified if name not in names]
            self._changed |= {name: (memory.tensor(places[name]), before[name]) for name in changed}
        return made
