"""What runs in a worker's children: the reference, a compilation, a candidate's calls.

A job is a header and tensors (see `wire`); so is its answer. Every exception becomes an answer with a status;
the judge trusts none of it and compares raw outputs itself.
"""

import contextlib
import importlib
import mmap
import os
import platform
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import torch
import triton

from kernelwright.backend.compile.compiler import CompileFailureError, compile_module
from kernelwright.backend.interpreter.own_sizes import check_offsets
from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import load_module
from kernelwright.backend.launch.faults import AccessError, KernelFault, UnsupportedByInterpreter
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.reference.tf32 import permitted
from kernelwright.backend.targets import Target, get_target
from kernelwright.evaluation.child.reference import run_reference
from kernelwright.evaluation.device.candidate_job import run_candidate
from kernelwright.evaluation.device.changes import OverwrittenError
from kernelwright.evaluation.device.interpret import InterpreterExecutor
from kernelwright.evaluation.device.jit import CompilingExecutor, CudaExecutor
from kernelwright.evaluation.device.kernels import KernelRefusedError
from kernelwright.evaluation.device.profile_job import profile_candidate
from kernelwright.evaluation.device.profiler import ProfilerError
from kernelwright.evaluation.device.serve import CheatError, Executor, HostComputesError, HostLeftError
from kernelwright.evaluation.device.time_job import check_and_time, time_candidate
from kernelwright.evaluation.device.time_reference import time_reference
from kernelwright.evaluation.inputs.draws import Draw
from kernelwright.evaluation.protocol.answers import (
    CandidateRan,
    CompiledKernels,
    Failed,
    Failing,
    Machine,
    OffsetsFit,
    Reply,
    Returned,
)
from kernelwright.evaluation.protocol.chance import chance
from kernelwright.evaluation.protocol.jobs import (
    CallNamed,
    CheckOffsets,
    CompileCandidate,
    CompileKernels,
    Describe,
    Job,
    ProfileCandidate,
    RunCandidate,
    RunReference,
    TimeCandidate,
    TimeReference,
    decode_job,
)
from kernelwright.evaluation.protocol.link import Link
from kernelwright.evaluation.protocol.sketch import DrawnOtherwiseError
from kernelwright.evaluation.protocol.transport import Json, decode_module, encode_reference
from kernelwright.evaluation.protocol.wire import RawTensor, read_frame, write_frame
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Reference, TensorSpec

Result = tuple[Reply, list[RawTensor]]
#: What says nothing against the device's memory: no kernel was at work.
_HARMLESS = (HostLeftError, CheatError, HostComputesError, KernelRefusedError, CompileFailureError)


_WARM_UP = """@triton.jit
def warm_up(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    y = tl.sum(tl.exp(x - tl.max(x, 0)), 0)
    tl.store(y_ptr + offsets, tl.where(x > 0, x, y), mask=offsets < n)"""
_WARM_UP_REFERENCE = """import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1
def get_inputs():
    return [torch.ones(8)]
def get_init_inputs():
    return []
"""


def warm_up() -> None:
    """Pay once, before any fork, for what every child needs: one thread, the interpreter and the compiler
    set up, and what torch imports when a dispatch mode is first used."""
    torch.set_num_threads(1)
    spec = TensorSpec.contiguous("x", "f32", (8,))
    reference = Reference("", "Model", (spec,), (), (spec,))
    entry = Launcher("def forward(x):\n    y = torch.empty_like(x)\n    warm_up[(1,)](x, y, 8, 8)\n    return y")
    module = KernelModule("warm_up", reference, (Kernel("warm_up", _WARM_UP),), entry)
    load_module(module, InterpreterRuntime())([torch.ones(8)], {})
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= dict.fromkeys(("TRITON_CACHE_DIR", "KERNELWRIGHT_CACHE_DIR"), folder)
        compile_module(module, get_target("h100"))
    known = replace(reference, source=_WARM_UP_REFERENCE)
    job = RunReference(encode_reference(known), known.numerics, "cpu", 0, (asdict(Draw(0)),))
    run_reference(job, (), DeviceLock(torch.device("cpu")))


