"""`serial-windows`: short reductions, such as pooling's, are done by each lane for itself."""

import ast
import re
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level
from kernelwright.midend.analysis.launches import function_of
from kernelwright.midend.rows.row_text import row_length

#: Elements of a window, at most; those that are written out.
MOST, MOST_UNROLLED = 1024, 32
#: Windows of a program, and warps.
WINDOWS, WARPS = 256, 4


@register
@dataclass(frozen=True)
class SerialWindows(Pass):
    """Reduce each short window in one lane, one element after another, instead of several windows in a tile.

    limit: the longest window, in elements. Legal for looped reductions (`lower-inductor{persistent=false}`); sums are
    taken in another order. Left alone are windows that are whole rows of memory, which lanes had better share.
    Expected, not measured: pooling near the memory floor, since neighbouring lanes load neighbouring windows, which
    overlap in L1, and nothing is exchanged between threads.
    """

    name: ClassVar[str] = "serial-windows"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    limit: int = 256

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST:
            raise UserError(f"limit={self.limit}: choose 1 to {MOST} elements")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such kernels; the same object where there is none."""
        kernels = tuple(self._serial(kernel) for kernel in module.kernels)
        return module if kernels == module.kernels else replace(module, kernels=kernels)

    def _serial(self, kernel: Kernel) -> Kernel:
        meta = dict(kernel.meta)
        size = (
            row_length(function_of(kernel)) if {"XBLOCK", "R0_BLOCK"} <= set(meta) and meta["R0_BLOCK"] != 1 else None
        )
        if size is None or size > self.limit or _is_row(kernel.source, size) or "scan" in kernel.source:
            return kernel
        source = kernel.source
        if size <= MOST_UNROLLED:
            source = source.replace("in tl.range(0,", "in tl.static_range(0,")
        meta |= {"XBLOCK": WINDOWS, "R0_BLOCK": 1, "num_warps": WARPS}
        return replace(kernel, source=source, meta=tuple(meta.items()))


def _is_row(source: str, size: int) -> bool:
    """Whether some load reads a window that lies in memory as one line."""
    loads = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call) and ast.unparse(n.func) == "tl.load"]
    return any(re.search(rf"\b{size} \* xindex\b", ast.unparse(load.args[0])) for load in loads)
