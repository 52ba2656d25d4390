"""`rematerialize`: a convolution whose tiles were reduced is computed again where its elements are read afterwards."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace, trace_host
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import Kernel, KernelModule, Level
from kernelwright.midend.analysis.host_code import fresh_symbol, repeated, with_kernel, with_statements
from kernelwright.midend.analysis.launches import (
    HostLaunch,
    called,
    find_launches,
    function_of,
    handed_on,
    is_made_for,
    names_in,
    storages,
    stores_by,
    written_between,
)
from kernelwright.midend.analysis.pointwise import mentions
from kernelwright.midend.fusion.fuse_epilogue import FuseEpilogue
from kernelwright.midend.fusion.tile_pairs import TilePair
from kernelwright.midend.fusion.tiles import Tile
from kernelwright.midend.rows.row_loops import live


@register
@dataclass(frozen=True)
class Rematerialize(Pass):
    """Compute a convolution twice, once for sums over its tiles and once for the kernel that reads its elements.

    Legal where a template stores its result and what the tiles come to, as `fuse-reduction` leaves it, one later
    kernel alone reads the result, `fuse-epilogue` can fuse that into the template, and nothing between the two writes
    what the template reads. The first launch then stores only what tiles come to, and a second one, in the place of
    the reader, the reader's results. Expected, not measured: saves writing and reading the result once, for reading
    the operands and doing the arithmetic once more, which pays where channels to sum over are few.
    """

    name: ClassVar[str] = "rematerialize"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON
    explore = Exploration(Phase.FINISH, after=("fuse-reduction",))

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with such results computed twice, and what can be fused with these now; the same object where
        there is none."""
        changed = repeated(module, _fuse_one)
        return module if changed is module else FuseEpilogue().run(changed, ctx)


def _fuse_one(module: KernelModule) -> KernelModule | None:
    trace = trace_host(module)
    if trace is None:
        return None
    for first, second, parameter in handed_on(module, trace):
        split = Split(module, trace, first, second, parameter)
        fused = split.fused() if split.is_legal() else None
        if fused is not None:
            return fused
    return None


@dataclass(frozen=True)
class Split:
    """Two launches, the first of which stores its result by `parameter`, for the second to read, and more."""

    module: KernelModule
    trace: HostTrace
    first: HostLaunch
    second: HostLaunch
    parameter: str

    @property
    def tensor(self) -> str:
        """Host code's name for the result."""
        return self.first.given[self.parameter]

    @property
    def stores(self) -> list[ast.Call]:
        """The first kernel's stores of the result."""
        return stores_by(self.first.function, self.parameter)

    @property
    def others(self) -> list[ast.expr]:
        """Its other stores."""
        body = self.first.function.body
        return [s.value for s in body if isinstance(s, ast.Expr) and s.value not in self.stores]

    def is_legal(self) -> bool:
        """Whether the first kernel may store its result just before the second launch: a kernel as `fuse-reduction`
        leaves it, whose result nobody else has and whose operands are then what they were."""
        first, stores = self.first, self.stores
        spec = self.trace.spec(first.index, ast.Name(self.tensor, ast.Load())) if self.tensor.isidentifier() else None
        if spec is None or len(stores) != 1 or mentions(first.function, self.parameter) != 2:
            return False
        tile = Tile.of(first, stores[0], self.parameter, spec.numel)
        if tile is None or not tile.within or not _is_plain(first.function):
            return False
        again = self._again()
        roots = storages(self.trace)
        read = {roots.get(name, name) for name in self._names(again) - {self.tensor}}
        return (
            bool(self.others)
            and is_made_for(self.trace, self.tensor, first.index, self.second.index)
            and not read & written_between(self.module, self.trace, first.index, self.second.index)
        )

    def fused(self) -> KernelModule | None:
        """The module with the result computed twice and the second kernel where that is for the second time; None
        where it cannot be there."""
        again = self._again()
        module = self._split(again)
        trace = trace_host(module)
        assert trace is not None
        launches = {launch.kernel.symbol: launch for launch in find_launches(module, trace)}
        first, second = launches[again.symbol], launches[self.second.kernel.symbol]
        pair = TilePair(module, trace, first, second, self.parameter, self.tensor)
        return pair.made() if pair.is_legal() else None

    def _split(self, again: Kernel) -> KernelModule:
        """The module with a second launch of the template, which alone stores the result."""
        first, second = self.first, self.second
        parts = self._storing(first.kernel.symbol, self.others)
        operands = self._names(again) - {self.tensor}
        texts = {first.index: [first.text(parts, self._operands(parts))]}
        texts[second.index] = [first.text(again, self._operands(again))]
        for index in range(first.index + 1, second.index):
            statement = self.trace.statements[index]
            if isinstance(statement, ast.Delete):
                names = [ast.unparse(target) for target in statement.targets]
                texts[index] = [f"del {name}" for name in names if name not in operands]
                texts[second.index] += [f"del {name}" for name in names if name in operands]
        texts[second.index].append(ast.unparse(self.trace.statements[second.index]))
        module = with_statements(self.module, self.trace, texts)
        kernels = tuple(parts if kernel == first.kernel else kernel for kernel in module.kernels)
        return with_kernel(replace(module, kernels=kernels), again)

    def _again(self) -> Kernel:
        """The first kernel without what it stores beside its result."""
        stem = f"{self.first.kernel.symbol.removesuffix('_parts')}_again"
        return self._storing(fresh_symbol(self.module, stem), self.stores)

    def _storing(self, symbol: str, stores: Iterable[ast.expr]) -> Kernel:
        """The first kernel with these stores alone, and what they need."""
        function, kept = self.first.function, list(stores)
        needed = live(function.body, set().union(*map(names_in, kept)))
        body = [s for s in function.body if s in needed or (isinstance(s, ast.Expr) and s.value in kept)]
        used = names_in(ast.Module(body, []))
        names = [name for name in self.first.parameters if name in used]
        names += [ast.unparse(a) for a in function.args.args if a.arg in self.first.constexprs]
        lines = [line for statement in body for line in ast.unparse(statement).splitlines()]
        source = "\n".join([f"@triton.jit\ndef {symbol}({', '.join(names)}):", *(f"    {line}" for line in lines)])
        return replace(self.first.kernel, symbol=symbol, source=source)

    def _operands(self, kernel: Kernel) -> list[str]:
        """What the first launch gives for the parameters of such a kernel."""
        names = {argument.arg for argument in function_of(kernel).args.args}
        return [value for name, value in self.first.given.items() if name in names]

    def _names(self, kernel: Kernel) -> set[str]:
        """Names of host code in that."""
        return set().union(*(names_in(ast.parse(value)) for value in self._operands(kernel))) - {"torch"}


def _is_plain(function: ast.FunctionDef) -> bool:
    """Whether a kernel does nothing but compute and, outside of loops, store."""
    for statement in function.body:
        stores = isinstance(statement, ast.Expr) and called(statement.value, "tl.store")
        effects = any(isinstance(node, ast.Expr) for node in ast.walk(statement)) or "tl.atomic" in ast.unparse(
            statement
        )
        if not stores and (effects or not isinstance(statement, ast.Assign | ast.AnnAssign | ast.For)):
            return False
    return True
