"""Jobs: what the judge asks a child to do, a value for each kind, and which answer each has (see `answers`). A job
travels as the header of a frame."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from kernelwright.evaluation.protocol.answers import (
    CandidateProfiled,
    CandidateRan,
    CandidateTimed,
    CheckedSample,
    CompiledKernels,
    Failed,
    Machine,
    OffsetsFit,
    ReferenceRan,
    ReferenceTimed,
    Reply,
    Returned,
)
from kernelwright.evaluation.protocol.decoding import MalformedError, decode, plain
from kernelwright.evaluation.protocol.transport import Json


@dataclass(frozen=True)
class Job:
    """One job; `gives` is the kind of its answer."""

    kind: ClassVar[str]
    gives: ClassVar[type[Reply]]

    def check(self, reply: Any) -> None:
        """Raise MalformedError for an answer of this kind that is none to this job."""

    def encode(self) -> Json:
        """As JSON, for `decode_job`."""
        content: Json = plain(self)
        return {"kind": self.kind, **content}


@dataclass(frozen=True)
class Describe(Job):
    """What this machine is; with `gpu`, its GPU too."""

    kind: ClassVar[str] = "describe"
    gives: ClassVar[type[Reply]] = Machine

    gpu: bool


@dataclass(frozen=True)
class CompileKernels(Job):
    """Compile an encoded module's kernels offline for a target, a `Target` as JSON."""

    kind: ClassVar[str] = "compile"
    gives: ClassVar[type[Reply]] = CompiledKernels

    module: Json
    target: Json


@dataclass(frozen=True)
class CheckOffsets(Job):
    """Check the offsets of an encoded module at its reference's sizes."""

    kind: ClassVar[str] = "offsets"
    gives: ClassVar[type[Reply]] = OffsetsFit

    module: Json


@dataclass(frozen=True)
class CallNamed(Job):
    """Call `function`, named as `module:name`, with what is `given`: work that this layer does not know."""

    kind: ClassVar[str] = "named"
    gives: ClassVar[type[Reply]] = Returned

    function: str
    given: Json


@dataclass(frozen=True)
class Sampling:
    """How one process samples. It takes a random number of samples between two limits, as far as `budget_s` goes. It
    warms up before that: for `warm_up_s` seconds, or for `warm_up_runs` runs if that is not 0.

    `verify` of them, at random places, keep their outputs. `facts`: whether clocks and temperature are asked for.
    `graph`: whether short calls are captured as well. `direct`: how many runs both clocks look at.
    """

    samples: tuple[int, int] = (30, 40)
    budget_s: float = 5.0
    warm_up_s: float = 0.1
    warm_up_runs: int = 0
    verify: int = 2
    seed: int = 0
    facts: bool = True
    graph: bool = True
    direct: int = 10


@dataclass(frozen=True)
class Profiling:
    """How a call is profiled: after `warm_up` calls up to `calls` calls, as far as `budget_s` goes, with the figures of
    the target of that name."""

    calls: int = 5
    warm_up: int = 3
    budget_s: float = 5.0
    seed: int = 0
    target: str = ""


@dataclass(frozen=True)
class RunReference(Job):
    """Run an encoded reference, built from `seed`, on draws (`Draw` as JSON), and for each its gold. `sketch` is a
    `Sketching` as JSON where inputs and outputs are too large to travel. `within`: integers stay in the range that
    inputs have."""

    kind: ClassVar[str] = "reference"
    gives: ClassVar[type[Reply]] = ReferenceRan

    reference: Json
    numerics: str
    device: str
    seed: int
    draws: tuple[Json, ...]
    sketch: Json | None = None
    within: bool = False

    def check(self, reply: ReferenceRan) -> None:
        """Raise MalformedError for passes on draws that were not asked for."""
        if not all(0 <= one.number < len(self.draws) for one in reply.passes):
            raise MalformedError("it has a pass on a draw that was not asked for")


