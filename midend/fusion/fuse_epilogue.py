"""`fuse-epilogue`: what a kernel does with another's result by element, or by row, is done before that is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.merging.merged import merged
from kernelwright.ir.kernel.merging.reading import Part, UnfitError, reduces
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level
from kernelwright.midend.analysis.hand_overs import HandOver
from kernelwright.midend.fusion.joining import joined, pairs_fused, second_part, tensor_of
from kernelwright.midend.fusion.tile_pairs import TilePair
from kernelwright.midend.kernel_pass import part_of


@register
@dataclass(frozen=True)
class FuseEpilogue(Pass):
    """Fuse a kernel that reads a result by element or by pixel into the kernel that stores this result.

    Legal where the first kernel stores that tensor outside of loops, the tensor has no gaps, and nothing between the
    two launches touches what either uses. A kernel that works by element reads the whole tensor, in the order of
    memory, or in any order where the first is a convolution's template, and nobody else does. A kernel that works by
    pixel is fused into a template of one group, whose tiles then have all channels, at most 128: it reduces them to
    sums, minima or maxima, in one block or in a loop, works element by element beside that, and stores a number or all
    channels of a pixel. There the tensor is stored if somebody reads it later, and sums are taken in another order.
    The value is rounded to the tensor's type as before. Expected, not measured: saves writing and reading the tensor
    once, and a launch.
    """

    name: ClassVar[str] = "fuse-epilogue"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(Phase.FINISH, after=("fuse-flip",))

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with as few kernels as that makes; the same object where nothing can be fused."""
        return pairs_fused(module, _one_kernel, ctx)


def _one_kernel(pair: HandOver) -> KernelModule:
    tiles = TilePair(pair.module, pair.trace, pair.first, pair.second, pair.parameter, pair.tensor)
    return tiles.made() if tiles.is_legal() else fused(pair)


def fused(pair: HandOver) -> KernelModule:
    """The module with one kernel in the place of two.

    Raises UnfitError where the second works neither by element nor by row on what the first has.
    """
    one, other, tensor = part_of(pair.module, pair.first), second_part(pair), tensor_of(pair)
    keep = pair.is_kept()
    if keep and not reduces(other.function):
        raise UnfitError("others read the tensor, which is then written all the same")

    def merge(form: Part, names: Mapping[str, str], symbol: str) -> Function:
        return merged(one, form, tensor, names, symbol, keep=keep)

    return joined(pair, pair.first, other, merge)
