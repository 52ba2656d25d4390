"""Answers: what a child has to say of a job, a value for each kind (see `jobs`). An answer travels as the header of a
frame; its `Place`s are numbers of the frame's tensors. Whatever a child wrote is checked before it is one of these."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from kernelwright.evaluation.protocol.decoding import Place, plain
from kernelwright.evaluation.protocol.link import Origin
from kernelwright.evaluation.protocol.transport import Json
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.values import Resources


@dataclass(frozen=True)
class Reply:
    """What a job gave."""

    def encode(self) -> Json:
        """As JSON, for `jobs.decode_answer`."""
        return {"gave": plain(self)}


class Failing(StrEnum):
    """What went wrong in a child that has answered."""

    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    UNSUPPORTED = "unsupported"
    CHEAT = "cheat"
    HOST_COMPUTES = "host_computes"
    MISMATCH = "mismatch"
    MEMORY = "memory"


@dataclass(frozen=True)
class Failed:
    """A job that gave nothing, and why. `left`: host code ended without a word."""

    status: Failing
    detail: str
    diagnostic: Diagnostic | None = None
    left: bool = False

    def encode(self) -> Json:
        """As JSON, for `jobs.decode_answer`."""
        return {"failed": plain(self)}


@dataclass(frozen=True)
class Machine(Reply):
    """Whether there is a GPU to use, and for calibers the device and the versions of what judges on it."""

    gpu: bool
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class CompiledKernels(Reply):
    """What each kernel takes, by symbol."""

    resources: Mapping[str, Resources]


@dataclass(frozen=True)
class OffsetsFit(Reply):
    """The offsets of a module fit in 32 bits."""


@dataclass(frozen=True)
class Returned(Reply):
    """What a function gave that a job names."""

    value: Any


@dataclass(frozen=True)
class LeftBehind:
    """What the reference makes of an input or of state: eager, in the gold, and in runs as `nudged` of a
    `ReferencePass`."""

    eager: Place
    gold: Place
    nudged: tuple[Place, ...] = ()


@dataclass(frozen=True)
class ReferencePass:
    """What a reference made of one draw, the one of this `number` among those of the job.

    `inputs`: None for other values than tensors, and where inputs do not travel, whose `digests` are given. `random`:
    a second run gave something else. `note`: where the gold is less than fp64. `kept`: inputs and state that it leaves
    as they were; `left` has what it changes. `tf32`: eager rounded operands to it, and `cut` has its outputs with them
    cut off; elsewhere `nudged` has those of each run on values whose last bits are noise, unless outputs are sketched.
    `respelled`: outputs with operations spelled as kernels have to, None where there are no such operations.
    `autocast`: outputs under autocast, None where they are the same. `reordered`: outputs with equal values in other
    orders. `shared`: of each output, what it shares memory with (see `shared_with`). `returns`: what eager gives, see
    `ir.host.structure`. `computed`: of each output, whether it is computed; `of_inputs`:
    whether an input has a part in it.
    """

    number: int
    inputs: tuple[Place | None, ...]
    digests: tuple[int, ...]
    state: Mapping[str, Place]
    eager: tuple[Place, ...]
    gold: tuple[Place, ...]
    note: str
    cut: tuple[Place, ...] | None
    nudged: tuple[tuple[Place, ...], ...]
    respelled: tuple[Place, ...] | None
    autocast: tuple[Place, ...] | None
    reordered: tuple[tuple[Place, ...], ...]
    computed: tuple[bool, ...]
    of_inputs: tuple[bool, ...]
    random: bool
    tf32: bool
    kept: tuple[str, ...]
    shared: tuple[tuple[str, ...], ...]
    returns: str
    left: Mapping[str, LeftBehind]

    def __post_init__(self) -> None:
        others = (
            *self.nudged,
            *self.reordered,
            *(one for one in (self.cut, self.respelled, self.autocast) if one is not None),
        )
        if any(len(one) != len(self.eager) for one in (self.gold, self.computed, self.of_inputs, self.shared, *others)):
            raise ValueError("its runs differ in the number of their outputs")


@dataclass(frozen=True)
class ReferenceRan(Reply):
    """A reference's `passes`. `built`: the state as built. `init`: its init arguments as text, None where they are more
    than literals. `sketched`: outputs are, and inputs do not travel. `left_out`: kinds of draws that it does not take.
    `alike_in_eval`: it gives the same in evaluation mode. `held`: what draws keep of each input. `weight`: see
    `Expected`. `module`: see `holdings`."""

    passes: tuple[ReferencePass, ...]
    built: Mapping[str, Place]
    init: str | None
    sketched: bool
    left_out: tuple[str, ...]
    alike_in_eval: bool
    held: Mapping[str, tuple[str, ...]]
    weight: float
    module: Mapping[str, Any]


@dataclass(frozen=True)
class CallMade:
    """One call of a candidate. `left`: inputs and state as it left them, by name. `returned`: the structure of what it
    gave. `modified`: inputs and state that it changed. `origins`: where the content of each output comes from.
    `prepared`: whether what host code computed of weights has a part in it. `launches`: how many. `shared`: of each
    output, what it shares memory with (see `shared_with`). `mode`: what it was asked to be made under. `again`: it is
    on the same as the call before. `after`: what changed before it, in words."""

    outputs: tuple[Place, ...]
    left: Mapping[str, Place]
    returned: str
    modified: tuple[str, ...]
    origins: tuple[Origin, ...]
    prepared: tuple[bool, ...]
    launches: int
    shared: tuple[tuple[str, ...], ...]
    mode: str = ""
    again: bool = False
    after: str = ""

    def __post_init__(self) -> None:
        if not len(self.outputs) == len(self.origins) == len(self.prepared) == len(self.shared):
            raise ValueError("not every output has an origin and what it shares memory with")
        numbers = [text.removeprefix("output ") for one in self.shared for text in one]
        if any(number.isdigit() and int(number) >= len(self.outputs) for number in numbers):
            raise ValueError("memory is shared with an output that there is not")


@dataclass(frozen=True)
class CheckedSample:
    """The outputs of a repeated call that were checked, on the draw of this number."""

    draw: int
    outputs: tuple[Place, ...]


@dataclass(frozen=True)
class TimeEstimate:
    """A candidate's time in the process that checked it: `events` in ms, one for each run."""

    events: tuple[float, ...]
    notes: tuple[str, ...]
    verified: tuple[CheckedSample, ...]

    def __post_init__(self) -> None:
        _check_times(self.events)
        if not self.events:
            raise ValueError("there are no times")


