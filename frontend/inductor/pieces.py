"""The kernels of a lowered module one by one, each as a program of its own with the aten operations that it stands for.

Inductor writes each buffer once (see `capture.BASE_CONFIG`) and knows which node of its graph a buffer holds. So a
kernel's reference is the part of the graph between the buffers that it reads and those that it writes. Its inputs are
drawn like the values that the whole program has there.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Interpreter, Node

from kernelwright.frontend.graph_source import print_source
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.inductor.module_text import ModuleBuilder
from kernelwright.frontend.trace import Traced
from kernelwright.ir.errors import KernelwrightError, LoweringError
from kernelwright.ir.trees import syntax_tree
from kernelwright.ir.values import Kernel, KernelModule, Launcher, TensorSpec

#: A tensor's shape and strides.
Layout = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Piece:
    """One launched kernel: `module` contains only this kernel and the functions that kernels call."""

    symbol: str
    module: KernelModule

    def of(self, other: KernelModule) -> KernelModule | None:
        """The same piece with the kernel of this symbol from another module; None if the module has no such kernel."""
        kernels = {kernel.symbol: kernel for kernel in other.kernels}
        if self.symbol not in kernels:
            return None
        names = [kernel.symbol for kernel in self.module.kernels]
        return replace(self.module, kernels=tuple(kernels[name] for name in names if name in kernels))


@dataclass(frozen=True)
class Pieces:
    """A lowered module, its pieces, and by symbol the reason why a kernel is not a piece."""

    whole: KernelModule
    found: tuple[Piece, ...]
    left_out: Mapping[str, str]


@dataclass(frozen=True)
class _Launch:
    """A kernel's first launch in host code: what it is given, and which of it nothing has written before."""

    call: ast.Call
    symbol: str
    given: tuple[str, ...]
    made: tuple[str, ...]


def take_apart(builder: ModuleBuilder) -> Pieces:
    """Build the module, and a piece of each kernel whose part of the graph is known."""
    whole, captured = builder.build(), builder.captured
    assert whole.launcher is not None, "a lowered module has a launcher"
    inputs = [node for node in captured.graph.graph.nodes if node.op == "placeholder"]
    nodes = dict(zip(captured.inputs, inputs, strict=False))
    held = {builder.names.get(name, name): one for name, one in captured.buffers.items()}
    nodes |= {name: one.node for name, one in held.items()}
    values = _Values(captured.graph)
    with torch.no_grad():
        values.run(*captured.tensors)
    host = syntax_tree(whole.launcher.source).body[-1]
    assert isinstance(host, ast.FunctionDef)
    layouts = {name: (one.shape, one.strides) for name, one in held.items()}
    layouts |= {spec.name: (spec.shape, spec.strides) for spec in whole.reference.tensors}
    launches = list(_launches(host, whole.kernels))
    found, left_out = [], {}
    for launch in launches:
        others = {one.symbol for one in launches} - {launch.symbol}
        kernels = tuple(kernel for kernel in whole.kernels if kernel.symbol not in others)
        try:
            found.append(_piece(replace(whole, kernels=kernels), launch, nodes, values, layouts))
        except KernelwrightError as error:
            left_out[launch.symbol] = str(error)
    return Pieces(whole, tuple(found), left_out)


class _Values(Interpreter):
    """Runs a graph and keeps the value of each node."""

    def __init__(self, graph: GraphModule) -> None:
        super().__init__(graph, garbage_collect_values=False)
        self.found = dict[Node, Any]()

    def run_node(self, n: Node) -> Any:
        """The value of a node, which is kept."""
        self.found[n] = super().run_node(n)
        return self.found[n]


def _launches(host: ast.FunctionDef, kernels: Sequence[Kernel]) -> Iterator[_Launch]:
    """The first launch of each kernel."""
    symbols = {kernel.symbol for kernel in kernels}
    empty: set[str] = set()
    seen: set[str] = set()
    for statement in host.body:
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Assign) and isinstance(value, ast.Call) and _is_empty_strided(value.func):
            empty.add(ast.unparse(statement.targets[0]))
            continue
        named = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Subscript):
            symbol = ast.unparse(value.func.value)
            if symbol in symbols - seen:
                seen.add(symbol)
                given = tuple(node.id for node in value.args if isinstance(node, ast.Name))
                yield _Launch(value, symbol, given, tuple(name for name in given if name in empty))
        empty -= set(named)


