"""`fuse-prologue`: what a kernel computes by element is computed where the next kernel loads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.merging.reading import Part
from kernelwright.ir.kernel.merging.recomputed import recomputed
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.passes import Context, Keeps, Pass, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.analysis.hand_overs import HandOver
from kernelwright.midend.fusion.joining import joined, pairs_fused, second_part, tensor_of
from kernelwright.midend.kernel_pass import part_of


@register
@dataclass(frozen=True)
class FusePrologue(Pass):
    """Fuse a kernel that stores a number for each element into the kernel that loads each of these once.

    Legal where the first kernel only loads, computes by element and stores, the tensor has no gaps, and nothing between
    the two launches touches what either uses. A kernel that does not store in the order of memory, as one that turns
    rows round, needs a second one whose counters say which element is which. The second kernel may reduce rows, which
    `fuse-epilogue` needs the first one to hold. The tensor is stored if somebody reads it later. The value is rounded
    to the tensor's type as before. Expected, not measured: saves writing and reading the tensor once, and a launch.
    """

    name: ClassVar[str] = "fuse-prologue"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    needs: ClassVar[str] = "a kernel that computes by element, and a later one that loads each of its results once"
    changes: ClassVar[str] = "one kernel computes what it loaded; the tensor between them goes, or is only stored"
    keeps: ClassVar[Keeps | None] = Keeps.CONTRACTED
    explore = Exploration(Phase.FINISH, after=("fuse-epilogue",))

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with as few kernels as that makes; the same object where nothing can be fused."""
        return pairs_fused(module, _fused, ctx)


def _fused(pair: HandOver) -> KernelModule:
    """The module with one kernel in the place of two."""
    one, tensor, keep = part_of(pair.module, pair.first), tensor_of(pair), pair.is_kept()

    def merge(form: Part, names: Mapping[str, str], symbol: str) -> Function:
        return recomputed(one, form, tensor, names, symbol, keep=keep)

    return joined(pair, pair.second, second_part(pair), merge)
