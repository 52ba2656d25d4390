"""The kernels of a running model in the order of what faster ones could save."""

import math
from collections.abc import Mapping, Sequence

from kernelwright.backend.targets import get_target
from kernelwright.driver.optimize.result import Kernel
from kernelwright.driver.optimize.running import Running
from kernelwright.frontend.swap.graphs import RecordedGraph
from kernelwright.frontend.swap.recorded import Recorded

#: Calls of the model by which its kernels are ranked; medians count.
CALLS = 5
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
    """The kernels by key, those with most to gain first, and the microseconds of the whole model.

    What a kernel could gain is its time in the running model, less what moving its buffers once takes at least.
    """
    model_us = sorted(running.model_us() for _ in range(CALLS))[CALLS // 2]
    calls, recorded, found = [running.times(running.places) for _ in range(CALLS)], recordings(running.graphs), []
    for key in running.places:
        us, launches = sorted(times[key] for times in calls)[CALLS // 2]
        kernel, _ = recorded[key]
        gain_us = max(0.0, us - launches * _floor_us(kernel, target))
        found.append(Kernel(key, kernel.name, "not reached", "", launches, us, gain_us))
    return {one.key: one for one in sorted(found, key=lambda one: -one.gain_us)}, model_us


def fits_in_cache(kernel: Recorded, target: str) -> bool:
    """Whether the L2 holds all that a kernel reads and writes: in a model it then finds there what came before it."""
    return _moved_bytes(kernel) < get_target(target).l2_mb * 1e6


def _floor_us(kernel: Recorded, target: str) -> float:
    """What moving a kernel's buffers takes at least."""
    bandwidth = get_target(target).bandwidth_gb_s
    return _moved_bytes(kernel) / bandwidth / 1e3 if bandwidth else 0.0


def _moved_bytes(kernel: Recorded) -> int:
    layouts = [layout for one in kernel.arguments for layout in one.layouts.values()]
    return sum(math.prod(layout.shape) * layout.dtype.itemsize for layout in layouts)
