"""What a module's launcher tells of its kernels, found without running a kernel."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from kernelwright.ir.errors import UserError
from kernelwright.ir.kernel.analysis.launches import KernelLaunch, Launches
from kernelwright.ir.values import KernelModule, Scalar, TensorSpec

if TYPE_CHECKING:
    from kernelwright.backend.launch.execute import Launch

#: Modules whose launches are kept: the passes that are tried on a module all ask for them.
_REMEMBERED = 64
#: What launch options that are no block sizes begin with.
_OPTIONS = ("num_", "maxnreg")


@lru_cache(maxsize=_REMEMBERED)
def launch_facts(module: KernelModule) -> Mapping[str, Launches]:
    """Launches by kernel, those alone that are launched; {} where host code looks at the values of tensors.

    A number that host code works out from block sizes, such as how many parts a row has, is none of them: tuning
    changes it.
    """
    blocks = {kernel.symbol: {name for name, _ in kernel.meta} for kernel in module.kernels}
    launches = [(launch.symbol, _facts(launch, blocks[launch.symbol])) for launch in _traced(module)]
    if any(type(value) is int for _, facts in launches for value in facts.arguments.values()):
        other = [
            (launch.symbol, _facts(launch, blocks[launch.symbol])) for launch in _traced(_with_larger_blocks(module))
        ]
        pairs = list(zip(launches, other, strict=False)) if len(launches) == len(other) else []
        launches += [
            (name, replace(again, grid=one.grid))
            for (name, one), (same, again) in pairs
            if name == same and _parted(one, again)
        ]
    found: dict[str, list[KernelLaunch]] = defaultdict(list)
    for symbol, facts in launches:
        found[symbol].append(facts)
    return MappingProxyType({symbol: Launches(tuple(all_)) for symbol, all_ in found.items()})


def _traced(module: KernelModule) -> "list[Launch]":
    """The launches of a module in order; none where they are not known."""
    if module.launcher is None:
        return []
    from kernelwright.backend.launch.execute import trace_launches  # late: it needs torch

    try:
        return list(trace_launches(module))
    except UserError:
        return []


def _parted(one: KernelLaunch, other: KernelLaunch) -> bool:
    """Whether a number differs between launches."""
    return any(type(value) is int and value != other.arguments[name] for name, value in one.arguments.items())


def _with_larger_blocks(module: KernelModule) -> KernelModule:
    """The module with every block twice as large."""
    kernels = []
    for kernel in module.kernels:
        meta = [(n, 2 * v if type(v) is int and not n.startswith(_OPTIONS) else v) for n, v in kernel.meta]
        kernels.append(replace(kernel, meta=tuple(meta)))
    return replace(module, kernels=tuple(kernels))


def _facts(launch: "Launch", blocks: set[str]) -> KernelLaunch:
    constants = {
        name: value
        for name, value in launch.constexprs.items()
        if name not in blocks and isinstance(value, int | float | str | bool)
    }
    arguments: dict[str, TensorSpec | Scalar] = {**dict(launch.args), **constants}
    return KernelLaunch(tuple(launch.grid), arguments)