@dataclass(frozen=True)
class HostProcess:
    """The process that runs a candidate's host code, and the link to it."""

    link: Link
    pid: int

    def stop(self) -> None:
        """End it, with all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


def perform(frame: mmap.mmap, output: mmap.mmap, host: HostProcess | None) -> bool:
    """Do a job and write its answer; `host` leads to the process that runs a candidate's host code.

    Whether another job may follow in this process: not after a fault, or what may have been one.
    """
    sound = True
    answer: Reply | Failed
    try:
        header, tensors = read_frame(frame)
        job = decode_job(header)
        with flags_for(job):
            answer, results = _answer(job, tensors, host)
    except BaseException as error:  # noqa: BLE001 - the one boundary: whatever a program raises is an answer
        answer, results, sound = _failure(error), [], isinstance(error, _HARMLESS)
    try:
        write_frame(output, answer.encode(), results, release=results)
    except ValueError as error:
        write_frame(output, Failed(Failing.RUNTIME_ERROR, f"the outputs are too large: {error}").encode(), [])
    except MemoryError:
        write_frame(output, Failed(Failing.MEMORY, "no memory was left for the outputs").encode(), [])
    return sound


def flags_for(job: Job) -> contextlib.AbstractContextManager[None]:
    """torch's flags while a job runs: those of its reference's numerics, and PyTorch's own else."""
    return permitted(getattr(job, "numerics", "ieee"), deterministic=False)


def _answer(job: Job, tensors: Sequence[RawTensor], host: HostProcess | None) -> Result:
    match job:
        case Describe():
            return describe(job), []
        case CompileKernels():
            return compile_kernels(job), []
        case CheckOffsets():
            check_offsets(decode_module(job.module))  # of its reference's sizes; nothing is computed
            return OffsetsFit(), []
        case CallNamed():
            return call_named(job), []
        case RunReference():
            with contextlib.closing(DeviceLock(torch.device(job.device))) as turns:
                return run_reference(job, tensors, turns)
        case TimeReference():
            with contextlib.closing(DeviceLock(torch.device(job.device))) as turns:
                return time_reference(job, tensors, turns)
        case RunCandidate():
            assert host is not None, "the worker was not asked for a host process"
            with contextlib.closing(DeviceLock(torch.device(job.device))) as turns:
                return _candidate(job, tensors, host, turns)
    raise AssertionError(job)


def _candidate(job: RunCandidate, tensors: Sequence[RawTensor], host: HostProcess, turns: DeviceLock) -> Result:
    """A candidate's calls, its kernels compiled, interpreted or run as the job says."""
    chance.seed(job.program.chance)
    if isinstance(job, CompileCandidate):
        compiling = CompilingExecutor(Target(**job.target))
        try:
            run_candidate(job, tensors, host.link, compiling, turns)
        except HostLeftError as error:  # after a launch it may have read what no kernel has computed here
            if not (error.told and compiling.compiled):
                raise
        return CompiledKernels({symbol: item.resources for symbol, item in compiling.compiled.items()}), []
    if job.device != "cuda":
        interpreter = InterpreterExecutor(zeros=job.zeros)
        with interpreter.prepared():
            return _called(job, tensors, host, interpreter, turns)
    on_gpu = CudaExecutor(turns)
    answer, results = _called(job, tensors, host, on_gpu, turns)
    if isinstance(answer, CandidateRan):
        answer = replace(answer, resources=dict(on_gpu.resources))
    return answer, results


def _called(
    job: RunCandidate, tensors: Sequence[RawTensor], host: HostProcess, executor: Executor, turns: DeviceLock
) -> Result:
    """A candidate's calls: timed, profiled, or made and compared."""
    if isinstance(job, TimeCandidate):
        return time_candidate(job, tensors, host.link, executor, turns, host.stop)
    if isinstance(job, ProfileCandidate):
        return profile_candidate(job, tensors, host.link, executor, turns, host.stop)
    if job.timing is not None:
        return check_and_time(job, tensors, host.link, executor, turns, host.stop)
    return run_candidate(job, tensors, host.link, executor, turns)