def _is_empty_strided(function: ast.expr) -> bool:
    return ast.unparse(function) == "torch.empty_strided"


def _piece(
    whole: KernelModule,
    launch: _Launch,
    nodes: Mapping[str, Node],
    values: _Values,
    layouts: Mapping[str, Layout],
) -> Piece:
    """A launch as a program; raises LoweringError where its part of the graph is not known."""
    if not all(isinstance(one, ast.Name | ast.Constant) for one in launch.call.args):
        raise LoweringError(f"@{launch.symbol} is given a part of a tensor")
    unknown = [name for name in launch.given if name not in nodes or name not in layouts]
    if unknown:
        raise LoweringError(f"@{launch.symbol}: it is not known which operation's result {unknown[0]} holds")
    for name in launch.given:
        value = values.found[nodes[name]]
        if not isinstance(value, torch.Tensor) or tuple(value.shape) != layouts[name][0]:
            raise LoweringError(f"@{launch.symbol}: {name} does not have the shape of the operation's result")
    taken = tuple(name for name in launch.given if name not in launch.made)
    tensors = tuple(_laid_out(values.found[nodes[name]], layouts[name]) for name in taken)
    if not tensors or not launch.made:
        raise LoweringError(f"@{launch.symbol} gets no tensor that holds values, or none that it is the first to write")
    part = _part(values, [nodes[name] for name in taken], [nodes[name] for name in launch.made], launch)
    text = print_source(Traced(part, taken, tensors, "tuple"), launch.symbol)
    numerics = whole.reference.numerics
    module = import_source(text, launch.symbol, shrink="never", numerics="ieee" if numerics == "bf16" else numerics)
    specs = [spec for spec in module.reference.inputs if isinstance(spec, TensorSpec)]
    made = replace(module, kernels=whole.kernels, launcher=_launcher(launch, taken, specs, values, nodes, layouts))
    return Piece(launch.symbol, made)


def _laid_out(value: torch.Tensor, layout: Layout) -> torch.Tensor:
    """A value as it lies in a buffer."""
    return torch.empty_strided(*layout, dtype=value.dtype).copy_(value)


def _part(values: _Values, inputs: Sequence[Node], outputs: Sequence[Node], launch: _Launch) -> GraphModule:
    """The operations between these nodes; raises LoweringError where something else is needed."""
    needed: set[Node] = set()
    ahead = [node for node in outputs if node not in inputs]
    while ahead:
        node = ahead.pop()
        if node.op == "placeholder":
            raise LoweringError(f"@{launch.symbol} does not get {node.name}, which its results depend on")
        needed.add(node)
        ahead += [one for one in node.all_input_nodes if one not in needed and one not in inputs]
    part = Graph()
    copied = {node: part.placeholder(name) for node, name in zip(inputs, launch.given, strict=False)}
    for node in values.graph.nodes:
        if node in needed:
            copied[node] = part.node_copy(node, lambda one: copied[one])
    part.output(tuple(copied[node] for node in outputs))
    return GraphModule(values.module, part)


def _launcher(
    launch: _Launch,
    taken: Sequence[str],
    specs: Sequence[TensorSpec],
    values: _Values,
    nodes: Mapping[str, Node],
    layouts: Mapping[str, Layout],
) -> Launcher:
    """Host code that makes a launch's results and launches it."""
    names = dict(zip(taken, (spec.name for spec in specs), strict=True))
    names |= {name: f"made_{place}" for place, name in enumerate(launch.made)}
    lines = [f"def forward({', '.join(f'{spec.name}: {spec.annotation!r}' for spec in specs)}):"]
    for name in launch.made:
        (shape, strides), dtype = layouts[name], values.found[nodes[name]].dtype
        lines.append(
            f"    {names[name]} = torch.empty_strided({shape}, {strides}, device={specs[0].name}.device, dtype={dtype})"
        )
    given = [names.get(ast.unparse(one), ast.unparse(one)) for one in launch.call.args]
    given += [f"**{ast.unparse(word.value)}" for word in launch.call.keywords]
    lines.append(f"    {ast.unparse(launch.call.func)}({', '.join(given)})")
    lines.append(f"    return ({', '.join(names[name] for name in launch.made)},)")
    return Launcher(ast.unparse(ast.parse("\n".join(lines))))
