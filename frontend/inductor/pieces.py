"""The kernels of a lowered module, each as a program of its own with the aten operations that it stands for.

Inductor writes each buffer once (see `capture.BASE_CONFIG`) and knows which node of its graph a buffer holds. So a
kernel's reference is the part of the graph between the buffers that it reads and those that it writes. Its inputs are
drawn like the values that the whole program has there. Kernels that meet in a buffer that holds no node's value are one
piece together.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import torch
from torch.fx import Graph, GraphModule, Interpreter, Node

from kernelwright.frontend.graph_source import print_source
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.inductor.capture import Held
from kernelwright.frontend.inductor.host_steps import Part, parts, read_lines
from kernelwright.frontend.inductor.module_text import ModuleBuilder
from kernelwright.frontend.trace import Traced
from kernelwright.ir.errors import KernelwrightError, LoweringError
from kernelwright.ir.values import Kernel, KernelModule, Launcher, TensorSpec
from kernelwright.ir.verifier import launched


@dataclass(frozen=True)
class Piece:
    """The launches of one kernel or of several; `module` has only these kernels and the functions that kernels call.

    `host`: the lines of the program's host code that the piece consists of.
    """

    symbols: tuple[str, ...]
    module: KernelModule
    host: frozenset[str]

    @property
    def name(self) -> str:
        """The kernels, in words."""
        return ("kernel " if len(self.symbols) == 1 else "kernels ") + " with ".join(f"@{one}" for one in self.symbols)

    def of(self, other: KernelModule) -> KernelModule | None:
        """The same piece with the kernels of another module; None if that module launches them in another way."""
        kernels = {kernel.symbol: kernel for kernel in other.kernels}
        if other.launcher is None or not kernels.keys() >= set(self.symbols):
            return None
        if not self.host <= {line.text for line in read_lines(other.launcher.source, kernels)}:
            return None
        return replace(self.module, kernels=_needed(other, self.symbols))


@dataclass(frozen=True)
class Pieces:
    """A lowered module, its pieces, and by symbol the reason why a kernel is in no piece."""

    whole: KernelModule
    found: tuple[Piece, ...]
    left_out: Mapping[str, str]


def take_apart(builder: ModuleBuilder) -> Pieces:
    """Build the module, and its pieces: every kernel whose part of the graph is known is in one."""
    whole, program = builder.build(), _Program.run(builder)
    assert whole.launcher is not None, "a lowered module has a launcher"
    lines = read_lines(whole.launcher.source, {kernel.symbol for kernel in whole.kernels})
    found: list[Piece] = []
    left_out: dict[str, str] = {}
    for part in parts(lines, lambda name: name in program.layouts):
        judged = {symbol for piece in found for symbol in piece.symbols}
        if judged.issuperset(part.symbols):  # another launch of the same kernels, or none
            continue
        try:
            found.append(_piece(whole, part, program))
        except KernelwrightError as error:
            left_out |= {symbol: str(error) for symbol in part.symbols}
    judged = {symbol for piece in found for symbol in piece.symbols}
    return Pieces(whole, tuple(found), {symbol: why for symbol, why in left_out.items() if symbol not in judged})


class _Values(Interpreter):
    """Runs a graph and keeps the values of some of its nodes."""

    def __init__(self, graph: GraphModule, kept: Iterable[Node]) -> None:
        super().__init__(graph)
        self.kept, self.found = frozenset(kept), dict[Node, Any]()

    def run_node(self, n: Node) -> Any:
        """The value of a node."""
        value = super().run_node(n)
        if n in self.kept:
            self.found[n] = value
        return value


@dataclass(frozen=True)
class _Program:
    """The graph of a program, and for each buffer whose value is a node's: this node, its value and the layout."""

    graph: GraphModule
    nodes: Mapping[str, Node]
    values: Mapping[str, torch.Tensor]
    layouts: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]

    @classmethod
    def run(cls, builder: ModuleBuilder) -> "_Program":
        """Run the graph once; `builder` has built its module, so that buffers have their names."""
        captured = builder.captured
        inputs = [node for node in captured.graph.graph.nodes if node.op == "placeholder"]
        held = {builder.names.get(name, name): one for name, one in captured.buffers.items()}
        nodes = dict(zip(captured.inputs, inputs, strict=False)) | {name: one.node for name, one in held.items()}
        layouts = {name: (one.shape, one.strides) for name, one in held.items()}
        layouts |= {spec.name: (spec.shape, spec.strides) for spec in builder.module.reference.tensors}
        values = _Values(captured.graph, nodes.values())
        try:
            with torch.no_grad():
                values.run(*captured.tensors)
        except torch.OutOfMemoryError:
            raise  # says nothing about the program
        except RuntimeError as error:
            raise LoweringError(
                f"the graph that Inductor compiled does not run operation by operation: {error}"
            ) from error
        found = {name: values.found.get(node) for name, node in nodes.items()}  # none of a node of another graph
        known = {name: value for name, value in found.items() if name in layouts and _holds(value, held.get(name))}
        return cls(captured.graph, nodes, known, {name: layouts[name] for name in known})


