"""Programs are read in a process of their own: whatever a program does when it is run, this process goes on.

It may print, end the process, take all memory, or never return. A worker's child reads it (`read_here`), under limits;
the reference that it stands for comes back, and what it prints goes to stderr.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from types import FrameType
from typing import Any

import torch

from kernelwright.evaluation.protocol.answers import Failing, Returned
from kernelwright.evaluation.protocol.decoding import decode
from kernelwright.evaluation.protocol.jobs import CallNamed
from kernelwright.evaluation.protocol.transport import decode_reference, encode_reference
from kernelwright.evaluation.sandbox.parent import Answer, Limits, Sandbox
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.problem import KNOWN, line_in_file
from kernelwright.frontend.sizes.larger import import_larger
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Numerics, Reference

#: What the process gets on top of a program's own time, to begin and to answer.
_GRACE_SECONDS = 15.0
#: Room for outputs that checking one draw takes, in outputs: eager's and, in fp64, the exact ones.
_COPIES = 3
#: Of what a program prints, so many bytes are shown: the last.
_SAID_BYTES = 1 << 16
#: What decoding raises for what is no encoded value: a program runs in the very process that answers.
_MALFORMED = (LookupError, TypeError, ValueError, AttributeError)
_WAY_OUT = "make it return, or raise import.timeout_s"


@dataclass(frozen=True)
class Reading:
    """How a program is read: as `import_source` has it, and within which limits.

    `small_first`: sizes are made small where that can be done, whatever devices there are.
    """

    shrink: str = "auto"
    numerics: Numerics = "ieee"
    budget: int | None = None
    allclose: float | None = None
    small_first: bool = False
    timeout_s: float = 60.0
    memory_gb: float = 8.0


class _TooLong(BaseException):
    """The time is over. Not an Exception, so that no program takes it for one of its own."""


def import_apart(source: str, name: str, reading: Reading, sandbox: Sandbox | None = None) -> Reference:
    """What a KernelBench-format text computes; UserError for what is not one, and for one that meets a limit.

    `sandbox`: the worker to ask where there is one, which several programs may share; else one is started.
    """
    job = CallNamed(f"{__name__}:read_here", {"source": source, "name": name} | asdict(reading))
    seconds = reading.timeout_s + _GRACE_SECONDS
    limits = Limits(timeout_s=seconds, memory_gb=reading.memory_gb, device=torch.cuda.is_available())
    asked: AbstractContextManager[Sandbox] = nullcontext(sandbox) if sandbox else Sandbox()
    with asked as worker:
        answer = worker.run(job, (), 0, limits)
    if not isinstance(answer.content, Returned):
        raise UserError(f"{name}: {_told(answer, reading)}")
    try:
        read: Read = decode(Read, answer.content.value)
        reference = None if read.reference is None else decode_reference(dict(read.reference))
    except _MALFORMED as error:
        raise UserError(f"{name}: it changes what comes back of it; a reference may only compute") from error
    sys.stderr.write(read.said)
    if reference is None:
        raise UserError(read.problem or f"{name}: {_memory(reading)}")
    return reference


def import_larger_apart(
    source: str, small: Reference, name: str, reading: Reading, sandbox: Sandbox | None = None
) -> tuple[Reference, ...]:
    """The reference at larger sizes than those of `small`, see `import_larger`; none where that meets a limit."""
    given = {"source": source, "name": name, "small": encode_reference(small)} | asdict(reading)
    limits = Limits(timeout_s=reading.timeout_s + _GRACE_SECONDS, memory_gb=reading.memory_gb)
    asked: AbstractContextManager[Sandbox] = nullcontext(sandbox) if sandbox else Sandbox()
    with asked as worker:
        answer = worker.run(CallNamed(f"{__name__}:read_larger", given), (), 0, limits)
    found = answer.content.value if isinstance(answer.content, Returned) else []
    with suppress(*_MALFORMED):
        return tuple(decode_reference(one) for one in found)
    return ()


def read_larger(given: dict[str, Any]) -> list[Any]:
    """The job: what a program computes at larger sizes, encoded."""
    small = decode_reference(given["small"])
    with suppress(UserError, _TooLong), _limited(float(given["timeout_s"]), str(given["name"])):
        found = import_larger(given["source"], small, given["name"], given["numerics"], given["allclose"])
        return [encode_reference(one) for one in found]
    return []


def check_room(reference: Reference, name: str, seeds: int, memory_gb: float) -> None:
    """UserError where a program's tensors alone take more than a job on the CPU may: it is told before the work."""
    given = [spec.nbytes for spec in reference.tensors]
    outputs = [spec.nbytes for spec in reference.outputs]
    needed_gb = seeds * (sum(given) + _COPIES * sum(outputs)) / 2**30
    if needed_gb > memory_gb:
        raise UserError(
            f"{name}: without a GPU, checking it takes at least {needed_gb:.0f} GB of memory: {seeds} draws of "
            f"tensors, the largest of {max(given + outputs) / 2**30:.1f} GB; evaluator.memory_gb={memory_gb:g} allows "
            "less. Allow smaller sizes (import.shrink=auto), or raise evaluator.memory_gb"
        )


