"""Rewriting host code: statements are replaced by text, kernels are added under names of their own."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from kernelwright.backend.launch.host_trace import HostTrace, trace_host
from kernelwright.ir.host.statements import names_in, renamed
from kernelwright.ir.passes import Context, Declined
from kernelwright.ir.values import DTYPES, Kernel, KernelModule, TensorSpec

#: Types that templates and fused kernels are written for: their sums are fp32.
FLOATS = ("f32", "f16", "bf16")

#: The reason of passes that have to read host code as plain statements.
NOT_STRAIGHT = "the module's host code is not a sequence of plain statements"

#: Changes a module once; None where there is nothing to change.
ModuleStep = Callable[[KernelModule], KernelModule | None]
#: The same for a module whose host code was traced; it tells why it leaves kernels as they are.
TracedStep = Callable[[KernelModule, HostTrace, Callable[[Declined], None]], KernelModule | None]


def repeated(module: KernelModule, step: ModuleStep) -> KernelModule:
    """What a step makes of a module, again and again until it gives None; the same object where it gives nothing."""
    while (made := step(module)) is not None:
        module = made
    return module


def repeated_on_straight_host(module: KernelModule, step: TracedStep, ctx: Context) -> KernelModule:
    """The same on host code that can be traced. The reasons of the last round, which changes nothing, go to
    `ctx.declined`."""
    left: list[Declined] = []

    def traced(module: KernelModule) -> KernelModule | None:
        left.clear()
        trace = trace_host(module)
        if trace is None:
            left.append(Declined(NOT_STRAIGHT))
            return None
        return step(module, trace, left.append)

    straight = straight_host(module)
    made = repeated(straight, traced)
    for why in dict.fromkeys(left):
        ctx.declined(why)
    return module if made is straight else made


def straight_host(module: KernelModule) -> KernelModule:
    """The module with host code that can be traced; as it is where it can be, or where nothing makes it so."""
    if trace_host(module) is not None:
        return module
    from kernelwright.backend.launch.straight import straightened  # late: passes are known without torch

    return straightened(module)


def names_of(module: KernelModule) -> set[str]:
    """Every name that means something in the module's text."""
    texts = [*module.constants, *(kernel.source for kernel in module.kernels)]
    texts += [module.launcher.source] if module.launcher is not None else []
    found = {name for text in texts for name in names_in(text)}
    found |= {spec.name for spec in module.reference.tensors} | {kernel.symbol for kernel in module.kernels}
    return found | {kernel.meta_name for kernel in module.kernels}


def fresh_symbol(module: KernelModule, stem: str) -> str:
    """A kernel name that nothing in the module has: the stem, or the stem with a number."""
    taken, number = names_of(module), 0
    symbol = stem
    while {symbol, f"{symbol}_meta", f"{symbol}_weight"} & taken:
        number += 1
        symbol = f"{stem}_{number}"
    return symbol


def fresh_names(names: set[str], taken: set[str]) -> dict[str, str]:
    """New names for those that are taken."""
    renamed: dict[str, str] = {}
    for name in sorted(names & taken):
        number = 1
        while f"{name}_{number}" in taken | names | set(renamed.values()):
            number += 1
        renamed[name] = f"{name}_{number}"
    return renamed


def with_statements(module: KernelModule, trace: HostTrace, texts: Mapping[int, Sequence[str]]) -> KernelModule:
    """The module with statements replaced, by their index in the trace, by lines of host code."""
    assert module.launcher is not None
    return replace(module, launcher=replace(module.launcher, source=trace.code.having(texts)))


def without_tensors(trace: HostTrace, names: Collection[str]) -> dict[int, list[str]]:
    """The statements that make or delete these tensors, by index, as they are without them."""
    texts: dict[int, list[str]] = {}
    for index, statement in enumerate(trace.statements):
        if statement.kind in ("assign", "del") and not set(statement.targets).isdisjoint(names):
            kept = statement.targets if statement.deletes else ()
            texts[index] = [f"del {target}" for target in kept if target not in names]
    return texts


def deletes_put_off(
    trace: HostTrace, gone: Collection[str], late: Collection[str], begin: int, end: int
) -> tuple[dict[int, list[str]], list[str]]:
    """The statements that delete tensors, by index, without tensors that are `gone`. Those of them between `begin` and
    `end` keep `late` tensors, which the lines that come second delete."""
    texts: dict[int, list[str]] = {}
    lines: list[str] = []
    for index, statement in enumerate(trace.statements):
        if statement.deletes:
            left = [name for name in statement.targets if name not in gone]
            kept = [name for name in left if name in late and begin < index < end]
            texts[index] = [f"del {name}" for name in left if name not in kept]
            lines += [f"del {name}" for name in kept]
    return texts, lines


def without_idle_kernels(module: KernelModule) -> KernelModule:
    """The module without the kernels that neither host code nor another kernel names any more."""
    assert module.launcher is not None
    while True:
        texts = {kernel.symbol: kernel.source for kernel in module.kernels} | {"": module.launcher.source}
        users = Counter(name for symbol, text in texts.items() for name in names_in(text) - {symbol})
        kept = tuple(kernel for kernel in module.kernels if users[kernel.symbol])
        if kept == module.kernels:
            return module
        module = replace(module, kernels=kept)


def with_kernel(module: KernelModule, kernel: Kernel) -> KernelModule:
    """The module with one more kernel, after the others."""
    return replace(module, kernels=(*module.kernels, kernel))


def allocation(name: str, spec: TensorSpec, device: str) -> str:
    """The statement that makes an uninitialised tensor; `device` is a tensor's name."""
    dtype = f"torch.{DTYPES[spec.dtype][0]}"
    return f"{name} = torch.empty_strided({spec.shape}, {spec.strides}, device={device}.device, dtype={dtype})"


def with_options_of(module: KernelModule, kernel: Kernel, other: Kernel) -> KernelModule:
    """The module whose host code names the launch options of another kernel wherever it named this kernel's."""
    assert module.launcher is not None
    text = renamed(module.launcher.source, kernel.meta_name, other.meta_name)
    return replace(module, launcher=replace(module.launcher, source=text))
