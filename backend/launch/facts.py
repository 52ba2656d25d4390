"""What a module's launcher tells of its kernels, found without running a kernel."""

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kernelwright.ir.errors import UserError
from kernelwright.ir.kernel.analysis.launches import KernelLaunch, Launches
from kernelwright.ir.values import KernelModule, Scalar, TensorSpec

if TYPE_CHECKING:
    from kernelwright.backend.launch.execute import Launch


def launch_facts(module: KernelModule) -> Mapping[str, Launches]:
    """Launches by kernel, those alone that are launched; {} where host code looks at the values of tensors."""
    if module.launcher is None:
        return {}
    from kernelwright.backend.launch.execute import trace_launches  # late: it needs torch

    try:
        launches = trace_launches(module)
    except UserError:
        return {}
    blocks = {kernel.symbol: {name for name, _ in kernel.meta} for kernel in module.kernels}
    found: dict[str, list[KernelLaunch]] = defaultdict(list)
    for launch in launches:
        found[launch.symbol].append(_facts(launch, blocks[launch.symbol]))
    return {symbol: Launches(tuple(all_)) for symbol, all_ in found.items()}


def _facts(launch: "Launch", blocks: set[str]) -> KernelLaunch:
    constants = {
        name: value
        for name, value in launch.constexprs.items()
        if name not in blocks and isinstance(value, int | float | str | bool)
    }
    arguments: dict[str, TensorSpec | Scalar] = {**dict(launch.args), **constants}
    return KernelLaunch(tuple(launch.grid), arguments)
