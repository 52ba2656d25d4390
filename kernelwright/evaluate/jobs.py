"""What runs in a worker's children: the reference, a compilation, a candidate's calls.

A job is a header and tensors (see `wire`); so is its answer. Every exception becomes an answer with a status;
the judge trusts none of it and compares raw outputs itself.
"""

import mmap
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable, Sequence

import torch
import triton
from torch import Tensor

from kernelwright.backend.compiler import CompileFailureError, compile_module
from kernelwright.backend.execute import CudaRuntime, Loaded, Runtime, load_module
from kernelwright.backend.faults import AccessError, KernelFault, UnsupportedByInterpreter
from kernelwright.backend.interpreter import InterpreterRuntime
from kernelwright.backend.targets import get_target
from kernelwright.backend.tensors import SHORT_DTYPES, Value
from kernelwright.evaluate.reference_job import run_reference
from kernelwright.evaluate.tensors import copy_of, from_raw, same_bits, to_raw
from kernelwright.evaluate.transport import Json, decode_module
from kernelwright.evaluate.wire import RawTensor, read_frame, write_frame
from kernelwright.ir.values import Kernel, KernelModule, Launcher, Reference, TensorSpec

Result = tuple[Json, list[RawTensor]]


_WARM_UP = """@triton.jit
def warm_up(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    y = tl.sum(tl.exp(x - tl.max(x, 0)), 0)
    tl.store(y_ptr + offsets, tl.where(x > 0, x, y), mask=offsets < n)"""