@dataclass(frozen=True)
class TimeReference(Job):
    """Time an encoded reference: eager with `compiler` "", else by that mode of torch.compile. `keep`: the most bytes
    of compiled code that the answer may hold."""

    kind: ClassVar[str] = "time_reference"
    gives: ClassVar[type[Reply]] = ReferenceTimed

    reference: Json
    numerics: str
    device: str
    seed: int
    draws: tuple[Json, ...]
    compiler: str
    timing: Sampling
    keep: int = 0


@dataclass(frozen=True)
class HostProgram:
    """What a candidate's host process is told: the program's text, and how it is entered (see `judge.program.Program`).

    `inputs` are the names of the reference's inputs; `init` is code with a `get_init_inputs` that a class is built
    from, after `seed`, and in bf16 where the reference is. `externs`: operators that it may compute with; None: all.
    `chance`: what the job's processes begin to draw with. `takes`: how forward takes the inputs, see `ir.host.nesting`.
    """

    text: str
    entry: str
    form: str
    bare: bool
    init: str
    seed: int
    bf16: bool
    inputs: tuple[str, ...]
    externs: tuple[str, ...] | None
    chance: int
    takes: str = "{}"


@dataclass(frozen=True)
class Held:
    """A tensor of the state: its name, its path in the reference's model, and the index of what it is built as."""

    name: str
    path: str
    built: int


@dataclass(frozen=True)
class Apart:
    """How a part of the state changes alone before a call: after another call in which by name it was these tensors,
    and all else the same. It is then "written", or "assigned" as other tensors."""

    was: Mapping[str, int]
    manner: str


@dataclass(frozen=True)
class Beside:
    """A call on other inputs in another thread, by another instance. One of both is made whole at a launch of the
    other, each launch but the first in `turn`; the call itself where it is `inner`."""

    inputs: tuple[int | None, ...]
    turn: int
    inner: bool


