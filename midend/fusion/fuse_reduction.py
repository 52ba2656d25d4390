"""`fuse-reduction`: tiles of a convolution are reduced over their pixels before they are stored, or instead."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.analysis.accesses import written_parameters
from kernelwright.ir.kernel.merging.reading import Tensor, UnfitError
from kernelwright.ir.kernel.text.inlining import self_contained
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import print_function
from kernelwright.ir.kernel.values import Function
from kernelwright.ir.passes import Context, Declined, Keeps, Pass, register
from kernelwright.ir.values import DTYPES, Kernel, KernelModule, Level, TensorSpec
from kernelwright.midend.analysis.hand_overs import HandOver, handed_on
from kernelwright.midend.analysis.host_code import (
    FLOATS,
    fresh_names,
    fresh_symbol,
    names_of,
    repeated_on_straight_host,
    with_kernel,
    with_options_of,
    with_statements,
    without_idle_kernels,
    without_tensors,
)
from kernelwright.midend.analysis.launches import (
    storages,
    written_between,
)
from kernelwright.midend.fusion.joining import one_fused
from kernelwright.midend.fusion.partial_rows import SLABS, PartialRows
from kernelwright.midend.kernel_pass import part_of


@register
@dataclass(frozen=True)
class FuseReduction(Pass):
    """Reduce a convolution's result over pixels in the convolution's kernel, and combine the parts in another kernel.

    Legal where a template of one group stores the result, and another kernel begins by reducing that in a loop, by
    image, channel or groups of them, into sums, maxima, minima or Welford's mean and variance. Each program stores what
    its tile comes to, for each channel; a kernel in the place of the other joins these in a fixed order. Tiles are kept
    from running over two images. The result itself is stored only if somebody else reads it. Kernels should reduce in
    one piece and in a loop: `lower-inductor{every_conv=true,split=false,persistent=false}`. Expected, not measured:
    saves reading the result once, and writing it where nobody else reads it.
    """

    name: ClassVar[str] = "fuse-reduction"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    needs: ClassVar[str] = "a loop over rows that reduces what another kernel stores in tiles of pixels by channels"
    changes: ClassVar[str] = "tiles are reduced where they are computed, and the loop joins what they come to"
    keeps: ClassVar[Keeps | None] = Keeps.REASSOCIATED
    explore = Exploration(Phase.FINISH, after=("fuse-epilogue",))

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with such reductions in two parts; the same object where there is none."""
        return repeated_on_straight_host(module, _fuse_one, ctx)


def _fuse_one(module: KernelModule, trace: HostTrace, declined: Callable[[Declined], None]) -> KernelModule | None:
    """The module with one reduction in two parts; None where there is none, with a reason for each pair of kernels."""
    functions = kernel_functions(module)
    whole = {symbol: self_contained(one, functions) for symbol, one in functions.items()}
    return one_fused(handed_on(module, trace), lambda pair: Fusion.of(pair, whole).fused(), declined, [])


