"""A cost model: what a module should take on a target, without running it.

One kernel launch takes LAUNCH_US and then the times below together, as a norm of them in which the longest rules:

    memory    bytes that must come from or go to DRAM / bandwidth; a tensor counts once, and again as far as the L2
              cache cannot hold what programs that run together load before a later loop of theirs loads it again;
              sectors that a store fills in part count more, and so does all where much is asked for at once
    cache     sectors that L2 delivers, and as much for each line asked for / its bandwidth; L1 serves what several
              instructions of a program share, as far as it holds what resident programs load in a round, and small
              tensors that it holds as a whole; what a warp asks for again is on its way yet if a thread has, and has
              left, registers for all that it loads in a round
    local     sectors by instruction, and spills / the bandwidth of L1
    exchange  wavefronts of shared memory in which warps exchange what they reduced, bank conflicts included
    issue     instructions by lane / the lanes of the multiprocessors that have a program, and a share of the latency
    products  FLOPs of `tl.dot` / the tensor cores' rate
    dispatch  programs that one multiprocessor starts, one after another x DISPATCH_US
    latency   waves x (start of a program + waits for memory one after another + reductions across threads)

where waves are programs over what is resident at the occupancy that registers, shared memory and threads allow,
and a thread that loads many elements at once waits several times, more often where registers run out. The program's
share comes from its TTIR and the layouts of its TTGIR (see `work`, `access`, `exchange`), its instructions from the PTX
where that has no loop (see `instructions`), the resources from its machine code. Extern
operations take the longer of bytes / bandwidth and FLOPs / peak at LIBRARY_SHARE, by the dtype and PyTorch's defaults
(fp32 products without TF32, convolutions with it).

The constants are the same for all programs. They were fitted on one H200, first to 189 measurements of nine
hand-written kernels, then to 509 of kernels that Inductor makes of every second of 86 KernelBench problems. Which
terms there are was decided with all 1021 in view, but for these, for which only the 509 were looked at: exchange,
instructions from PTX, the share of latency, sectors filled in part, crowding and tensors kept in L1. That sectors are
on their way yet was seen in maxima among the 509, and that registers decide it in a sum among the others.
benchmarks/results/cost/cost_model_h200.json has the figures for either half (`python -m benchmarks.cost.cost_model`).
On other targets nothing was measured.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import torch

from kernelwright.backend.compile.compiled import Compiled
from kernelwright.backend.compile.compiler import compile_launch
from kernelwright.backend.cost.access import LINE, SECTOR, layouts_of
from kernelwright.backend.cost.exchange import reductions_of
from kernelwright.backend.cost.extern import ExternCall, ExternTrace
from kernelwright.backend.cost.instructions import lanes_of
from kernelwright.backend.cost.work import Work, work_of
from kernelwright.backend.launch.execute import Launch, trace_launches
from kernelwright.backend.targets import MOST_REGISTERS, Target
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import INNER_DTYPES, KernelModule, Resources, TensorSpec

#: Microseconds: to launch a kernel behind another, to start and end a program, to wait for DRAM, to meet at a barrier,
#: and between the starts of two programs on one multiprocessor.
LAUNCH_US, PROGRAM_US, LATENCY_US, SYNC_US, DISPATCH_US = 4.0, 0.3, 0.6, 0.2, 0.075
#: Shares of the published rates that a plain copy, a library and a good `tl.dot` loop reach.
COPY_SHARE, LIBRARY_SHARE, DOT_SHARE = 0.88, 0.75, 0.75
#: Bytes a clock that one multiprocessor draws from L2 and from L1, and lanes that issue at each clock.
L2_BYTES_CLOCK, L1_BYTES_CLOCK, LANES = 36, 90, 110
#: The share of L2 that holds data for later loops; the part of L1 that shared memory cannot have.
L2_SHARE, L1_EXTRA_KB = 0.4, 28
#: Resident warps from which a multiprocessor issues at its full rate.
FULL_WARPS = 8
#: Bytes that a thread can wait for at once: at least, and at most, where it has as many registers left.
LEAST_BYTES, THREAD_BYTES = 24, 128
#: How often a spilled byte is moved in each round of a loop.
SPILL_MOVES = 4
#: The norm in which times add up: 1 would be their sum, infinity the longest.
NORM = 6
#: DRAM gives its full rate while a contiguous piece that a program loads, and what all programs of a multiprocessor
#: load in a round, are at most these bytes; each doubling of either beyond adds this share to the time.
PIECE_BYTES, FLIGHT_BYTES, CROWDING = 2**11, 2**15, 0.01
#: Sectors that memory moves besides for one that a program writes in part: it is read, merged and checked.
PART_SECTORS = 3
#: The share of L1 that tensors may fill which stay there for all programs of a multiprocessor.
KEPT_SHARE = 0.5
#: Clocks for each wavefront of shared memory.
EXCHANGE_CLOCKS = 1.2
#: The share of a program's latency in which no other program computes.
BARE_SHARE = 0.2


@dataclass(frozen=True)
class LaunchCost:
    """Microseconds of one launch, what bounds it, and what it moves and computes; `products`: those of the FLOPs that
    are of `tl.dot`, by operand type."""

    us: float
    bound: str
    bytes: int
    flops: int
    products: Mapping[str, int] = field(default_factory=dict)


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
    work = work_of(compiled.ttir, launch, threads, layouts_of(compiled.ttgir), reductions_of(compiled.ttgir))
    resident = programs_per_sm(compiled.resources, threads, target)
    moved = _memory_bytes(launch, work, programs, resident * target.sm_count, target)
    flops = int(programs * (work.flops + sum(work.products.values())))
    products = {kind: int(programs * done) for kind, done in work.products.items()}
    if programs == 0:
        return LaunchCost(LAUNCH_US, "launch", 0, 0)
    if resident == 0:
        return LaunchCost(math.inf, "occupancy", moved, flops, products)
    times = _times(launch, work, compiled, target, moved, resident)
    bound = max(times, key=lambda name: times[name])
    together = sum(time**NORM for time in times.values()) ** (1 / NORM)
    return LaunchCost(LAUNCH_US + together, bound if times[bound] > LAUNCH_US else "launch", moved, flops, products)


def _times(
    launch: Launch, work: Work, compiled: Compiled, target: Target, moved: int, resident: int
) -> dict[str, float]:
    """Microseconds by each of the eight reckonings."""
    threads, programs = 32 * compiled.num_warps, math.prod(launch.grid)
    clock = target.clock_ghz * 1e3  # clocks a microsecond
    each = math.ceil(programs / target.sm_count)  # programs of the busiest multiprocessor
    together = min(resident, each)
    l2_rate = L2_BYTES_CLOCK * clock * min(programs, target.sm_count)
    memory_rate = min(target.bandwidth_gb_s * 1e3 * COPY_SHARE, l2_rate)
    spilled = SPILL_MOVES * compiled.resources.spill_bytes * threads * max(work.rounds, 1)
    held = (target.shared_kb_per_sm + L1_EXTRA_KB) * 1024 - together * compiled.resources.shared_bytes
    kept = kept_bytes(launch, work, each, held)
    alone = lanes_of(compiled.ptx)
    lanes = work.lane_ops if alone is None else alone * threads
    lane_rate = LANES * clock * min(1.0, together * compiled.num_warps / FULL_WARPS)
    waves = math.ceil(programs / (resident * target.sm_count))
    waits = _waits(launch, work, compiled, target)
    latency = waves * (PROGRAM_US + waits * LATENCY_US + work.syncs * SYNC_US)
    return {
        "memory": (moved + programs * work.partly * PART_SECTORS * SECTOR) * crowding(work, together) / memory_rate,
        "cache": programs * _l2_bytes(work, compiled, target, spilled, kept, held, together) / l2_rate,
        "local": each * (work.requested + spilled) / (L1_BYTES_CLOCK * clock),
        "exchange": each * work.exchanged * EXCHANGE_CLOCKS / clock,
        "issue": each * lanes / lane_rate + BARE_SHARE * latency,
        "products": each * sum(f / product_rate(k, target) for k, f in work.products.items()) * target.sm_count,
        "dispatch": each * DISPATCH_US,
        "latency": latency,
    }


def _waits(launch: Launch, work: Work, compiled: Compiled, target: Target) -> float:
    """How often one program waits for memory, one time after another."""
    if work.products:  # loads that feed products are fetched ahead, one round for each stage but the last
        return work.rounds / max(int(launch.options.get("num_stages", 3)) - 1, 1)
    asked, left = _in_a_round(work, compiled, target)
    return work.rounds * max(asked / min(max(left, LEAST_BYTES), THREAD_BYTES), 1)


def _in_a_round(work: Work, compiled: Compiled, target: Target) -> tuple[float, int]:
    """Bytes that one thread asks for in a round, and bytes of registers that it has left for them."""
    threads = 32 * compiled.num_warps
    left = 4 * (min(target.registers_per_sm // threads, MOST_REGISTERS) - compiled.resources.registers)
    return work.used / max(work.rounds, 1) / threads, left


def crowding(work: Work, together: int) -> float:
    """How much longer DRAM takes for the loads of a multiprocessor's programs where they open many of its rows."""
    loaded = sum(work.loaded.values())
    piece, flight = loaded / max(work.stretches, 1), together * loaded / max(work.rounds, 1)
    return 1 + CROWDING * math.log2(max(piece * flight / (PIECE_BYTES * FLIGHT_BYTES), 1))