@dataclass(frozen=True)
class Call:
    """One call. `inputs` and `state` are indices of tensors, None for an input that is no tensor or does not travel;
    `values` the numbers among the inputs. `fresh` inputs lie where none lay before; `same` names inputs that are
    another one. `left`: inputs and state that the answer has as the call left them. Out of `training` the model
    evaluates.

    `bump` that is false says that the state is as it was; by default the first call's is. `mode`: what the call is made
    under, None for each in turn. Inputs that do not travel are drawn by `draw`, and must have these `digests`.

    Programs that keep memory have `apart` and `beside`. One that keeps none is not called `again`, if it was called on
    the same before. `step`: inputs of a training step, before and after which such a program has to give the same.
    """

    inputs: tuple[int | None, ...]
    values: tuple[Any, ...]
    state: Mapping[str, int]
    fresh: bool = False
    same: Mapping[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    training: bool = True
    bump: bool | None = None
    mode: str | None = None
    draw: Json | None = None
    digests: tuple[int, ...] = ()
    apart: Apart | None = None
    beside: Beside | None = None
    again: bool = False
    step: tuple[int | None, ...] | None = None


@dataclass(frozen=True)
class RunCandidate(Job):
    """Make a candidate's calls.

    `kernels`: the judge's own sources by symbol, None where only the host has them. `timing`: how the time is estimated
    besides, None where it is not. `rehearsals`: calls without effect before the last. `free`: inputs of which draws
    keep nothing. `alike_in_eval`, `alike_under_autocast` and `module`: see `Truth`. With `zeros`, lanes without a value
    hold 0. `sketch` and `reference`, encoded, stand where inputs are too large to travel.
    """

    kind: ClassVar[str] = "candidate"
    gives: ClassVar[type[Reply]] = CandidateRan

    program: HostProgram
    state: tuple[Held, ...]
    numerics: str
    kernels: Mapping[str, str] | None
    memory_bytes: int
    device: str
    calls: tuple[Call, ...]
    timing: Sampling | None = None
    rehearsals: int = 0
    free: tuple[str, ...] = ()
    alike_in_eval: bool = False
    alike_under_autocast: bool = True
    zeros: bool = False
    module: Json = field(default_factory=dict)
    sketch: Json | None = None
    reference: Json | None = None

    def check(self, reply: Any) -> None:
        """Raise MalformedError for another number of calls, and for samples of others."""
        if len(reply.calls) != len(self.calls):
            raise MalformedError(f"it has {len(reply.calls)} calls where {len(self.calls)} were asked for")
        if (reply.estimate is None) != (self.timing is None):
            raise MalformedError("a time is estimated where that is asked for, and nowhere else")
        _check_samples(reply.estimate.verified if reply.estimate else (), 1)


@dataclass(frozen=True)
class TimeCandidate(RunCandidate):
    """Take a candidate's calls down, and time them without its host."""

    kind: ClassVar[str] = "time_candidate"
    gives: ClassVar[type[Reply]] = CandidateTimed

    def check(self, reply: CandidateTimed) -> None:
        """Raise MalformedError for samples of calls that were not asked for."""
        _check_samples(reply.verified, len(self.calls) - 1)


@dataclass(frozen=True)
class ProfileCandidate(RunCandidate):
    """Take a candidate's calls down, and profile them without its host."""

    kind: ClassVar[str] = "profile_candidate"
    gives: ClassVar[type[Reply]] = CandidateProfiled

    profiling: Profiling = Profiling()

    def check(self, reply: CandidateProfiled) -> None:
        """Raise MalformedError for samples of calls that were not asked for."""
        _check_samples(reply.verified, len(self.calls) - 1)


def _check_samples(samples: Iterable[CheckedSample], draws: int) -> None:
    if not all(0 <= sample.draw < draws for sample in samples):
        raise MalformedError("it has a sample of a draw that was not asked for")


@dataclass(frozen=True)
class CompileCandidate(RunCandidate):
    """Make a candidate's first call for a target, a `Target` as JSON, and compile what it launches instead of running
    it: outputs hold nothing."""

    kind: ClassVar[str] = "compile_candidate"
    gives: ClassVar[type[Reply]] = CompiledKernels

    target: Json = field(default_factory=dict)

    def check(self, reply: CompiledKernels) -> None:
        """Every answer of its kind will do."""


_KINDS: dict[str, type[Job]] = {
    one.kind: one
    for one in (
        *(Describe, CompileKernels, CheckOffsets, CallNamed),
        *(RunReference, TimeReference, RunCandidate, TimeCandidate, ProfileCandidate),
        CompileCandidate,
    )
}
_READ: dict[str, Callable[[Any], Any]] = {
    "timing": lambda content: Sampling(**{**content, "samples": tuple(content["samples"])}),
    "profiling": lambda content: Profiling(**content),
    "program": lambda content: HostProgram(**content),
    "state": lambda items: tuple(Held(**item) for item in items),
    "calls": lambda items: tuple(map(_read_call, items)),
}


def _read_call(content: Json) -> Call:
    apart, beside = content.get("apart"), content.get("beside")
    made = {"apart": apart and Apart(**apart), "beside": beside and Beside(**beside)}
    return Call(**{**content, **made})


def decode_job(header: Json) -> Job:
    """The job that `Job.encode` was given."""
    content = {key: value for key, value in header.items() if key != "kind"}
    for name in content.keys() & _READ.keys():
        if content[name] is not None:
            content[name] = _READ[name](content[name])
    return _KINDS[header["kind"]](**content)


def decode_answer(job: Job, header: Json, tensors: int) -> Reply | Failed:
    """The answer to a job, with so many tensors, that a child has encoded; MalformedError for anything else."""
    match list(header.items()):
        case [("failed", content)]:
            failed: Failed = decode(Failed, content)
            return failed
        case [("gave", content)]:
            reply: Reply = decode(job.gives, content, tensors)
            job.check(reply)
            return reply
    raise MalformedError("it is neither what a job gave nor why it failed")
