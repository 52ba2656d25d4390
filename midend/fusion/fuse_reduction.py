"""`fuse-reduction`: tiles of a convolution are reduced over their pixels before they are stored, or instead."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace, trace_host
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import DTYPES, Kernel, KernelModule, Level, TensorSpec
from kernelwright.midend.analysis.host_code import (
    FLOATS,
    fresh_names,
    fresh_symbol,
    names_of,
    repeated,
    with_kernel,
    with_statements,
    without_idle_kernels,
    without_tensors,
)
from kernelwright.midend.analysis.launches import (
    HostLaunch,
    handed_on,
    is_made_for,
    local_names,
    names_in,
    storages,
    stores_by,
    written_between,
)
from kernelwright.midend.analysis.pointwise import mentions
from kernelwright.midend.fusion.partial_rows import ADDED, PartialRows, whole_meta
from kernelwright.midend.fusion.tiles import Tile
from kernelwright.midend.rows.row_loops import RowLoop


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
    explore = Exploration(Phase.FINISH, after=("fuse-epilogue",))

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with such reductions in two parts; the same object where there is none."""
        return repeated(module, _fuse_one)


def _fuse_one(module: KernelModule) -> KernelModule | None:
    trace = trace_host(module)
    if trace is None:
        return None
    for first, second, parameter in handed_on(module, trace):
        fusion = Fusion.of(module, trace, first, second, parameter)
        if fusion is not None:
            return fusion.fused()
    return None