def _text(value: object, limit: int = 2000) -> str:
    try:
        return str(value)[:limit]
    except Exception:  # noqa: BLE001 - a hostile __str__
        return f"<{type(value).__name__} without a text>"


def _failure(error: BaseException) -> Failed:
    """An exception as an answer."""
    if isinstance(error, UnsupportedByInterpreter | ProfilerError | DrawnOtherwiseError):
        return Failed(Failing.UNSUPPORTED, _text(error))
    if isinstance(error, KernelFault) and not isinstance(error.__cause__, MemoryError):
        told = "; ".join([_fault(error), *getattr(error, "__notes__", ())])
        return Failed(Failing.RUNTIME_ERROR, told, _diagnostic(error))
    text = _text(error)
    if isinstance(error, CheatError):
        return Failed(Failing.CHEAT, text)
    if isinstance(error, HostComputesError):
        return Failed(Failing.HOST_COMPUTES, text)
    if isinstance(error, OverwrittenError):
        return Failed(Failing.MISMATCH, text)
    if isinstance(error, HostLeftError):
        return Failed(Failing.RUNTIME_ERROR, text, left=not error.told)
    if isinstance(error, KernelRefusedError):
        place = Diagnostic(error.message, error.line, 0, kernel=error.symbol, text=error.text)
        return Failed(Failing.COMPILE_ERROR, text, place)
    if isinstance(error, CompileFailureError):
        return Failed(Failing.COMPILE_ERROR, text, Diagnostic(error.message, error.line, 0, kernel=error.kernel))
    if isinstance(error.__cause__ or error, MemoryError) or "can't allocate memory" in text or "out of memory" in text:
        return Failed(Failing.MEMORY, text)
    return Failed(Failing.RUNTIME_ERROR, f"{type(error).__name__}: {text}")


def _fault(error: KernelFault) -> str:
    if type(error) is not AccessError or not error.tensor:
        return _text(error)
    low, high = error.extent
    if low <= error.offset < high:
        return _text(error)
    side, edge = ("past the end", f"extent {high}") if error.offset >= high else ("before the start", f"start {low}")
    where = "" if error.place.function == error.kernel else f" of @{error.place.function}"
    return (
        f"kernel @{error.kernel}: {error.access} {side} of {error.tensor} at line {error.line}{where}: "
        f"offset {error.offset}, {edge}: `{error.place.text}` in program {list(error.place.program)}"
    )


def _diagnostic(error: KernelFault) -> Diagnostic:
    place = error.place
    return Diagnostic(_text(error.message), place.line, 0, text=place.text, kernel=place.kernel)


def describe(job: Describe) -> Machine:
    """What this machine is: the parts of a caliber that a child knows."""
    facts: Json = {"torch": torch.__version__, "triton": triton.__version__, "python": platform.python_version()}
    gpu = job.gpu and torch.cuda.is_available()
    if gpu:
        facts["device"] = torch.cuda.get_device_name()
        facts["capability"] = list(torch.cuda.get_device_capability())
        facts["cuda"] = torch.version.cuda
        facts["driver"] = _driver_version()
    return Machine(gpu, facts)


def _driver_version() -> str:
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.split("\n")[0].strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def compile_kernels(job: CompileKernels) -> CompiledKernels:
    """Compile offline for a target; what each kernel takes."""
    compiled = compile_module(decode_module(job.module), Target(**job.target))
    return CompiledKernels({symbol: item.resources for symbol, item in compiled.items()})


def call_named(job: CallNamed) -> Returned:
    """Call the function that the job names, under the job's limits."""
    module, _, function = job.function.partition(":")
    return Returned(getattr(importlib.import_module(module), function)(job.given))