def _l2_bytes(
    work: Work, compiled: Compiled, target: Target, spilled: float, kept: float, held: float, together: int
) -> float:
    """Bytes that L2 delivers to one program, and as many for each line that they are asked for by.

    L1 holds `held` bytes for `together` programs, and has `kept` of what one of them loads from others before it.
    """
    if not work.requested:
        return spilled
    # Lines are what L1 keeps: the fewer of their sectors are used, the less it holds.
    sparse = max(work.lines * LINE / work.requested, 1)
    round_bytes = work.touched / max(work.rounds, 1)
    asked, left = _in_a_round(work, compiled, target)
    at_once = asked <= min(left, 4 * compiled.resources.registers)
    again = (work.own if at_once else work.requested) - work.touched
    missed = work.touched + _beyond(held, together * round_bytes * sparse) * max(again, 0)
    spills = spilled * _beyond(held, together * compiled.resources.spill_bytes * 32 * compiled.num_warps)
    return (missed - kept) * (1 + work.lines * SECTOR / work.requested) + spills


def kept_bytes(launch: Launch, work: Work, each: int, held: float) -> float:
    """Bytes that L1 has for one of the `each` programs of a multiprocessor, of tensors that it holds as a whole."""
    sizes = {index: _size(launch, index) for index in work.loaded}
    small = {index: size for index, size in sizes.items() if size <= KEPT_SHARE * held}
    if sum(small.values()) > KEPT_SHARE * held:
        return 0.0
    return sum(max(work.loaded[index] - size / each, 0.0) for index, size in small.items())


