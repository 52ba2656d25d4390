"""Rounding to TF32, as text, and where a tensor is made."""

import ast
from dataclasses import replace

from kernelwright.backend.host_trace import HostTrace
from kernelwright.ir.values import KernelModule
from kernelwright.midend.launches import HostLaunch, called, find_launches, names_in, pointer_sum


def to_tf32(value: str) -> str:
    """An fp32 value rounded to the nearest that TF32 has; NaN stays, whatever its bits."""
    rounded = f"({value}.to(tl.int32, bitcast=True) + 4096 & -8192).to(tl.float32, bitcast=True)"
    return f"tl.where({value} == {value}, {rounded}, {value})"


def rounded_where_made(module: KernelModule, trace: HostTrace, tensor: str, reader: int) -> KernelModule | None:
    """The module in which an fp32 tensor is stored rounded: by the one launch of a kernel that does nothing else with
    it, where only the statement `reader` reads it. None where that is not so."""
    launches = [launch for launch in find_launches(module, trace) if tensor in launch.given.values()]
    if len(launches) != 1 or launches[0].index >= reader or not _used_by(trace, tensor, launches[0].index, reader):
        return None
    launch = launches[0]
    alone = [one.kernel.symbol for one in find_launches(module, trace)].count(launch.kernel.symbol) == 1
    pointers = [name for name, value in launch.given.items() if value == tensor]
    source = _storing_rounded(launch, pointers[0]) if alone and len(pointers) == 1 else None
    if source is None:
        return None
    kernels = (replace(k, source=source) if k.symbol == launch.kernel.symbol else k for k in module.kernels)
    return replace(module, kernels=tuple(kernels))


def _used_by(trace: HostTrace, tensor: str, *indices: int) -> bool:
    """Whether a tensor is made here, and used by these statements alone, once by each."""
    if not tensor.isidentifier():
        return False
    made = [i for i, s in enumerate(trace.statements) if ast.unparse(s).startswith(f"{tensor} = torch.empty_strided(")]
    users = [i for i, s in enumerate(trace.statements) if tensor in names_in(s) and not isinstance(s, ast.Delete)]
    return len(made) == 1 and users == [*made, *indices]


def _storing_rounded(launch: HostLaunch, pointer: str) -> str | None:
    """The kernel's text; None where it does anything but store values by this pointer."""
    function = launch.function
    stores = [node for node in ast.walk(function) if isinstance(node, ast.Call) and called(node, "tl.store")]
    stores = [store for store in stores if pointer_sum(store.args[0], pointer) is not None]
    named = sum(isinstance(node, ast.Name) and node.id == pointer for node in ast.walk(function))
    if not stores or named != len(stores) or not all(isinstance(store.args[1], ast.Name) for store in stores):
        return None
    for store in stores:
        store.args[1] = ast.parse(to_tf32(ast.unparse(store.args[1])), mode="eval").body
    return ast.unparse(ast.fix_missing_locations(function))
