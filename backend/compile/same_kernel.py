"""Whether two modules with the same launches have the same kernels, by Triton's own account, at several block sizes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kernelwright.backend.compile.compiler import CompileFailureError, lower_launch
from kernelwright.backend.compile.ttir_form import form
from kernelwright.backend.launch.execute import Launch, trace_launches
from kernelwright.backend.targets import Target
from kernelwright.ir.values import KernelModule

#: Block sizes that are made larger and smaller, in elements.
_SMALLEST, _LARGEST = 8, 512


@dataclass(frozen=True)
class Comparison:
    """Launches by symbol and block sizes: equal ones, unequal ones, and those that Triton rejects on both sides."""

    equal: tuple[str, ...] = ()
    unequal: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()


def compare_kernels(before: KernelModule, after: KernelModule, target: Target) -> Comparison:
    """Compare every launch of `before` with the same launch of `after`'s kernels, at several block sizes.

    Raises UserError where the launches depend on the values of tensors.
    """
    found: dict[str, list[str]] = {"equal": [], "unequal": [], "rejected": []}
    for launch in trace_launches(before):
        for one in at_block_sizes(launch):
            forms = [_form(module, one, target) for module in (before, after)]
            kind = "rejected" if forms == ["", ""] else "equal" if forms[0] == forms[1] else "unequal"
            sizes = ", ".join(f"{name}={value}" for name, value in one.constexprs.items())
            found[kind].append(f"@{one.symbol}({sizes})")
    return Comparison(*(tuple(found[kind]) for kind in ("equal", "unequal", "rejected")))


def at_block_sizes(launch: Launch) -> Iterator[Launch]:
    """The launch, and with its block sizes doubled and halved. A block size is a constexpr that is a power of two."""
    yield launch
    constants = dict(launch.constexprs)
    blocks = {
        name: value
        for name, value in constants.items()
        if type(value) is int and _SMALLEST <= value <= _LARGEST and not value & (value - 1)
    }
    for scale in (2.0, 0.5) if blocks else ():
        scaled = {name: int(size * scale) for name, size in blocks.items()}
        yield replace(launch, constexprs=constants | scaled)


def _form(module: KernelModule, launch: Launch, target: Target) -> str:
    """The form of a kernel's TTIR; "" where Triton rejects it."""
    try:
        return form(lower_launch(module, launch, target))
    except CompileFailureError:
        return ""