@dataclass(frozen=True)
class CandidateRan(Reply):
    """A candidate's `calls`. `notes`: paths of state held nowhere. `walls` are those around its host code. `resources`:
    what its kernels take, None where they were interpreted."""

    calls: tuple[CallMade, ...]
    notes: tuple[str, ...]
    walls: tuple[str, ...]
    resources: Mapping[str, Resources] | None = None
    estimate: TimeEstimate | None = None


@dataclass(frozen=True)
class MeasuredTimes(Reply):
    """What one process measured, in ms: `events` around runs queued behind others, and `graph` launches where they were
    captured. `direct` and `wall` are events and wall clock of the same runs on an idle device, host included.

    `device`: clocks and temperature before and after, where they were asked for. `flush_bytes`: what is written between
    runs.
    """

    events: tuple[float, ...]
    direct: tuple[float, ...]
    wall: tuple[float, ...]
    graph: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    device: Mapping[str, Any] | None = None
    flush_bytes: int = 0

    def __post_init__(self) -> None:
        if not self.events or not self.direct or len(self.direct) != len(self.wall):
            raise ValueError("there are times, and both clocks give one for every direct run")
        _check_times((*self.events, *self.direct, *self.wall, *self.graph))


@dataclass(frozen=True)
class ReferenceTimed(MeasuredTimes):
    """A reference's times. `compiled`: what torch.compile made, None where there is nothing or too much."""

    compiled: Place | None = None


@dataclass(frozen=True)
class CandidateTimed(MeasuredTimes):
    """A candidate's times. `verified`: what is to be checked of its outputs. `launches`: those of one call."""

    verified: tuple[CheckedSample, ...] = ()
    launches: int = 0
    walls: tuple[str, ...] = ()


class DeviceWork(StrEnum):
    """Whose work something on the device is."""

    GENERATED = "generated"
    LIBRARY = "library"
    COPY = "copy"


@dataclass(frozen=True)
class ProfileRow:
    """What ran under one name in one call: microseconds, launches, and what it moved and computed, where known.

    `products`: those of the FLOPs that are of matrix products, by operand type.
    """

    kind: DeviceWork
    name: str
    us: float
    count: float
    bytes: float | None = None
    flops: float | None = None
    products: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = [one for one in (self.bytes, self.flops) if one is not None]
        _check_amounts((self.us, self.count, *known, *self.products.values()))


@dataclass(frozen=True)
class CandidateProfiled(Reply):
    """A candidate's profile: `rows`, means over so many `calls`, and `operators`, the FLOPs of library operators by
    operand type. The others are as `CandidateTimed` has them; the outputs are those of the last call."""

    calls: int
    rows: tuple[ProfileRow, ...]
    operators: Mapping[str, float]
    notes: tuple[str, ...]
    verified: tuple[CheckedSample, ...]
    launches: int
    walls: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_amounts((self.calls, *self.operators.values()))


def _check_times(times: Iterable[float]) -> None:
    if not all(math.isfinite(time) and time > 0 for time in times):
        raise ValueError("a time is not positive")


def _check_amounts(amounts: Iterable[float]) -> None:
    for amount in amounts:
        if not math.isfinite(amount) or amount < 0:
            raise ValueError(f"{amount!r} is no number of things")