def _size(launch: Launch, index: int) -> float:
    """Bytes of a tensor by the index of its argument; infinite where it is not known which tensor is meant."""
    spec = launch.args[index][1] if index >= 0 else None
    return storage_bytes(spec) if isinstance(spec, TensorSpec) else math.inf


def _beyond(held: float, wanted: float) -> float:
    """The share of `wanted` bytes that a cache which holds `held` misses when they are used again."""
    return max(1 - held / wanted, 0.0) if wanted else 0.0


def product_rate(operand: str, target: Target) -> float:
    """FLOPs a microsecond of `tl.dot` on the whole chip, by operand type."""
    return target.peak_tflops(operand) * 1e6 * DOT_SHARE


def _memory_bytes(launch: Launch, work: Work, programs: int, together: int, target: Target) -> int:
    """DRAM traffic of a launch of which `together` programs run at a time.

    A tensor is read and written once at most, and no more than what programs ask for; and what they load again in a
    later loop, as far as L2 has lost it.
    """
    held = L2_SHARE * target.l2_mb * 2**20
    lost = _beyond(held, min(together, programs) * sum(work.loaded.values()))
    total = 0.0
    for per_program in (work.loaded, work.stored):
        for index, asked in per_program.items():
            size = _size(launch, index)
            once = min(programs * asked, size)
            total += once
            if per_program is work.loaded and size > held and asked:
                total += lost * once * work.reloaded.get(index, 0.0) / asked
    return math.ceil(total)


def storage_bytes(spec: TensorSpec) -> int:
    """Bytes of the distinct elements: a size whose stride is zero counts once."""
    sizes = [size for size, stride in zip(spec.shape, spec.strides, strict=True) if stride]
    return math.prod(sizes) * INNER_DTYPES[spec.dtype][2] if 0 not in spec.shape else 0


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
