"""`torch.compile(model, backend="kernelwright")`: Inductor compiles, and verified kernels stand where its own stood.

Fusion, memory planning, CUDA graphs, dynamic sizes, autograd and caches stay Inductor's. Each kernel that it loads is
looked up in the store of replacements; `regions()` tells, graph by graph, what runs and why. Nothing is searched for
and no model is asked while a graph is compiled.
"""

from kernelwright.driver.torch_compile.record import Region, Swap, regions, reset

__all__ = ["Region", "Swap", "regions", "reset"]
