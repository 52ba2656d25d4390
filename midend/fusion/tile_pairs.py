"""What a kernel does with a convolution's result, by element or by pixel, done on the tiles of its template."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernelwright.backend.launch.host_trace import trace_host
from kernelwright.ir.values import DTYPES, Kernel, KernelModule, TensorSpec
from kernelwright.midend.analysis.hand_overs import HandOver
from kernelwright.midend.analysis.host_code import (
    fresh_names,
    fresh_symbol,
)
from kernelwright.midend.analysis.launches import find_launches
from kernelwright.midend.analysis.pointwise import mentions
from kernelwright.midend.analysis.trees import local_names, stores_by
from kernelwright.midend.fusion.tile_elements import TiledPointwise
from kernelwright.midend.fusion.tile_rows import TiledRows
from kernelwright.midend.fusion.tiles import Tile


@dataclass(frozen=True)
class TilePair(HandOver):
    """Two launches, the second of which reads what the first stores by `parameter` into host code's tensor `tensor`."""

    @property
    def stores(self) -> list[ast.Call]:
        """The first kernel's stores of the tensor that are statements of its body."""
        return stores_by(self.first.function, self.parameter)

    def is_legal(self) -> bool:
        """Whether the rewrite changes no result."""
        spec = self.spec()
        return (
            spec is not None
            and super().is_legal()
            and len(self.stores) == 1
            and not isinstance(self.stores[0].args[1], ast.Constant)
            and mentions(self.first.function, self.parameter) == 2
            and self._kind(spec) is not None
        )

    def _kind(self, spec: TensorSpec) -> "TiledPointwise | TiledRows | None":
        """What the second kernel does to what the first stores; None where that is nothing that can be done there."""
        tile = Tile.of(self.first, self.stores[0], self.parameter, spec.numel)
        rows = TiledRows.of(self.module, self.first, self.second, self.read_as, tile) if tile is not None else None
        if rows is not None or tile is None or self.is_kept():
            return rows
        return TiledPointwise.of(self.second, self.read_as, tile)

    def made(self) -> KernelModule:
        """The module with one kernel in the place of both."""
        first, second, spec = self.first, self.second, self.spec()
        assert spec is not None
        kind = self._kind(spec)
        assert kind is not None
        if isinstance(kind, TiledRows) and "NBLOCK" in first.constexprs:
            return self._of_all_channels(kind).made()
        symbol = fresh_symbol(self.module, f"{first.kernel.symbol}_{second.kernel.symbol}")
        renamed = fresh_names(local_names(second.function), local_names(first.function) | self._globals())
        kept = [name for name in first.parameters if name != self.parameter or self.is_kept()]
        added = [name for name in second.parameters if name != self.read_as]
        body = [line for s in first.function.body for line in self._statement(s, kind, renamed, DTYPES[spec.dtype][0])]
        names = [*kept, *(renamed.get(name, name) for name in added)]
        names += [ast.unparse(a) for a in first.function.args.args if a.arg in first.constexprs]
        source = "\n".join([f"@triton.jit\ndef {symbol}({', '.join(names)}):", *(f"    {line}" for line in body)])
        covers = tuple(dict.fromkeys((*first.kernel.covers, *second.kernel.covers)))
        kernel = Kernel(symbol, source, first.kernel.meta, covers)
        arguments = [first.given[name] for name in kept] + [second.given[name] for name in added]
        return self.fused(kernel, arguments)

    def _of_all_channels(self, rows: TiledRows) -> "TilePair":
        """The same two launches, the first one's tiles such that they hold all channels."""
        module = rows.with_whole_tiles(self.module, self.trace, self.first)
        trace = trace_host(module)
        assert trace is not None
        launches = {launch.index: launch for launch in find_launches(module, trace)}
        first, second = launches[self.first.index], launches[self.second.index]
        return TilePair(module, trace, first, second, self.parameter, self.tensor)

    def _globals(self) -> set[str]:
        return {kernel.symbol for kernel in self.module.kernels}

    def _statement(
        self, statement: ast.stmt, kind: "TiledPointwise | TiledRows", renamed: Mapping[str, str], cast: str
    ) -> Iterator[str]:
        stores = isinstance(statement, ast.Expr) and statement.value in self.stores
        if self.is_kept() or not stores:
            yield from ast.unparse(statement).splitlines()
        if not stores:
            return
        assert isinstance(statement, ast.Expr)
        store = statement.value
        assert isinstance(store, ast.Call)
        value = f"({ast.unparse(store.args[1])}).to(tl.{cast})"
        yield from kind.lines(value, renamed)
