"""`fuse-epilogue`: what a pointwise kernel does with a kernel's result is done before that is stored."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from kernelwright.backend.host_trace import HostTrace, trace_host
from kernelwright.ir.checker import extern_name
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import DTYPES, Kernel, KernelModule, Level, TensorSpec
from kernelwright.midend.host_code import (
    FLOATS,
    extent,
    fresh_names,
    fresh_symbol,
    with_kernel,
    with_statements,
    without_idle_kernels,
)
from kernelwright.midend.launches import (
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
from kernelwright.midend.pointwise import Pointwise, mask_of, mentions
from kernelwright.midend.tile_elements import TiledPointwise
from kernelwright.midend.tiles import Tile

#: Stores of one kernel into which an epilogue is copied.
MOST_STORES = 8


@register
@dataclass(frozen=True)
class FuseEpilogue(Pass):
    """Fuse a pointwise kernel into the kernel whose whole result it reads element by element, and nobody else does.

    Legal where the first kernel stores that tensor outside of loops, the tensor has no gaps, the second kernel runs
    over its elements in the order of memory, or in any order where the first is a convolution's template, and nothing
    between the two launches touches what either uses. The value is rounded to the tensor's type as before. Expected,
    not measured: saves writing and reading the tensor once, and a launch.
    """

    name: ClassVar[str] = "fuse-epilogue"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TRITON

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
            and extent(spec) == spec.numel
            and self._belongs_to_both()
            and self._nothing_between()
            and self._nothing_shared()
            and 1 <= len(self.stores) <= MOST_STORES
            and not any(isinstance(store.args[1], ast.Constant) for store in self.stores)
            and mentions(self.first.function, self.parameter) == len(self.stores) + 1
            and (self._tiled(spec) is not None or self._is_pointwise(spec.numel))
        )

    def _is_pointwise(self, numel: int) -> bool:
        """Whether the second kernel runs over the elements in the order of memory."""
        return self._fits(Pointwise.of(self.second.function, self.read_as, numel)) and self._runs_over(numel)

    def _tiled(self, spec: TensorSpec) -> "TiledPointwise | None":
        """The second kernel as what is done to the elements of the first one's tile, where it has one."""
        stores = self.stores
        tile = Tile.of(self.first, stores[0], self.parameter, spec.numel) if len(stores) == 1 else None
        return TiledPointwise.of(self.second, self.read_as, tile) if tile is not None else None

    def _fits(self, pointwise: Pointwise | None) -> bool:
        return pointwise is not None and (
            not pointwise.needs_mask or all(mask_of(store) is not None for store in self.stores)
        )

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

    def _belongs_to_both(self) -> bool:
        """Whether the tensor appears once in either launch, and else where it is made and deleted."""
        if not is_made_for(self.trace, self.tensor, self.first.index, self.second.index):
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
        pointwise = self._tiled(spec) or Pointwise.of(second.function, self.read_as, spec.numel)
        assert pointwise is not None
        symbol = fresh_symbol(self.module, f"{first.kernel.symbol}_{second.kernel.symbol}")
        renamed = fresh_names(local_names(second.function), local_names(first.function) | self._globals())
        kept = [name for name in first.parameters if name != self.parameter]
        added = [name for name in second.parameters if name != self.read_as]
        body = [
            line for s in first.function.body for line in self._statement(s, pointwise, renamed, DTYPES[spec.dtype][0])
        ]
        names = [*kept, *(renamed.get(name, name) for name in added)]
        names += [ast.unparse(a) for a in first.function.args.args if a.arg in first.constexprs]
        source = "\n".join([f"@triton.jit\ndef {symbol}({', '.join(names)}):", *(f"    {line}" for line in body)])
        covers = tuple(dict.fromkeys((*first.kernel.covers, *second.kernel.covers)))
        kernel = Kernel(symbol, source, first.kernel.meta, covers)
        return without_idle_kernels(with_kernel(self._launch(kernel, kept, added), kernel))

    def _globals(self) -> set[str]:
        return {kernel.symbol for kernel in self.module.kernels}

    def _statement(
        self, statement: ast.stmt, pointwise: "Pointwise | TiledPointwise", renamed: Mapping[str, str], cast: str
    ) -> Iterator[str]:
        if not (isinstance(statement, ast.Expr) and statement.value in self.stores):
            yield from ast.unparse(statement).splitlines()
            return
        store = statement.value
        assert isinstance(store, ast.Call)
        index = pointer_sum(store.args[0], self.parameter)
        assert index is not None
        value = f"({ast.unparse(store.args[1])}).to(tl.{cast})"
        if isinstance(pointwise, TiledPointwise):
            yield from pointwise.lines(value, renamed)
            return
        mask = mask_of(store)
        yield f"{renamed.get('xindex', 'xindex')} = {ast.unparse(index)}"
        if mask is not None:
            yield f"{renamed.get('xmask', 'xmask')} = {ast.unparse(mask)}"
        yield from pointwise.lines(value, mask is not None, renamed)

    def _launch(self, kernel: Kernel, kept: list[str], added: list[str]) -> KernelModule:
        first, second = self.first, self.second
        arguments = [first.given[name] for name in kept] + [second.given[name] for name in added]
        texts: dict[int, list[str]] = {first.index: [], second.index: [first.text(kernel, arguments)]}
        allocated = self._allocated()
        assert allocated is not None
        texts[allocated] = []
        used = set().union(*map(names_in, first.arguments))
        for index, statement in enumerate(self.trace.statements):
            if isinstance(statement, ast.Delete):
                names = [ast.unparse(target) for target in statement.targets]
                left = [name for name in names if name != self.tensor]
                late = [name for name in left if name in used and first.index < index < second.index]
                texts[second.index] += [f"del {name}" for name in late]
                texts[index] = [f"del {name}" for name in left if name not in late]
        return with_statements(self.module, self.trace, texts)