@dataclass(frozen=True)
class Fusion:
    """Two launches, the second of which reduces what the first stores by `parameter` into host code's `tensor`."""

    module: KernelModule
    trace: HostTrace
    first: HostLaunch
    second: HostLaunch
    parameter: str
    tensor: str
    store: ast.Call
    spec: TensorSpec
    tile: Tile
    rows: PartialRows

    @classmethod
    def of(
        cls, module: KernelModule, trace: HostTrace, first: HostLaunch, second: HostLaunch, parameter: str
    ) -> "Fusion | None":
        """The two as such, if the rewrite changes no result but by the order of sums; else None."""
        tensor = first.given[parameter]
        stores = stores_by(first.function, parameter)
        if not tensor.isidentifier():
            return None
        if any(mentions(trace.statements[launch.index], tensor) != 1 for launch in (first, second)):
            return None
        spec = trace.spec(first.index, ast.Name(tensor, ast.Load()))
        dense = spec is not None and spec.dtype in FLOATS and spec.extent == spec.numel
        if spec is None or not dense or len(stores) != 1 or mentions(first.function, parameter) != 2:
            return None
        pointer = next(name for name, value in second.given.items() if value == tensor)
        tile, loop = Tile.of(first, stores[0], parameter, spec.numel), RowLoop.of(second)
        if tile is None or loop is None or tile.grid(first) is None or tile.names & local_names(first.function):
            return None
        rows = PartialRows.of(loop, tile, pointer, second)
        if rows is None or not _may_read_early(module, trace, first, second, rows.operands, tensor):
            return None
        if not rows.helpers <= {kernel.symbol for kernel in module.kernels}:
            return None
        return cls(module, trace, first, second, parameter, tensor, stores[0], spec, tile, rows)

    def is_kept(self) -> bool:
        """Whether anybody else reads the tensor, or the second kernel does so after it was reduced."""
        used = is_made_for(self.trace, self.tensor, self.first.index, self.second.index)
        return not used or self.rows.reads_again

    def fused(self) -> KernelModule:
        """The module with the tiles' partial results between two kernels."""
        parts = self._parts()
        module = with_kernel(self.module, parts)
        whole = self._whole(fresh_symbol(module, f"{self.second.kernel.symbol}_whole"))
        module = with_kernel(module, whole)
        module = with_statements(module, self.trace, self._statements(parts, whole))
        assert module.launcher is not None
        # Where the first kernel had parts before, host code sizes them by its launch options.
        text = re.sub(rf"\b{self.first.kernel.meta_name}\b", parts.meta_name, module.launcher.source)
        return without_idle_kernels(replace(module, launcher=replace(module.launcher, source=text)))

    def _parts(self) -> Kernel:
        """The first kernel, which stores what its tile comes to."""
        function, kept = self.first.function, self.is_kept()
        taken = local_names(function) | self.tile.names | {kernel.symbol for kernel in self.module.kernels}
        pointers = self._pointers()
        renamed = fresh_names(local_names(self.second.function) | {*pointers, *ADDED}, taken)
        body = []
        for statement in function.body:
            stores = isinstance(statement, ast.Expr) and statement.value is self.store
            if kept or not stores:
                body += self.tile.within_images(statement)
            if stores:
                value = f"({ast.unparse(self.store.args[1])}).to(tl.{DTYPES[self.spec.dtype][0]})"
                body += self.rows.epilogue(value, [renamed.get(name, name) for name in pointers], renamed)
        names = [name for name in self.first.parameters if kept or name != self.parameter]
        names += [renamed.get(name, name) for name in (*self.rows.operands, *pointers)]
        names += [ast.unparse(a) for a in function.args.args if a.arg in self.first.constexprs]
        stem = self.first.kernel.symbol
        symbol = fresh_symbol(self.module, stem if self.tile.within else f"{stem}_parts")
        source = "\n".join([f"@triton.jit\ndef {symbol}({', '.join(names)}):", *(f"    {line}" for line in body)])
        covers = tuple(dict.fromkeys((*self.first.kernel.covers, *self.second.kernel.covers)))
        return Kernel(symbol, source, self.first.kernel.meta, covers)

    def _pointers(self) -> list[str]:
        return [f"{name}_parts_ptr" for name in self.rows.sums]

    def _whole(self, symbol: str) -> Kernel:
        """The second kernel, which joins the tiles' results instead of elements."""
        lines = self.rows.joining(self._pointers())
        text = "\n".join(lines)
        used = names_in(ast.parse(text))
        names = [name for name in self.second.parameters if name in used]
        names += [*self._pointers(), "slabs", "XBLOCK: tl.constexpr", "R0_BLOCK: tl.constexpr"]
        source = "\n".join([f"@triton.jit\ndef {symbol}({', '.join(names)}):", *(f"    {line}" for line in lines)])
        meta = whole_meta(self.rows, self.second.kernel)
        return Kernel(symbol, source, meta, self.second.kernel.covers)

    def _statements(self, parts: Kernel, whole: Kernel) -> Mapping[int, Sequence[str]]:
        """Host code by statement: the tiles' results are made before the first launch and live until the second's."""
        first, second, tile = self.first, self.second, self.tile
        kept, device = self.is_kept(), self.trace.entry.args.args[0].arg
        wanted = [f"parts_{name}" for name in self.rows.sums]
        renamed = fresh_names(set(wanted), names_of(self.module))
        buffers = [renamed.get(name, name) for name in wanted]
        shape = f"({tile.slabs(tile.images, parts.meta_name)}, {tile.channels})"
        texts: dict[int, list[str]] = {
            first.index: [
                f"{buffer} = torch.empty_strided({shape}, ({tile.channels}, 1), device={device}.device, "
                "dtype=torch.float32)"
                for buffer in buffers
            ]
        }
        grid = tile.grid(first)
        assert grid is not None
        given = [value for name, value in first.given.items() if kept or name != self.parameter]
        given += [second.given[name] for name in self.rows.operands]
        launch = HostLaunch(first.index, first.kernel, first.function, grid, first.arguments)
        texts[first.index].append(launch.text(parts, [*given, *buffers]))
        names = [a.arg for a in ast.parse(whole.source).body[0].args.args]  # type: ignore[attr-defined]
        given = [second.given[name] for name in names if name in second.given]
        slabs = tile.slabs(self.rows.images, parts.meta_name)
        texts[second.index] = [second.text(whole, [*given, *buffers, slabs])]
        return texts if kept else texts | without_tensors(self.trace, (self.tensor,))


def _may_read_early(
    module: KernelModule,
    trace: HostTrace,
    first: HostLaunch,
    second: HostLaunch,
    operands: Sequence[str],
    tensor: str,
) -> bool:
    """Whether the first launch finds in the second's operands what the second does, and the second finds in the tensor
    what the first stores there."""
    roots = storages(trace)
    read = {name for operand in operands for name in names_in(ast.parse(second.given[operand]))} - {"torch"}
    rooted = {roots.get(name, name) for name in read}
    written = {roots.get(n, n) for p in first.written for n in names_in(ast.parse(first.given[p]))}
    if not read <= trace.before[first.index].keys() or written & rooted:
        return False
    between = written_between(module, trace, first.index + 1, second.index)
    return not (rooted | {roots.get(tensor, tensor)}) & between
