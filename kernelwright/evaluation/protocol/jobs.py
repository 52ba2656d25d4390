"""Jobs: what the judge asks a child to do, a value for each kind. A job travels as the header of a frame."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar

from kernelwright.evaluation.protocol.transport import Json


@dataclass(frozen=True)
class Job:
    """One job; `is_timed` says that times are taken."""

    kind: ClassVar[str]
    is_timed: ClassVar[bool] = False

    def encode(self) -> Json:
        """As JSON, for `decode_job`."""
        content: Json = _plain(self)
        return {"kind": self.kind, **content}


def _plain(value: Any) -> Any:
    """A value with its dataclasses as dictionaries."""
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


@dataclass(frozen=True)
class Describe(Job):
    """What this machine is; with `gpu`, its GPU too."""

    kind: ClassVar[str] = "describe"

    gpu: bool


@dataclass(frozen=True)
class CompileKernels(Job):
    """Compile an encoded module's kernels offline for a target, a `Target` as JSON."""

    kind: ClassVar[str] = "compile"

    module: Json
    target: Json


@dataclass(frozen=True)
class CheckOffsets(Job):
    """Check the offsets of an encoded module at its reference's sizes."""

    kind: ClassVar[str] = "offsets"

    module: Json


@dataclass(frozen=True)
class CallNamed(Job):
    """Call `function`, named as `module:name`, with what is `given`: work that this layer does not know."""

    kind: ClassVar[str] = "named"

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
    `Sketching` as JSON where inputs and outputs are too large to travel."""

    kind: ClassVar[str] = "reference"

    reference: Json
    numerics: str
    device: str
    seed: int
    draws: tuple[Json, ...]
    sketch: Json | None = None


@dataclass(frozen=True)
class TimeReference(Job):
    """Time an encoded reference: eager with `compiler` "", else by that mode of torch.compile. `keep`: the most bytes
    of compiled code that the answer may hold."""

    kind: ClassVar[str] = "time_reference"
    is_timed: ClassVar[bool] = True

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


@dataclass(frozen=True)
class Held:
    """A tensor of the state: its name, its path in the reference's model, and the index of what it is built as."""

    name: str
    path: str
    built: int


@dataclass(frozen=True)
class Call:
    """One call. `inputs` and `state` are indices of tensors, None for an input that is no tensor or does not travel;
    `values` the numbers among the inputs. `fresh` inputs lie where none lay before; `same` names inputs that are
    another one. `left`: inputs and state that the answer has as the call left them. Out of `training` the model
    evaluates.

    `bump` that is false says that the state is as it was; by default the first call's is. `mode`: what the call is made
    under, None for each in turn. Inputs that do not travel are drawn by `draw`, and must have these `digests`.
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


@dataclass(frozen=True)
class RunCandidate(Job):
    """Make a candidate's calls.

    `kernels`: the judge's own sources by symbol, None where only the host has them. `compile`: a `Target` as JSON, for
    which kernels are compiled instead of run. `timing`: how the time is estimated besides, None where it is not.
    `rehearsals`: calls without effect before the last. `alike_in_eval` and `alike_under_autocast`: see `Truth`. With
    `zeros`, lanes without a value hold 0. `sketch` and `reference`, encoded, stand where inputs are too large to
    travel.
    """

    kind: ClassVar[str] = "candidate"

    program: HostProgram
    state: tuple[Held, ...]
    numerics: str
    kernels: Mapping[str, str] | None
    memory_bytes: int
    device: str
    calls: tuple[Call, ...]
    compile: Json | None = None
    timing: Sampling | None = None
    rehearsals: int = 0
    alike_in_eval: bool = False
    alike_under_autocast: bool = True
    zeros: bool = False
    sketch: Json | None = None
    reference: Json | None = None


@dataclass(frozen=True)
class TimeCandidate(RunCandidate):
    """Take a candidate's calls down, and time them without its host."""

    kind: ClassVar[str] = "time_candidate"
    is_timed: ClassVar[bool] = True


@dataclass(frozen=True)
class ProfileCandidate(RunCandidate):
    """Take a candidate's calls down, and profile them without its host."""

    kind: ClassVar[str] = "profile_candidate"
    is_timed: ClassVar[bool] = True

    profiling: Profiling = Profiling()


_KINDS: dict[str, type[Job]] = {
    one.kind: one
    for one in (
        *(Describe, CompileKernels, CheckOffsets, CallNamed),
        *(RunReference, TimeReference, RunCandidate, TimeCandidate, ProfileCandidate),
    )
}
_READ: dict[str, Callable[[Any], Any]] = {
    "timing": lambda content: Sampling(**{**content, "samples": tuple(content["samples"])}),
    "profiling": lambda content: Profiling(**content),
    "program": lambda content: HostProgram(**content),
    "state": lambda items: tuple(Held(**item) for item in items),
    "calls": lambda items: tuple(Call(**item) for item in items),
}


def decode_job(header: Json) -> Job:
    """The job that `Job.encode` was given."""
    content = {key: value for key, value in header.items() if key != "kind"}
    for name in content.keys() & _READ.keys():
        if content[name] is not None:
            content[name] = _READ[name](content[name])
    return _KINDS[header["kind"]](**content)
