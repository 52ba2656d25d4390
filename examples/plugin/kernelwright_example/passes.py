"""A pass that sets the number of warps of every kernel launch."""

from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context, Pass
from kernelwright.ir.values import Kernel, KernelModule, Level


@dataclass(frozen=True)
class MoreWarps(Pass):
    """Launch each kernel that has launch options with `warps` warps of 32 threads."""

    name: ClassVar[str] = "more-warps"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

    warps: int = 8

    def __post_init__(self) -> None:
        if self.warps not in (1, 2, 4, 8, 16, 32):
            raise UserError(f"warps={self.warps}: give a power of two up to 32")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with other launch options; its kernels' text stays as it is."""
        del ctx
        return replace(module, kernels=tuple(map(self._launched, module.kernels)))

    def _launched(self, kernel: Kernel) -> Kernel:
        if not kernel.meta:
            return kernel
        return replace(kernel, meta=tuple((dict(kernel.meta) | {"num_warps": self.warps}).items()))
