"""The kernels of a running model in the order of what faster ones could save."""

import math
from collections.abc import Mapping, Sequence

import torch
from torch.fx import GraphModule
from torch.utils.flop_counter import FlopCounterMode

from kernelwright.backend.targets import get_target
from kernelwright.driver.optimize.result import Kernel
from kernelwright.driver.optimize.running import Running
from kernelwright.frontend.swap.graphs import RecordedGraph
from kernelwright.frontend.swap.key import read
from kernelwright.frontend.swap.recorded import Recorded

#: Calls of the model by which its kernels are ranked; medians count.
CALLS = 5
#: Libraries' products, and the share of what they could gain that is hoped for where they are of 16 bits: a judgement,
#: as of those that were searched none was beaten.
PRODUCTS, HARD = ("extern_kernels.mm", "extern_kernels.bmm", "extern_kernels.addmm"), 0.1
#: What a target calls the types of products; those of fp32 may be TF32.
_OPERANDS = {torch.bfloat16: "bf16", torch.float16: "f16"}
#: A kernel with the graph that it is of.
Recording = tuple[Recorded, RecordedGraph]


def recordings(graphs: Sequence[RecordedGraph]) -> Mapping[str, Recording]:
    """Each kernel with its graph, by key; of several with a key one that has a problem."""
    found: dict[str, Recording] = {}
    for graph in graphs:
        for kernel in graph.kernels:
            key = kernel.sized_key
            if key and (key not in found or found[key][0].graph is None):
                found[key] = kernel, graph
    return found


def ranked(running: Running, target: str) -> tuple[dict[str, Kernel], float]:
    """The kernels by key, those from which most is hoped for first, and the microseconds of the whole model.

    What a kernel could gain is its time in the running model, less what moving its buffers once takes at least, or what
    the products of a library's call do; and no launch takes less than that of a kernel that does nothing.
    """
    model_us = sorted(running.model_us() for _ in range(CALLS))[CALLS // 2]
    calls, recorded, found = [running.times(running.places) for _ in range(CALLS)], recordings(running.graphs), []
    for key in running.places:
        us, launches = sorted(times[key] for times in calls)[CALLS // 2]
        kernel, _ = recorded[key]
        gain_us = max(0.0, us - launches * max(running.watch.launch_us, _floor_us(kernel, target)))
        found.append(Kernel(key, kernel.name, "not reached", "", launches, us, gain_us))
    ordered = sorted(found, key=lambda one: -one.gain_us * hope(recorded[one.key][0]))
    return {one.key: one for one in ordered}, model_us


def hope(recorded: Recorded) -> float:
    """The share of what a faster kernel could save by which kernels share the time: all of it, but of products of 16
    bits, for which libraries are hard to beat."""
    product = recorded.source and read(recorded.source).library.startswith(PRODUCTS)
    return HARD if product and recorded.layouts[recorded.inputs[0]].dtype in _OPERANDS else 1.0


def fits_in_cache(kernel: Recorded, target: str) -> bool:
    """Whether the L2 holds all that a kernel reads and writes: in a model it then finds there what came before it."""
    return _moved_bytes(kernel) < get_target(target).l2_mb * 1e6


def _floor_us(kernel: Recorded, target: str) -> float:
    """What moving a kernel's buffers takes at least, and what the products of a library's call do."""
    device = get_target(target)
    if not device.bandwidth_gb_s:
        return 0.0
    moving = _moved_bytes(kernel) / device.bandwidth_gb_s / 1e3
    text = read(kernel.source)
    if not text.library or kernel.graph is None:
        return moving
    operand = _OPERANDS.get(kernel.layouts[kernel.inputs[0]].dtype, text.numerics.replace("ieee", "f32"))
    return max(moving, _flops(kernel, kernel.graph) / device.peak_tflops(operand) / 1e6)


def _flops(kernel: Recorded, graph: GraphModule) -> int:
    """The floating-point operations of a kernel's graph."""
    layouts = [kernel.layouts[name] for name in kernel.inputs]
    given = [torch.empty_strided(one.shape, one.strides, dtype=one.dtype, device="meta") for one in layouts]
    with FlopCounterMode(display=False) as counted:
        graph(*given)
    return int(counted.get_total_flops())


def _moved_bytes(kernel: Recorded) -> int:
    layouts = [layout for one in kernel.arguments for layout in one.layouts.values()]
    return sum(math.prod(layout.shape) * layout.dtype.itemsize for layout in layouts)
