"""`fuse-epilogue`: what a kernel does with another's result by element, or by pixel, is done before that is stored."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from kernelwright.backend.launch.host_trace import HostTrace, trace_host
from kernelwright.ir.dialect.checker import extern_name
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import DTYPES, Kernel, KernelModule, Level, TensorSpec
from kernelwright.midend.analysis.host_code import (
    FLOATS,
    fresh_names,
    fresh_symbol,
    with_kernel,
    with_statements,
    without_idle_kernels,
)
from kernelwright.midend.analysis.launches import (
    HostLaunch,
    find_launches,
    is_made_for,
    local_names,
    makes,
    names_in,
    pointer_sum,
    storages,
    stores_by,
)
from kernelwright.midend.analysis.pointwise import Pointwise, mask_of, mentions
from kernelwright.midend.fusion.tile_elements import TiledPointwise
from kernelwright.midend.fusion.tile_rows import TiledRows
from kernelwright.midend.fusion.tiles import Tile

#: Stores of one kernel into which an epilogue is copied.
MOST_STORES = 8


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

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:  # noqa: ARG002
        """The module with as few kernels as that makes; the same object where nothing can be fused."""
        while (fused := _fuse_one(module)) is not None:
            module = fused
        return module


def _fuse_one(module: KernelModule) -> KernelModule | None:
    trace = trace_host(module)
    if trace is None:
        return None
    launches = list(find_launches(module, trace))
    for first in launches:
        for second in launches:
            if first.index < second.index and first.kernel != second.kernel:
                for parameter, name in first.given.items():
                    pair = Pair(module, trace, first, second, parameter, name)
                    if name in second.given.values() and pair.is_legal():
                        return pair.fused()
    return None


@dataclass(frozen=True)
class Pair:
    """Two launches, the second of which reads what the first stores by `parameter` into host code's tensor `tensor`."""

    module: KernelModule
    trace: HostTrace
    first: HostLaunch
    second: HostLaunch
    parameter: str
    tensor: str

    @property
    def read_as(self) -> str:
        """The second kernel's name for the tensor."""
        return next(name for name, value in self.second.given.items() if value == self.tensor)

    @property
    def stores(self) -> list[ast.Call]:
        """The first kernel's stores of the tensor that are statements of its body."""
        return stores_by(self.first.function, self.parameter)

    def is_legal(self) -> bool:
        """Whether the rewrite changes no result."""
        spec = self._spec()
        return (
            spec is not None
            and spec.dtype in FLOATS
            and spec.extent == spec.numel
            and self._is_given_once()
            and self._nothing_between()
            and self._nothing_shared()
            and 1 <= len(self.stores) <= MOST_STORES
            and not any(isinstance(store.args[1], ast.Constant) for store in self.stores)
            and mentions(self.first.function, self.parameter) == len(self.stores) + 1
            and self._kind(spec) is not None
        )

    def _kind(self, spec: TensorSpec) -> "Pointwise | TiledPointwise | TiledRows | None":
        """What the second kernel does to what the first stores; None where that is nothing that can be done there."""
        tile, stores = self._tile(spec), self.stores
        rows = TiledRows.of(self.module, self.first, self.second, self.read_as, tile) if tile is not None else None
        if rows is not None or self._is_kept():
            return rows
        tiled = TiledPointwise.of(self.second, self.read_as, tile) if tile is not None else None
        pointwise = Pointwise.of(self.second.function, self.read_as, spec.numel) if tiled is None else None
        masked = all(mask_of(store) is not None for store in stores)
        fits = pointwise is not None and (masked or not pointwise.needs_mask) and self._runs_over(spec.numel)
        return pointwise if fits else tiled

    def _tile(self, spec: TensorSpec) -> Tile | None:
        """The tile that a program of the first kernel stores, where it is a convolution's template."""
        stores = self.stores
        return Tile.of(self.first, stores[0], self.parameter, spec.numel) if len(stores) == 1 else None

    def _is_kept(self) -> bool:
        """Whether others read the tensor, too: after the second launch, where nothing between the two does."""
        return not is_made_for(self.trace, self.tensor, self.first.index, self.second.index)

    def _spec(self) -> TensorSpec | None:
        if not self.tensor.isidentifier() or self._allocated() is None:
            return None
        return self.trace.spec(self.first.index, ast.Name(self.tensor, ast.Load()))

    def _allocated(self) -> int | None:
        """The statement that makes the tensor, if that leaves it uninitialised."""
        for index, statement in enumerate(self.trace.statements[: self.first.index]):
            if makes(statement, self.tensor):
                return index
        return None

    def _is_given_once(self) -> bool:
        """Whether the tensor appears once in either launch and nowhere else before the second, and either kernel is
        launched once."""
        places = [
            index
            for index, statement in enumerate(self.trace.statements[: self.second.index + 1])
            for _ in range(mentions(statement, self.tensor) - makes(statement, self.tensor))
        ]
        if places != [self.first.index, self.second.index]:
            return False
        used = [launch.kernel.symbol for launch in find_launches(self.module, self.trace)]
        return used.count(self.first.kernel.symbol) == used.count(self.second.kernel.symbol) == 1

    def _nothing_between(self) -> bool:
        """Whether the first launch may wait for the second: no statement between them touches what it uses."""
        used = set().union(*map(names_in, self.first.arguments)) - {"torch"}
        between = self.trace.statements[self.first.index + 1 : self.second.index]
        busy = [s for s in between if not isinstance(s, ast.Delete) and "empty_strided(" not in ast.unparse(s)]
        if any((names_in(s) - self._devices(s)) & used for s in between if not isinstance(s, ast.Delete)):
            return False
        # A view could be touched under another name.
        return not busy or not any(self._is_view(s, used) for s in self.trace.statements[: self.second.index])

    def _nothing_shared(self) -> bool:
        """Whether no program of one kernel writes what a program of the other reads or writes, the tensor apart."""
        roots = storages(self.trace)

        def touched(launch: HostLaunch, parameters: Iterable[str]) -> set[str]:
            names = {n for p in parameters for n in names_in(ast.parse(launch.given[p]))} - {"torch", self.tensor}
            return {roots.get(name, name) for name in names}

        first, second = self.first, self.second
        return not (
            touched(first, first.written) & touched(second, second.parameters)
            or touched(second, second.written) & touched(first, first.parameters)
        )

    def _is_view(self, statement: ast.stmt, used: set[str]) -> bool:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            return False
        fresh = extern_name(statement.value.func) or "empty_strided(" in ast.unparse(statement)
        return not fresh and bool((names_in(statement) - self._devices(statement)) & used)

    def _devices(self, statement: ast.stmt) -> set[str]:
        """Names that a statement reads nothing of but their device."""
        inner = [n.value for n in ast.walk(statement) if isinstance(n, ast.Attribute) and n.attr == "device"]
        names = [n.id for n in inner if isinstance(n, ast.Name)]
        return {name for name in names if names.count(name) == mentions(statement, name)}

    def _runs_over(self, numel: int) -> bool:
        """Whether the second launch has a program for every element."""
        meta = f"{self.second.kernel.meta_name}['XBLOCK']"
        return ast.unparse(self.second.grid) in (f"(triton.cdiv({numel}, {meta}),)", f"triton.cdiv({numel}, {meta})")

    def fused(self) -> KernelModule:
        """The module with one kernel in the place of both."""
        first, second, spec = self.first, self.second, self._spec()
        assert spec is not None
        kind = self._kind(spec)
        assert kind is not None
        if isinstance(kind, TiledRows) and "NBLOCK" in first.constexprs:
            return self._of_all_channels(kind).fused()
        symbol = fresh_symbol(self.module, f"{first.kernel.symbol}_{second.kernel.symbol}")
        renamed = fresh_names(local_names(second.function), local_names(first.function) | self._globals())
        kept = [name for name in first.parameters if name != self.parameter or self._is_kept()]
        added = [name for name in second.parameters if name != self.read_as]
        body = [line for s in first.function.body for line in self._statement(s, kind, renamed, DTYPES[spec.dtype][0])]
        names = [*kept, *(renamed.get(name, name) for name in added)]
        names += [ast.unparse(a) for a in first.function.args.args if a.arg in first.constexprs]
        source = "\n".join([f"@triton.jit\ndef {symbol}({', '.join(names)}):", *(f"    {line}" for line in body)])
        covers = tuple(dict.fromkeys((*first.kernel.covers, *second.kernel.covers)))
        kernel = Kernel(symbol, source, first.kernel.meta, covers)
        return without_idle_kernels(with_kernel(self._launch(kernel, kept, added), kernel))

    def _of_all_channels(self, rows: TiledRows) -> "Pair":
        """The same two launches, the first one's tiles such that they hold all channels."""
        module = rows.with_whole_tiles(self.module, self.trace, self.first)
        trace = trace_host(module)
        assert trace is not None
        launches = {launch.index: launch for launch in find_launches(module, trace)}
        first, second = launches[self.first.index], launches[self.second.index]
        return Pair(module, trace, first, second, self.parameter, self.tensor)

    def _globals(self) -> set[str]:
        return {kernel.symbol for kernel in self.module.kernels}

    def _statement(
        self, statement: ast.stmt, kind: "Pointwise | TiledPointwise | TiledRows", renamed: Mapping[str, str], cast: str
    ) -> Iterator[str]:
        stores = isinstance(statement, ast.Expr) and statement.value in self.stores
        if self._is_kept() or not stores:
            yield from ast.unparse(statement).splitlines()
        if not stores:
            return
        assert isinstance(statement, ast.Expr)
        store = statement.value
        assert isinstance(store, ast.Call)
        index = pointer_sum(store.args[0], self.parameter)
        assert index is not None
        value = f"({ast.unparse(store.args[1])}).to(tl.{cast})"
        if not isinstance(kind, Pointwise):
            yield from kind.lines(value, renamed)
            return
        mask = mask_of(store)
        yield f"{renamed.get('xindex', 'xindex')} = {ast.unparse(index)}"
        if mask is not None:
            yield f"{renamed.get('xmask', 'xmask')} = {ast.unparse(mask)}"
        yield from kind.lines(value, mask is not None, renamed)

    def _launch(self, kernel: Kernel, kept: list[str], added: list[str]) -> KernelModule:
        first, second = self.first, self.second
        arguments = [first.given[name] for name in kept] + [second.given[name] for name in added]
        texts: dict[int, list[str]] = {first.index: [], second.index: [first.text(kernel, arguments)]}
        allocated, gone = self._allocated(), "" if self._is_kept() else self.tensor
        assert allocated is not None
        if gone:
            texts[allocated] = []
        used = set().union(*map(names_in, first.arguments))
        for index, statement in enumerate(self.trace.statements):
            if isinstance(statement, ast.Delete):
                names = [ast.unparse(target) for target in statement.targets]
                left = [name for name in names if name != gone]
                late = [name for name in left if name in used and first.index < index < second.index]
                texts[second.index] += [f"del {name}" for name in late]
                texts[index] = [f"del {name}" for name in left if name not in late]
        return with_statements(self.module, self.trace, texts)
