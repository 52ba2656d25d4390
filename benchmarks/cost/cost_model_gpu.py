"""Time single kernel launches on this machine's GPU, for `cost_model.py`."""

import math
import statistics
import subprocess
from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
import triton
from torch import Tensor
from triton import MockTensor
from triton.compiler import CompilationError
from triton.runtime.errors import OutOfResources

from kernelwright.backend.launch.execute import Launch
from kernelwright.backend.launch.jit import load_kernels
from kernelwright.backend.tensors import TORCH_DTYPES
from kernelwright.ir.values import KernelModule, TensorSpec

#: Samples of one time: as many as fit into so many milliseconds, within bounds.
BUDGET_MS, LEAST, MOST = 30.0, 2, 40
#: Bytes that are overwritten before each sample, which empties the L2 cache and keeps the queue filled.
FLUSH = 2**28
#: Elements after each tensor that a kernel may touch without harm.
SLACK = 2**14


def arguments(launch: Launch) -> dict[str, Any]:
    """The launch's arguments on the GPU: normal floats, zeros for integers (an index of 0 is always valid)."""
    torch.manual_seed(0)
    return {name: _tensor(launch, v) if isinstance(v, TensorSpec) else v for name, v in launch.args}


def _tensor(launch: Launch, spec: TensorSpec) -> Tensor:
    last = sum((size - 1) * stride for size, stride in zip(spec.shape, spec.strides, strict=True))
    buffer = torch.empty(last + 1 + SLACK, dtype=TORCH_DTYPES[spec.dtype], device="cuda")
    buffer = buffer.normal_() if buffer.is_floating_point() else buffer.zero_()
    return buffer[1:] if spec.name in launch.misaligned else buffer


def warm_up(module: KernelModule, launch: Launch) -> str:
    """Compile for this launch into Triton's cache on disk; what went wrong, or an empty string."""
    given = {n: MockTensor(TORCH_DTYPES[v.dtype]) if isinstance(v, TensorSpec) else v for n, v in launch.args}
    kernel = load_kernels(module, launch.symbol)[launch.symbol]
    try:
        kernel.warmup(**given, **launch.constexprs, **launch.options, grid=launch.grid)
    except Exception as error:  # noqa: BLE001  (Triton raises anything; this is the boundary to it)
        return f"{type(error).__name__}: {str(error)[:200]}"
    return ""


@cache
def _flushed() -> Tensor:
    return torch.empty(FLUSH, dtype=torch.int8, device="cuda")


def measure_us(module: KernelModule, launch: Launch, given: Mapping[str, Any]) -> dict[str, float]:
    """Device microseconds of one launch: the median, the quartiles' distance as a share of it, the samples.

    Infinite where Triton refuses the launch. Raises RuntimeError where the device is lost.
    """
    kernel = load_kernels(module, launch.symbol)[launch.symbol]

    def call() -> None:
        kernel[launch.grid](**given, **launch.constexprs, **launch.options)

    try:
        call()
        torch.cuda.synchronize()
    except (OutOfResources, CompilationError):
        return {"measured_us": math.inf}
    samples = _samples_us(call, LEAST)
    count = min(int(BUDGET_MS * 1e3 / samples[0]), MOST)
    if count > len(samples):
        samples = _samples_us(call, count)
    low, middle, high = statistics.quantiles(samples, n=4)
    return {"measured_us": round(middle, 3), "spread": round((high - low) / middle, 4), "samples": len(samples)}


def _samples_us(call: Any, count: int) -> list[float]:
    """Times of launches from a queue: the host is ahead of the device, as a flush takes longer than a launch."""
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
    torch.cuda.synchronize()
    for _ in range(2):
        _flushed().zero_()
    for start, end in events:
        _flushed().zero_()
        start.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return [1e3 * start.elapsed_time(end) for start, end in events]


def caliber() -> dict[str, Any]:
    """What this machine is, as far as times depend on it."""
    query = ["nvidia-smi", "--query-gpu=driver_version,clocks.max.sm", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip().splitlines()
    return {
        "device": torch.cuda.get_device_name(),
        "driver": answer[0].split(", ")[0] if answer else "unknown",
        "torch": torch.__version__,
        "triton": triton.__version__,
        "tf32": {"matmul": torch.backends.cuda.matmul.allow_tf32, "cudnn": torch.backends.cudnn.allow_tf32},
        "trials": f"{LEAST} to {MOST} samples a time, each behind a flush of the L2 cache; the median counts",
    }
