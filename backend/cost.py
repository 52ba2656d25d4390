"""A cost model: what a module should take on a target, without running it.

One kernel launch takes LAUNCH_US and then the longest of six times, plus a little of the others to tell ties apart:

    memory    bytes that must come from or go to DRAM / bandwidth; a tensor counts once however often it is read
    cache     bytes that all programs ask for, in whole sectors, wasted ones twice, and spills / L2 bandwidth
    issue     instructions by lane / the lanes of the multiprocessors that have a program
    products  FLOPs of `tl.dot` / the tensor cores' rate
    dispatch  programs that one multiprocessor starts, one after another x DISPATCH_US
    latency   waves x (start of a program + waits for memory one after another + reductions across threads)

where waves are programs over what is resident at the occupancy that registers, shared memory and threads allow,
and a thread that loads many elements at once waits several times. The program's share comes from its TTIR (see
`work`), the resources from its machine code. Extern operations take the longer of bytes / bandwidth and
FLOPs / peak at LIBRARY_SHARE, by the dtype and PyTorch's defaults (fp32 products without TF32, convolutions with it).

The constants were fitted to 189 measurements of nine hand-written kernels (pointwise, row and column reductions,
products) on one H200, where the model is off by 14% on average. On nine programs lowered by Inductor that it was not
fitted to (`benchmarks/cost_model.py`, options good and bad) it is off by 19%, and the options that it likes best take
between 1.00 and 1.33 times as long as the best. On other targets nothing was measured.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import torch

from kernelwright.backend.compiler import Compiled, compile_launch
from kernelwright.backend.execute import Launch, trace_launches
from kernelwright.backend.extern import ExternCall, ExternTrace
from kernelwright.backend.targets import Target
from kernelwright.backend.work import Work, work_of
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import DTYPES, KernelModule, Resources, TensorSpec

#: Microseconds: to launch a kernel behind another, to start and end a program, to wait for DRAM, to meet at a barrier,
#: and between the starts of two programs on one multiprocessor.
LAUNCH_US, PROGRAM_US, LATENCY_US, SYNC_US, DISPATCH_US = 4.0, 0.6, 0.7, 0.05, 0.08
#: Shares of the published rates that a plain copy, a library and a good `tl.dot` loop reach.
COPY_SHARE, LIBRARY_SHARE, DOT_SHARE = 0.88, 0.75, 0.75
#: Bytes a clock that one multiprocessor draws from L2, and lanes that issue at each clock.
L2_BYTES_CLOCK, LANES = 32, 128
#: Resident warps from which a multiprocessor issues at its full rate; bytes that a thread can wait for at once.
FULL_WARPS, THREAD_BYTES = 4, 48
#: How often a spilled byte is moved in each round of a loop.
SPILL_MOVES = 16
#: How much of the times that are not the longest shows.
EXPOSED = 0.02


@dataclass(frozen=True)
class LaunchCost:
    """Microseconds of one launch, what bounds it, and what it moves and computes."""

    us: float
    bound: str
    bytes: int
    flops: int


@dataclass(frozen=True)
class Estimate:
    """Microseconds for one call, with what they are made of: bytes moved, FLOPs, launches, time and bound by kernel."""

    us: float
    bytes: int
    flops: int
    launches: int
    extern_us: float = 0.0
    kernels_us: Mapping[str, float] = field(default_factory=dict)
    bounds: Mapping[str, str] = field(default_factory=dict)
    obtained: str = "cost model"


def estimate(module: KernelModule, target: Target) -> Estimate:
    """The cost of one call of the module.

    Raises UserError where the target is no GPU, CompileFailureError for a kernel that Triton rejects.
    """
    if not target.is_gpu:
        raise UserError(f"target {target.name!r} has no cost model; choose a GPU such as h100")
    with ExternTrace() as trace:
        launches = trace_launches(module)
    kernels: dict[str, float] = {}
    bounds: dict[str, str] = {}
    costs = [launch_cost(launch, compile_launch(module, launch, target), target) for launch in launches]
    for launch, cost in zip(launches, costs, strict=True):
        kernels[launch.symbol] = kernels.get(launch.symbol, 0.0) + cost.us
        bounds[launch.symbol] = cost.bound
    extern_us = sum(extern_us_of(trace.calls, target))
    return Estimate(
        us=sum(kernels.values()) + extern_us,
        bytes=sum(cost.bytes for cost in costs) + sum(call.bytes for call in trace.calls),
        flops=sum(cost.flops for cost in costs) + sum(call.flops for call in trace.calls),
        launches=len(launches) + len(trace.calls),
        extern_us=extern_us,
        kernels_us=kernels,
        bounds=bounds,
    )


def launch_cost(launch: Launch, compiled: Compiled, target: Target) -> LaunchCost:
    """The cost of one launch of a compiled kernel; infinite where not one program fits a multiprocessor."""
    threads, programs = 32 * compiled.num_warps, math.prod(launch.grid)
    work = work_of(compiled.ttir, launch, threads)
    moved = _memory_bytes(launch, work, programs)
    flops = int(programs * (work.flops + sum(work.products.values())))
    if programs == 0:
        return LaunchCost(LAUNCH_US, "launch", 0, 0)
    resident = programs_per_sm(compiled.resources, threads, target)
    if resident == 0:
        return LaunchCost(math.inf, "occupancy", moved, flops)
    times = _times(launch, work, compiled, target, moved, resident)
    bound = max(times, key=lambda name: times[name])
    longest = times[bound]
    us = LAUNCH_US + longest + EXPOSED * (sum(times.values()) - longest)
    return LaunchCost(us, bound if longest > LAUNCH_US else "launch", moved, flops)


def _times(
    launch: Launch, work: Work, compiled: Compiled, target: Target, moved: int, resident: int
) -> dict[str, float]:
    """Microseconds by each of the six reckonings."""
    threads, programs = 32 * compiled.num_warps, math.prod(launch.grid)
    clock = target.clock_ghz * 1e3  # clocks a microsecond
    busy = min(programs, target.sm_count)
    each = math.ceil(programs / target.sm_count)  # programs of the busiest multiprocessor
    l2_rate = L2_BYTES_CLOCK * clock * busy
    warps = min(resident, each) * compiled.num_warps
    asked = sum(work.loaded.values()) + sum(work.stored.values())
    spilled = SPILL_MOVES * compiled.resources.spill_bytes * threads * max(work.rounds, 1)
    if work.products:  # loads that feed products are fetched ahead, one round for each stage but the last
        rounds = work.rounds / max(int(launch.options.get("num_stages", 3)) - 1, 1)
    else:
        rounds = work.rounds * max(asked / max(work.rounds, 1) / threads / THREAD_BYTES, 1)
    waves = math.ceil(programs / (resident * target.sm_count))
    return {
        "memory": moved / min(target.bandwidth_gb_s * 1e3 * COPY_SHARE, l2_rate),
        "cache": programs * (asked + work.wasted + spilled) / l2_rate,
        "issue": each * work.lane_ops / (LANES * clock * min(1.0, warps / FULL_WARPS)),
        "products": each * sum(f / product_rate(k, target) for k, f in work.products.items()) * target.sm_count,
        "dispatch": each * DISPATCH_US,
        "latency": waves * (PROGRAM_US + rounds * LATENCY_US + work.syncs * SYNC_US),
    }


def product_rate(operand: str, target: Target) -> float:
    """FLOPs a microsecond of `tl.dot` on the whole chip, by operand type."""
    rates = {"f16": target.bf16_tflops, "bf16": target.bf16_tflops, "tf32": target.tf32_tflops}
    rates |= {"f32": target.fp32_tflops, "f64": target.fp32_tflops / 2}
    return rates.get(operand, 2 * target.bf16_tflops) * 1e6 * DOT_SHARE  # eight-bit types: twice as fast as sixteen


def _memory_bytes(launch: Launch, work: Work, programs: int) -> int:
    """DRAM traffic: a tensor is read and written once at most, and no more than what programs ask for."""
    total = 0.0
    for per_program in (work.loaded, work.stored):
        for index, asked in per_program.items():
            spec = launch.args[index][1] if index >= 0 else None
            held = storage_bytes(spec) if isinstance(spec, TensorSpec) else math.inf
            total += min(programs * asked, held)
    return math.ceil(total)


def storage_bytes(spec: TensorSpec) -> int:
    """Bytes of the distinct elements: a size whose stride is zero counts once."""
    sizes = [size for size, stride in zip(spec.shape, spec.strides, strict=True) if stride]
    return math.prod(sizes) * DTYPES[spec.dtype][2] if 0 not in spec.shape else 0


def programs_per_sm(taken: Resources, threads: int, target: Target) -> int:
    """Programs that are resident together on one multiprocessor. Registers go to warps in units of 256."""
    per_warp = math.ceil(max(taken.registers, 1) * 32 / 256) * 256
    limits = [
        target.registers_per_sm // (per_warp * (threads // 32)),
        target.max_threads_per_sm // threads,
        target.max_blocks_per_sm,
    ]
    if taken.shared_bytes:
        limits.append(target.shared_kb_per_sm * 1024 // (taken.shared_bytes + 1024))  # 1 KB is the system's
    return min(limits)


def extern_us_of(calls: Iterable[ExternCall], target: Target) -> list[float]:
    """Microseconds of each extern operation."""
    rates = {torch.float16: target.bf16_tflops, torch.bfloat16: target.bf16_tflops}
    times = []
    for call in calls:
        rate = rates.get(call.dtype, target.fp32_tflops)
        if "conv" in call.name and call.dtype is torch.float32:
            rate = target.tf32_tflops
        if call.dtype is torch.float64:
            rate = target.fp32_tflops / 2
        memory_us = call.bytes / (target.bandwidth_gb_s * 1e3 * COPY_SHARE)
        times.append(LAUNCH_US + max(memory_us, call.flops / (rate * 1e6 * LIBRARY_SHARE)))
    return times
