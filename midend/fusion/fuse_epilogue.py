"""`fuse-epilogue`: what a kernel does with another's result by element, or by row, is done before that is stored."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import trace_host
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.merging.merged import merged
from kernelwright.ir.kernel.merging.reading import Part, UnfitError, reduces
from kernelwright.ir.kernel.text.printing import with_functions
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.passes import Context, Keeps, Pass, register
from kernelwright.ir.values import KernelModule, Level, Scalar
from kernelwright.midend.analysis.hand_overs import HandOver
from kernelwright.midend.analysis.host_code import with_statements
from kernelwright.midend.analysis.launches import find_launches, launched_once
from kernelwright.midend.fusion.image_reading import read_tiles
from kernelwright.midend.fusion.image_tiles import LEAST_SIDE, MOST_CHANNELS, ImageTiles
from kernelwright.midend.fusion.joining import joined, pairs_fused, second_part, tensor_of
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
    needs: ClassVar[str] = "a kernel that stores a tensor once, and a later one that reads it by element or by pixel"
    changes: ClassVar[str] = "one kernel computes both results; the tensor between them goes, or is only stored"
    keeps: ClassVar[Keeps | None] = Keeps.REASSOCIATED
    explore = Exploration(Phase.FINISH, after=("fuse-flip",))

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with as few kernels as that makes; the same object where nothing can be fused."""
        return pairs_fused(module, _one_kernel, ctx)


def _one_kernel(pair: HandOver) -> KernelModule:
    try:
        return fused(pair)
    except UnfitError:
        if not reduces(second_part(pair).function):
            raise
        whole = _of_all_channels(pair)
        if whole is None:
            raise
    return fused(whole)


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


def _of_all_channels(pair: HandOver) -> HandOver | None:
    """The same two launches, tiles of the first such that they hold all channels; None where they can not."""
    first = pair.first
    try:
        tiles = read_tiles(part_of(pair.module, first), pair.parameter)
    except UnfitError:
        return None
    launch = first.in_one_block(tiles.channels.size, tiles.columns)
    if first.kernel not in [one.kernel for one in launched_once(pair.module, pair.trace)] or tiles.within:
        return None
    if tiles.channels.size > MOST_CHANNELS or launch is None:
        return None
    module = with_functions(pair.module, {first.kernel.symbol: tiles.with_all_channels()})
    kernel = replace(module.kernel(first.kernel.symbol), meta=_meta(tiles, dict(first.kernel.meta)))
    module = replace(module, kernels=tuple(kernel if k.symbol == kernel.symbol else k for k in module.kernels))
    text = launch.text(kernel, list(first.given.values()))
    module = with_statements(module, pair.trace, {first.index: [text]})
    trace = trace_host(module)
    assert trace is not None
    launches = {launch.index: launch for launch in find_launches(module, trace)}
    return HandOver(module, trace, launches[first.index], launches[pair.second.index], pair.parameter, pair.tensor)


def _meta(tiles: ImageTiles, meta: dict[str, Scalar]) -> tuple[tuple[str, Scalar], ...]:
    """Launch options for tiles of all channels: fewer pixels where there were fewer channels."""
    given, pixels = meta.pop(tiles.columns), meta[tiles.rows]
    assert isinstance(given, int) and isinstance(pixels, int)
    if given < tiles.block:
        meta[tiles.rows] = max(pixels * given // tiles.block, min(pixels, LEAST_SIDE))
    return tuple(meta.items())