def _holds(value: Any, buffer: Held | None) -> TypeGuard[torch.Tensor]:
    """Whether a buffer, or an input, holds this value as it is."""
    if not isinstance(value, torch.Tensor):
        return False
    return buffer is None or (buffer.shape, buffer.dtype) == (tuple(value.shape), value.dtype)


def _needed(module: KernelModule, symbols: Sequence[str]) -> tuple[Kernel, ...]:
    """These kernels, and the functions that kernels call."""
    others = set(launched(module)) - set(symbols)
    return tuple(kernel for kernel in module.kernels if kernel.symbol not in others)


def _piece(whole: KernelModule, part: Part, program: _Program) -> Piece:
    """Lines of host code as a program; raises LoweringError where their part of the graph is not known."""
    told = ", ".join(f"@{symbol}" for symbol in part.symbols)
    if not part.taken or not part.made:
        raise LoweringError(
            f"{told}: all that it {'gets' if part.made else 'makes'} is not known as operations' results"
        )
    graph = _graph(program, part, told)
    tensors = tuple(_laid_out(program.values[name], program.layouts[name]) for name in part.taken)
    text = print_source(Traced(graph, part.taken, tensors, "tuple"), part.symbols[0])
    numerics = whole.reference.numerics
    module = import_source(text, part.symbols[0], shrink="never", numerics="ieee" if numerics == "bf16" else numerics)
    specs = [spec for spec in module.reference.inputs if isinstance(spec, TensorSpec)]
    made = replace(module, kernels=_needed(whole, part.symbols), launcher=_launcher(part, specs))
    return Piece(part.symbols, made, frozenset(line.text for line in part.lines))


def _laid_out(value: torch.Tensor, layout: tuple[tuple[int, ...], tuple[int, ...]]) -> torch.Tensor:
    """A value as it lies in a buffer."""
    return torch.empty_strided(*layout, dtype=value.dtype, device=value.device).copy_(value)


def _graph(program: _Program, part: Part, told: str) -> GraphModule:
    """The operations between these buffers; raises LoweringError where something else is needed."""
    inputs, outputs = ([program.nodes[name] for name in names] for names in (part.taken, part.made))
    needed: set[Node] = set()
    ahead = [node for node in outputs if node not in inputs]
    while ahead:
        node = ahead.pop()
        if node.op == "placeholder":
            raise LoweringError(f"{told}: it does not get {node.name}, which its results depend on")
        needed.add(node)
        ahead += [one for one in node.all_input_nodes if one not in needed and one not in inputs]
    graph = Graph()
    copied = {node: graph.placeholder(name) for node, name in zip(inputs, part.taken, strict=True)}
    for node in program.graph.graph.nodes:
        if node in needed:
            copied[node] = graph.node_copy(node, lambda one: copied[one])
            if str(node.target) == _POOL and all(user.args[1] == 0 for user in node.users):
                copied[node].target = torch.ops.aten.max_pool2d_with_indices.default
    graph.output(tuple(copied[node] for node in outputs))
    return GraphModule(program.graph, graph)


#: What Inductor makes of `max_pool2d_with_indices`; only a process that has loaded Inductor knows it.
_POOL = "prims._low_memory_max_pool_with_offsets.default"


class _Renamed(ast.NodeTransformer):
    """Inputs under the names that the piece has for them; new buffers lie where its first input does."""

    def __init__(self, names: Mapping[str, str], first: str) -> None:
        self.names, self.first = names, first

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        if node.arg == "device" and isinstance(node.value, ast.Attribute):
            return ast.keyword("device", ast.Attribute(ast.Name(self.first, ast.Load()), "device", ast.Load()))
        return ast.keyword(node.arg, self.visit(node.value))


def _launcher(part: Part, specs: Sequence[TensorSpec]) -> Launcher:
    """Host code that makes a part's results."""
    names = dict(zip(part.taken, (spec.name for spec in specs), strict=True))
    renamed = _Renamed(names, specs[0].name)
    lines = [f"def forward({', '.join(f'{spec.name}: {spec.annotation!r}' for spec in specs)}):"]
    lines += [f"    {ast.unparse(renamed.visit(ast.parse(line.text)))}" for line in part.lines]
    lines.append(f"    return ({', '.join(part.made)},)")
    return Launcher(ast.unparse(ast.parse("\n".join(lines))))