def _told(answer: Answer, reading: Reading) -> str:
    """Why a process gave no reference."""
    if answer.failure == "timeout":
        return f"it does not return within {reading.timeout_s:g} s; {_WAY_OUT}"
    if answer.failure == "memory" or (answer.failed and answer.failed.status is Failing.MEMORY):
        return _memory(reading)
    if answer.failure == "died":
        ending = "" if "without an answer" in answer.detail else f": {answer.detail}"
        return f"it ends its process when it runs{ending}; a reference may only define things and compute"
    return answer.why


def _memory(reading: Reading) -> str:
    told = f"it takes more than {reading.memory_gb:g} GB of memory when it runs once, before anything is compiled; "
    return told + "make its sizes smaller (import.shrink=always does), or raise import.memory_gb"


@dataclass(frozen=True)
class Read:
    """What came of reading a program: its `reference`, encoded, or the `problem` that there is with it, "" where it
    takes too much memory; and what the program `said`."""

    reference: Mapping[str, Any] | None = None
    problem: str = ""
    said: str = ""


def read_here(given: dict[str, Any]) -> dict[str, Any]:
    """The job: a `Read` as JSON."""
    printed = os.memfd_create("printed")
    for standard in (1, 2):
        os.dup2(printed, standard)
    answer = _answer(given, str(given["name"]))
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the program may have closed it
            stream.flush()
    ctypes.CDLL(None).fflush(None)
    size = os.fstat(printed).st_size
    text = os.pread(printed, _SAID_BYTES, max(0, size - _SAID_BYTES))
    return asdict(replace(answer, said=text.decode(errors="replace")))


def _answer(given: dict[str, Any], name: str) -> Read:
    try:
        with _limited(float(given["timeout_s"]), name):
            return Read(encode_reference(_read(given, name)))
    except (UserError, _TooLong) as error:
        text = str(error)
        if isinstance(error.__cause__, MemoryError) or "can't allocate memory" in text:
            return Read()
        return Read(problem=text if text.startswith(f"{name}:") else f"{name}: {text}")
    except KeyboardInterrupt:
        return Read(problem=f"{name}: it raises KeyboardInterrupt when it is run")


def _read(given: dict[str, Any], name: str) -> Reference:
    options: dict[str, Any] = {"numerics": given["numerics"]}
    options |= {key: given[key] for key in ("budget", "allclose") if given[key] is not None}
    try:
        if given["small_first"]:
            with suppress(UserError):
                return import_source(given["source"], name, shrink="always", **options).reference
        return import_source(given["source"], name, shrink=given["shrink"], **options).reference
    except ValueError as error:  # UserError is one; others are about text that no file holds, such as null bytes
        raise error if isinstance(error, UserError) else UserError(str(error)) from error


@contextmanager
def _limited(seconds: float, name: str) -> Iterator[None]:
    """Raise _TooLong, which tells where the program is, once the time is over, and again where that does not help."""

    def over(_number: int, frame: FrameType | None) -> None:
        raise _TooLong(f"{_where(frame, name)} does not return within {seconds:g} s; {_WAY_OUT}")

    before: Any = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _where(frame: FrameType | None, name: str) -> str:
    """The function of the program that is being run, and the line that it is at."""
    function, line = "the program", 0
    while frame is not None:
        if frame.f_code.co_filename == f"<{name}>":
            line = line or frame.f_lineno
            known = frame.f_code.co_name
            function = f"{known}()" if known in KNOWN else function
            function = "the file itself" if known == "<module>" else function
        frame = frame.f_back
    return f"{function} (line {line_in_file(line, name)})" if line else function
