"""Rounding to TF32, as text, and where a tensor is made."""

import ast
from dataclasses import replace

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.values import KernelModule
from kernelwright.midend.analysis.launches import HostLaunch, called, find_launches, is_made_for, pointer_sum


def rounded_to_tf32(value: str) -> str:
    """An fp32 value rounded to the nearest that TF32 has; NaN stays, whatever its bits."""
    rounded = f"({value}.to(tl.int32, bitcast=True) + 4096 & -8192).to(tl.float32, bitcast=True)"
    return f"tl.where({value} == {value}, {rounded}, {value})"


def rounded_where_made(module: KernelModule, trace: HostTrace, tensor: str, reader: int) -> KernelModule | None:
    """The module in which an fp32 tensor is stored rounded: by the one launch of a kernel that does nothing else with
    it, where only the statement `reader` reads it. None where that is not so."""
    launches = list(find_launches(module, trace))
    makers = [launch for launch in launches if tensor in launch.given.values()]
    if len(makers) != 1 or makers[0].index >= reader or not is_made_for(trace, tensor, makers[0].index, reader):
        return None
    kernel = makers[0].kernel
    alone = [launch.kernel.symbol for launch in launches].count(kernel.symbol) == 1
    pointer = next(name for name, value in makers[0].given.items() if value == tensor)
    source = _storing_rounded(makers[0], pointer) if alone else None
    if source is None:
        return None
    kernels = (replace(one, source=source) if one.symbol == kernel.symbol else one for one in module.kernels)
    return replace(module, kernels=tuple(kernels))


def _storing_rounded(launch: HostLaunch, pointer: str) -> str | None:
    """The kernel's text; None where it does anything but store values by this pointer."""
    function = launch.function
    stores = [node for node in ast.walk(function) if isinstance(node, ast.Call) and called(node, "tl.store")]
    stores = [store for store in stores if pointer_sum(store.args[0], pointer) is not None]
    named = sum(isinstance(node, ast.Name) and node.id == pointer for node in ast.walk(function))
    if not stores or named != len(stores) or not all(isinstance(store.args[1], ast.Name) for store in stores):
        return None
    for store in stores:
        store.args[1] = ast.parse(rounded_to_tf32(ast.unparse(store.args[1])), mode="eval").body
    return ast.unparse(ast.fix_missing_locations(function))
