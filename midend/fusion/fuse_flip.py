"""`fuse-flip`: rows that a second kernel turns round are stored the other way round by the first."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.merging.merged import turns
from kernelwright.ir.kernel.merging.reading import UnfitError
from kernelwright.ir.passes import Context, Keeps, Pass, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.analysis.hand_overs import HandOver
from kernelwright.midend.fusion.fuse_epilogue import fused
from kernelwright.midend.fusion.joining import pairs_fused, second_part, tensor_of


@register
@dataclass(frozen=True)
class FuseFlip(Pass):
    """Store elements in reverse order if the result is only used by a flip, and drop the flip.

    Legal where a second kernel loads each element of what the first stores, and stores it elsewhere, counted down along
    a dimension. Expected, not measured: a reversed scan without writing and reading its result once more.
    """

    name: ClassVar[str] = "fuse-flip"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    needs: ClassVar[str] = "a kernel that only moves each element of another's result, counted down along a dimension"
    changes: ClassVar[str] = "the first stores where the second did, which goes with the tensor between them"
    keeps: ClassVar[Keeps] = Keeps.EXACT
    explore = Exploration(Phase.FINISH)

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module without such flips; the same object where there is none."""
        return pairs_fused(module, _without_flip, ctx)


def _without_flip(pair: HandOver) -> KernelModule:
    if not turns(second_part(pair), tensor_of(pair)):
        raise UnfitError("the second kernel does more than move elements, or reverses no dimension")
    return fused(pair)