def warm_up() -> None:
    """Pay once, before any fork, for what every child needs: one thread, no TF32, the interpreter and the
    compiler set up."""
    torch.set_num_threads(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True  # else some convolutions of a reference differ from run to run
    spec = TensorSpec.contiguous("x", "f32", (8,))
    reference = Reference("", "Model", (spec,), (), (spec,))
    entry = Launcher("def forward(x):\n    y = torch.empty_like(x)\n    warm_up[(1,)](x, y, 8, 8)\n    return y")
    module = KernelModule("warm_up", reference, (Kernel("warm_up", _WARM_UP),), entry)
    load_module(module, InterpreterRuntime())([torch.ones(8)], {})
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= dict.fromkeys(("TRITON_CACHE_DIR", "KERNELWRIGHT_CACHE_DIR"), folder)
        compile_module(module, get_target("h100"))


def perform(job: mmap.mmap, output: mmap.mmap) -> None:
    """Do a job and write its answer."""
    header, tensors = read_frame(job)
    try:
        answer, results = _KINDS[header["kind"]](header, tensors)
        answer = {"status": "ok", **answer}
    except BaseException as error:  # noqa: BLE001 - the one boundary: whatever a program raises is an answer
        answer, results = _failure(error), []
    try:
        write_frame(output, answer, results, release=results)
    except ValueError as error:
        write_frame(output, {"status": "runtime_error", "detail": f"the outputs are too large: {error}"}, [])


def _text(value: object, limit: int = 2000) -> str:
    try:
        return str(value)[:limit]
    except Exception:  # noqa: BLE001 - a hostile __str__
        return f"<{type(value).__name__} without a text>"


def _failure(error: BaseException) -> Json:
    """An exception as an answer."""
    if isinstance(error, UnsupportedByInterpreter):
        return {"status": "unsupported", "detail": _text(error)}
    if isinstance(error, KernelFault) and not isinstance(error.__cause__, MemoryError):
        return {"status": "runtime_error", "detail": _fault(error), "diagnostic": _diagnostic(error)}
    text = _text(error)
    if isinstance(error, CompileFailureError):
        place = {"message": error.message, "line": error.line, "column": 0, "kernel": error.kernel}
        return {"status": "compile_error", "detail": text, "diagnostic": place}
    if isinstance(error.__cause__ or error, MemoryError) or "can't allocate memory" in text or "out of memory" in text:
        return {"status": "memory", "detail": text}
    return {"status": "runtime_error", "detail": f"{type(error).__name__}: {text}"}


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


def _diagnostic(error: KernelFault) -> Json:
    place = error.place
    return {
        "message": _text(error.message),
        "line": place.line,
        "column": 0,
        "text": place.text,
        "kernel": place.kernel,
    }


def describe(header: Json, tensors: Sequence[RawTensor]) -> Result:
    """What this machine is: the parts of a caliber that a child knows."""
    del tensors
    facts: Json = {"torch": torch.__version__, "triton": triton.__version__, "python": platform.python_version()}
    facts["tf32"] = torch.backends.cuda.matmul.allow_tf32 or torch.backends.cudnn.allow_tf32
    gpu = bool(header["gpu"]) and torch.cuda.is_available()
    if gpu:
        facts["device"] = torch.cuda.get_device_name()
        facts["capability"] = list(torch.cuda.get_device_capability())
        facts["cuda"] = torch.version.cuda
        facts["driver"] = _driver_version()
    return {"gpu": gpu, "facts": facts}, []


def _driver_version() -> str:
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.split("\n")[0].strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def compile_kernels(header: Json, tensors: Sequence[RawTensor]) -> Result:
    """Compile offline for a target; what each kernel takes."""
    del tensors
    compiled = compile_module(decode_module(header["module"]), get_target(header["target"]))
    return {"resources": {symbol: vars(item.resources) for symbol, item in compiled.items()}}, []


def call_candidate(header: Json, tensors: Sequence[RawTensor]) -> Result:
    """Make the calls asked for, one after the other, each on its own copies of the inputs and the state."""
    module = decode_module(header["module"])
    device = torch.device(header["device"])
    if device.type == "cuda":
        torch.use_deterministic_algorithms(True, warn_only=True)  # fills what torch.empty gives with NaN
    results: list[RawTensor] = []
    calls: list[Json] = []
    loaded: Loaded | None = None
    for call in header["calls"]:
        if loaded is None or (module.launcher is not None and module.launcher.form == "class"):
            runtime: Runtime = CudaRuntime() if device.type == "cuda" else InterpreterRuntime()
            loaded = load_module(module, runtime, call["weights"])
        calls.append(_call(module, loaded, call, tensors, device, results))
    return {"calls": calls}, results


def _call(
    module: KernelModule,
    loaded: Loaded,
    call: Json,
    tensors: Sequence[RawTensor],
    device: torch.device,
    results: list[RawTensor],
) -> Json:
    specs = module.reference.inputs
    given: dict[str, Value] = {}
    for spec, index in zip(specs, call["inputs"], strict=True):
        given[spec.name] = getattr(spec, "value", None) if index is None else from_raw(tensors[index], device)
    state = {name: from_raw(tensors[index], device) for name, index in call["state"].items()}
    inputs = list(given.values())
    before = {name: copy_of(value) for name, value in (given | state).items() if isinstance(value, Tensor)}
    outputs = loaded(inputs, state)
    if device.type == "cuda":
        torch.cuda.synchronize()
    places: list[int] = []
    for output in outputs:
        if not isinstance(output, Tensor) or type(output) not in (Tensor, torch.nn.Parameter):
            raise TypeError(f"output {len(places)} is {type(output).__name__}, not a tensor")
        if output.dtype not in SHORT_DTYPES or output.device.type != device.type:
            raise TypeError(f"output {len(places)} is {output.dtype} on {output.device}")
        places.append(len(results))
        results.append(to_raw(output))
    now = given | state
    modified = [name for name, value in before.items() if not same_bits(value, now[name])]  # type: ignore[arg-type]
    return {"outputs": places, "modified": modified}


_KINDS: dict[str, Callable[[Json, Sequence[RawTensor]], Result]] = {
    "describe": describe,
    "reference": run_reference,
    "compile": compile_kernels,
    "call": call_candidate,
}