@dataclass(frozen=True)
class Fusion:
    """Two launches, the second of which reduces what the first stores into a tensor of host code."""

    pair: HandOver
    spec: TensorSpec
    rows: PartialRows

    @classmethod
    def of(cls, pair: HandOver, whole: Mapping[str, Function]) -> "Fusion":
        """Read the pair. Raises UnfitError where the rewrite would change more than the order of sums."""
        spec = pair.spec()
        if spec is None or spec.dtype not in FLOATS or spec.extent != spec.numel:
            raise UnfitError("the tensor between them is not one of floats without gaps that host code creates")
        if any(list(one.given.values()).count(pair.tensor) != 1 for one in (pair.first, pair.second)):
            raise UnfitError("one of them is given the tensor twice")
        first, second = (part_of(pair.module, one) for one in (pair.first, pair.second))
        if pair.read_as in written_parameters(second.function):
            raise UnfitError("the second kernel writes the tensor")
        tensor = Tensor(pair.parameter, pair.read_as, spec.numel, DTYPES[spec.dtype][0])
        images = spec.shape[0] if len(spec.shape) > 2 else 1
        if SLABS in (*pair.second.parameters, *pair.second.constexprs):
            raise UnfitError(f"the second kernel has a parameter called {SLABS}")
        found = cls(pair, spec, PartialRows.of(first, second, whole, tensor, images))
        found._check_order()
        found._grid()
        return found

    def _check_order(self) -> None:
        """Raise unless the first launch finds in the second's operands what the second does, and the second finds in
        the tensor what the first stores there."""
        pair = self.pair
        roots = storages(pair.trace)
        operands = self.rows.parts("parts", self._names(), self._pointers(), keep=True)
        own = {one.name for one in operands.parameters} - set(pair.first.parameters)
        given = {new: old for old, new in self._names().items()}
        read = {
            n
            for name in own
            if name in given and given[name] in pair.second.given
            for n in pair.second.names(given[name])
        }
        rooted = {roots.get(name, name) for name in read}
        written = {
            roots.get(n, n)
            for p in written_parameters(self.rows.place.tiles.function) & set(pair.first.parameters)
            for n in pair.first.names(p)
        }
        if not read <= pair.trace.before[pair.first.index].keys():
            raise UnfitError("an operand of the second kernel is made only after the first kernel's launch")
        between = written_between(pair.module, pair.trace, pair.first.index + 1, pair.second.index)
        if written & rooted or (rooted | {roots.get(pair.tensor, pair.tensor)}) & between:
            raise UnfitError("the tensor, or an operand of the second kernel, is written between the two")

    def is_kept(self) -> bool:
        """Whether anybody else reads the tensor, or the second kernel does so after it was reduced."""
        return self.pair.is_kept() or self.rows.reads_again

    def fused(self) -> KernelModule:
        """The module with the tiles' partial results between two kernels."""
        pair = self.pair
        parts = self._parts()
        module = with_kernel(pair.module, parts)
        function = self.rows.whole(fresh_symbol(module, f"{pair.second.kernel.symbol}_whole"), self._whole_pointers())
        meta = self.rows.meta(pair.second.kernel.meta)
        whole = Kernel(function.symbol, print_function(function), meta, pair.second.kernel.covers)
        module = with_kernel(module, whole)
        module = with_statements(module, pair.trace, self._statements(parts, whole, function))
        return without_idle_kernels(with_options_of(module, pair.first.kernel, parts))

    def _names(self) -> dict[str, str]:
        """What the second kernel's parameters are called in the first."""
        pair = self.pair
        rest = {name for name in (*pair.second.parameters, *pair.second.constexprs) if name != pair.read_as}
        taken = {*pair.first.parameters, *pair.first.constexprs, *(kernel.symbol for kernel in pair.module.kernels)}
        renamed = fresh_names(rest, taken)
        return {
            name: renamed.get(name, name)
            for name in sorted(rest, key=[*pair.second.parameters, *pair.second.constexprs].index)
        }

    def _pointers(self) -> list[str]:
        """The first kernel's parameters for what tiles come to."""
        wanted = [f"{name}_parts_ptr" for name in self.rows.names]
        renamed = fresh_names(set(wanted), {*self.pair.first.parameters, *self._names().values()})
        return [renamed.get(name, name) for name in wanted]

    def _whole_pointers(self) -> list[str]:
        wanted = [f"{name}_parts_ptr" for name in self.rows.names]
        renamed = fresh_names(set(wanted), {*self.pair.second.parameters, *self.pair.second.constexprs})
        return [renamed.get(name, name) for name in wanted]

    def _parts(self) -> Kernel:
        """The first kernel, which stores what its tile comes to."""
        first = self.pair.first.kernel
        stem = first.symbol if self.rows.place.tiles.within else f"{first.symbol}_parts"
        symbol = fresh_symbol(self.pair.module, stem)
        function = self.rows.parts(symbol, self._names(), self._pointers(), keep=self.is_kept())
        covers = tuple(dict.fromkeys((*first.covers, *self.pair.second.kernel.covers)))
        return Kernel(symbol, print_function(function), first.meta, covers)

    def _grid(self) -> tuple[str, str]:
        """The part of the first launch's grid that counts tiles, and that for tiles within images."""
        tiles, place = self.rows.place.tiles, self.rows.place
        block = f"{self.pair.first.kernel.meta_name}['{tiles.rows}']"
        within = f"({place.images} * triton.cdiv({place.pixels}, {block}))"
        text = self.pair.first.text(self.pair.first.kernel, []).replace('"', "'")
        old = within if tiles.within else f"triton.cdiv({tiles.pixels.size}, {block})"
        if text.count(old) != 1 or block in text.replace(old, ""):
            raise UnfitError("the first kernel's grid is not worked out from blocks of pixels")
        return old, within

    def _slabs(self, images: int, parts: Kernel) -> str:
        """How many programs have the same channels and so many images' pixels, as host code."""
        tiles, place = self.rows.place.tiles, self.rows.place
        count = images * tiles.phases
        text = f"triton.cdiv({place.pixels}, {parts.meta_name}['{tiles.rows}'])"
        return text if count == 1 else f"{count} * {text}"

    def _statements(self, parts: Kernel, whole: Kernel, joining: Function) -> Mapping[int, Sequence[str]]:
        """Host code by statement: the tiles' results are made before the first launch and live until the second's."""
        pair, channels = self.pair, self.rows.place.tiles.channels.size
        wanted = [f"parts_{name}" for name in self.rows.names]
        renamed = fresh_names(set(wanted), names_of(pair.module))
        buffers = [renamed.get(name, name) for name in wanted]
        shape = f"({self._slabs(self.rows.place.images, parts)}, {channels})"
        device = pair.trace.code.parameters[0]
        made = [
            f"{one} = torch.empty_strided({shape}, ({channels}, 1), device={device}.device, dtype=torch.float32)"
            for one in buffers
        ]
        given = dict(zip(self._pointers(), buffers, strict=True)) | pair.first.given
        given |= {new: pair.second.given[old] for old, new in self._names().items() if old in pair.second.given}
        parameters = [p.name for p in kernel_functions(with_kernel(pair.module, parts))[parts.symbol].parameters]
        launch = pair.first.text(parts, [given[name] for name in parameters if name not in pair.first.constexprs])
        old, new = (one.replace(pair.first.kernel.meta_name, parts.meta_name) for one in self._grid())
        texts: dict[int, Sequence[str]] = {pair.first.index: [*made, launch.replace(old, new)]}
        given = dict(zip(self._whole_pointers(), buffers, strict=True)) | pair.second.given
        given[SLABS] = self._slabs(self.rows.images, parts)
        names = [one.name for one in joining.parameters if not one.is_constexpr]
        texts[pair.second.index] = [pair.second.text(whole, [given[name] for name in names])]
        return texts if self.is_kept() else texts | without_tensors(pair.trace, (pair.tensor,))
