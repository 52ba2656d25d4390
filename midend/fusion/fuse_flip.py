"""`fuse-flip`: rows that a second kernel turns round are stored the other way round by the first."""

import ast
import re
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace, trace_host
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.analysis.host_code import with_statements, without_idle_kernels
from kernelwright.midend.analysis.launches import HostLaunch, called, find_launches, makes, names_in

#: The body of Inductor's kernel for a flip of rows of `n` elements; `?` marks what it may leave out.
_FLIP = (
    r"xoffset = tl\.program_id\(0\) \* XBLOCK",
    r"xindex = xoffset \+ tl\.arange\(0, XBLOCK\)\[:\]",
    r"(?:xmask = xindex < \d+)?",
    r"x0 = xindex % (?P<n>\d+)",
    r"x1 = xindex // (?P=n)",
    r"(?P<value>\w+) = tl\.load\((?P<source>\w+) \+ \((?P<last>\d+) \+ -1 \* x0 \+ (?P=n) \* x1\).*\)",
    r"tl\.store\((?P<target>\w+) \+ xindex, (?P=value)(?:, xmask)?\)",
)


@register
@dataclass(frozen=True)
class FuseFlip(Pass):
    """Store rows in reverse order if the result is only used by a flip along the rows, and drop the flip.

    Legal where the first kernel stores whole rows by `r0_index` into a tensor that one flip reads and nobody else.
    Expected, not measured: a reversed scan without writing and reading its result once more.
    """

    name: ClassVar[str] = "fuse-flip"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(Phase.FINISH)

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module without such flips; the same object where there is none."""
        while (trace := trace_host(module)) is not None:
            launches = list(find_launches(module, trace))
            pairs = [(first, second) for first in launches for second in launches if first.index < second.index]
            found = (_fused(module, trace, first, second) for first, second in pairs)
            fused = next((one for one in found if one is not None), None)
            if fused is None:
                return module
            module = fused
        return module


def _fused(module: KernelModule, trace: HostTrace, first: HostLaunch, second: HostLaunch) -> KernelModule | None:
    body = "\n".join(map(ast.unparse, second.function.body))
    flip = re.fullmatch(r"\n?".join(_FLIP), body)
    if flip is None or int(flip["last"]) != int(flip["n"]) - 1:
        return None
    tensor, out, length = second.given[flip["source"]], second.given[flip["target"]], int(flip["n"])
    written = [name for name, value in first.given.items() if value == tensor]
    alone = [launch.kernel for launch in find_launches(module, trace)].count(first.kernel) == 1
    if len(written) != 1 or not alone or not _same_rows(trace, second, tensor, out):
        return None
    source = _stored_in_reverse(first, written[0], length)
    if source is None:
        return None
    kernel = replace(first.kernel, source=source, covers=(*first.kernel.covers, *_new(first, second)))
    kernels = tuple(kernel if one == first.kernel else one for one in module.kernels)
    return _without_flip(replace(module, kernels=kernels), trace, (first, second), tensor, out)


def _new(first: HostLaunch, second: HostLaunch) -> tuple[str, ...]:
    return tuple(cover for cover in second.kernel.covers if cover not in first.kernel.covers)


def _allocations(trace: HostTrace, name: str) -> list[int]:
    return [index for index, statement in enumerate(trace.statements) if makes(statement, name)]


def _same_rows(trace: HostTrace, second: HostLaunch, tensor: str, out: str) -> bool:
    """Whether both tensors are made alike for this, and the first is used nowhere else."""
    if (
        not (tensor.isidentifier() and out.isidentifier())
        or not _allocations(trace, tensor)
        or not _allocations(trace, out)
    ):
        return False
    one, other = (trace.spec(second.index, ast.Name(name, ast.Load())) for name in (tensor, out))
    users = [s for s in trace.statements if tensor in names_in(s) and not isinstance(s, ast.Delete)]
    early = [s for s in trace.statements[: second.index] if out in names_in(s)]
    alike = (
        one is not None
        and other is not None
        and (one.shape, one.strides, one.dtype)
        == (
            other.shape,
            other.strides,
            other.dtype,
        )
    )
    return alike and len(users) == 3 and len(early) == 1


def _stored_in_reverse(first: HostLaunch, pointer: str, length: int) -> str | None:
    """The first kernel's text with rows stored in reverse; None where it does more with the tensor, or other rows."""
    text = first.kernel.source
    rows = (f"range(0, {length}, R0_BLOCK)", f"r0_index < {length}\n", f"R0_BLOCK: tl.constexpr = {length}\n")
    stores = [n for n in ast.walk(first.function) if isinstance(n, ast.Call) and called(n, "tl.store")]
    stores = [store for store in stores if pointer in names_in(store.args[0])]
    named = sum(isinstance(n, ast.Name) and n.id == pointer for n in ast.walk(first.function))
    column = {"r0_index", *re.findall(r"^\s*(r0_\d+) = r0_index$", text, re.M)}
    places = {f"{pointer} + ({name} + {length} * xindex)": name for name in column}
    if not any(row in text for row in rows) or not stores or named != len(stores):
        return None
    for store in stores:
        place = ast.unparse(store.args[0])
        if place not in places or place not in text:
            return None
        text = text.replace(
            f"tl.store({place},", f"tl.store({pointer} + ({length - 1} - {places[place]} + {length} * xindex),"
        )
    return text


def _without_flip(
    module: KernelModule, trace: HostTrace, launches: tuple[HostLaunch, HostLaunch], tensor: str, out: str
) -> KernelModule:
    """The first kernel writes `out`, which is made where `tensor` was; the second is not launched."""
    first, second = launches
    texts: dict[int, list[str]] = {second.index: []}
    made, later = _allocations(trace, tensor)[0], _allocations(trace, out)[0]
    texts[made], texts[later] = [ast.unparse(trace.statements[later])], []
    if later < made:
        texts[made], texts[later] = [], [ast.unparse(trace.statements[later])]
    renamed = re.sub(rf"\b{tensor}\b", out, ast.unparse(trace.statements[first.index]))
    texts[first.index] = [renamed]
    for index, statement in enumerate(trace.statements):
        if isinstance(statement, ast.Delete):
            left = [ast.unparse(target) for target in statement.targets if ast.unparse(target) != tensor]
            texts[index] = [f"del {name}" for name in left]
    return without_idle_kernels(with_statements(module, trace, texts))
