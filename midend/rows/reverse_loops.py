"""`reverse-loops`: a second loop over a row begins where the first one ended, with what the caches still hold."""

import ast
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level
from kernelwright.midend.analysis.launches import function_of, local_names, read_by
from kernelwright.midend.rows.row_text import row_length

_STEP = "r0_step"


@register
@dataclass(frozen=True)
class ReverseLoops(Pass):
    """Run every second loop over rows backwards.

    Legal for loops over rows in steps of R0_BLOCK that are no scans and do not ask for their first round; sums are
    taken in another order. Expected, not measured: for rows too long for registers (softmax, norms) the share of the
    rows under way that L2 holds is not read from memory again.
    """

    name: ClassVar[str] = "reverse-loops"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such loops; the same object where no kernel has two."""
        kernels = tuple(_reversed(kernel) for kernel in module.kernels)
        return module if kernels == module.kernels else replace(module, kernels=kernels)


def _reversed(kernel: Kernel) -> Kernel:
    function = function_of(kernel)
    length = row_length(function)
    loops = [statement for statement in function.body if isinstance(statement, ast.For)]
    if length is None or len(loops) < 2 or _STEP in local_names(function):
        return kernel
    last = f"{length - 1} // R0_BLOCK * R0_BLOCK"
    changed = False
    for loop in loops[1::2]:
        if "roffset" in read_by(loop) or "scan" in ast.unparse(loop):
            continue
        loop.target = ast.Name(_STEP, ast.Store())
        loop.body.insert(0, ast.parse(f"r0_offset = {last} - {_STEP}").body[0])
        changed = True
    return replace(kernel, source=ast.unparse(ast.fix_missing_locations(function))) if changed else kernel
