"""A recorded kernel as a problem: a program in KernelBench's format, and Inductor's own kernel as an answer to it."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch.fx import Node

from kernelwright.backend.targets import get_target
from kernelwright.frontend.graph_source import Spread, print_source
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.inductor.capture import Captured
from kernelwright.frontend.inductor.module_text import ModuleBuilder
from kernelwright.frontend.swap.key import KernelText, read
from kernelwright.frontend.swap.meaning import Layout
from kernelwright.frontend.swap.recorded import Argument, Recorded
from kernelwright.frontend.trace import Traced
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.values import KernelModule


def name_of(recorded: Recorded) -> str:
    """A name that tells what the kernel fuses: `add_mul_1f0c9a2b`."""
    stem = re.sub(r"^triton_[a-z]+_fused_+|_\d+$", "", recorded.name.partition(" ")[0])
    return f"{stem[:40].strip('_') or 'kernel'}_{recorded.key[:8]}"


def problem(recorded: Recorded, spreads: Mapping[Node, Spread] | None = None) -> KernelModule:
    """The aten operations that the kernel stands for, between tensors that lie as Inductor's buffers do.

    `spreads` has the values of the graph's nodes; inputs are drawn like them. Raises LoweringError for a
    record without a graph, and for one with values that have no literal.
    """
    if recorded.graph is None:
        raise LoweringError(f"{recorded.name}: {recorded.why_not}")
    name, inputs = name_of(recorded), [_empty(recorded.layouts[one]) for one in recorded.inputs]
    pairs = zip(recorded.values, inputs, strict=True)
    drawn = [(spreads or {}).get(meaning.node) or Spread.of(value) for meaning, value in pairs]
    graph = torch.fx.GraphModule(torch.nn.Module(), torch.fx.Graph())
    graph.graph.output(graph.graph.graph_copy(recorded.graph.graph, {}))
    traced = Traced(graph, recorded.inputs, tuple(inputs), "tuple")
    numerics = read(recorded.source).numerics if recorded.source else "ieee"
    return import_source(print_source(traced, name, drawn), name, shrink="never", numerics=numerics)


def _empty(layout: Layout) -> torch.Tensor:
    return torch.empty_strided(layout.shape, layout.strides, dtype=layout.dtype, device="meta")


def own_kernel(recorded: Recorded, module: KernelModule, target: str) -> KernelModule:
    """Inductor's own kernel as an answer to its problem `module`, launched as Inductor would on the target.

    Raises LoweringError for a text that has no plain form.
    """
    assert recorded.graph is not None, recorded.why_not
    if recorded.parts:
        raise LoweringError(f"{recorded.name}: it is several kernels")
    kernel, arguments = _apart(read(recorded.source), recorded.arguments)
    inputs = tuple(spec.name for spec in module.reference.tensors)
    places = {name: f"arg{place}_1" for place, name in enumerate(recorded.inputs)}
    results = {name: f"buf{place}" for place, name in enumerate(recorded.outputs)}
    given = {one.parameter: places[one.read] if one.read else results[one.written] for one in arguments}
    makes = _library_call if kernel.library else _launch
    before, lines = makes(recorded, kernel, given, {results[name]: recorded.layouts[name] for name in results})
    taken, returned = ", ".join(places.values()), ", ".join(results.values())
    body = [f"{taken}, = args", "args.clear()", *lines, f"return ({returned},)"]
    text = "\n".join([*before, "def call(args):", *(f"    {line}" for line in body)])
    outputs = tuple(range(len(results)))
    captured = Captured(text, inputs, outputs, {}, recorded.graph, (), {})
    return ModuleBuilder(replace(module, kernels=(), launcher=None), captured, get_target(target)).build()


def _launch(
    recorded: Recorded, kernel: KernelText, given: Mapping[str, str], results: Mapping[str, Layout]
) -> tuple[list[str], list[str]]:
    """What defines a kernel, and what launches it on buffers of its own."""
    sizes = {**_sizes(kernel), **recorded.numbers}
    missing = [name for name in kernel.parameters if name not in given and name not in sizes]
    if missing:
        raise LoweringError(f"{recorded.name}: {missing[0]} has no value in the kernel's text")
    passed = ", ".join(given.get(name) or str(sizes[name]) for name in kernel.parameters)
    assert recorded.graph is not None
    called = (str(node.target) for node in recorded.graph.graph.nodes if node.op == "call_function")
    covers = dict.fromkeys(name.rpartition(".")[0] for name in called)
    before = [f"# Original ATen: [{', '.join(covers)}]"]
    before += [f"{recorded.name} = async_compile.triton({recorded.name!r}, {kernel.source!r})"]
    return before, [*_made(results), f"{recorded.name}.run({passed}, stream=stream0)"]


def _library_call(
    recorded: Recorded, kernel: KernelText, given: Mapping[str, str], results: Mapping[str, Layout]
) -> tuple[list[str], list[str]]:
    """What calls a library's function, whose result lies as it does in the model."""
    del recorded
    call = re.sub(r"\b(in|out)_ptr\d+\b", lambda found: given[found[0]], kernel.library)
    ((name, layout),) = results.items()
    if f"out={name}" in call:
        return [], [*_made(results), call]
    return [], [f"{name} = {call}", f"assert_size_stride({name}, {layout.shape}, {layout.strides})"]


def _made(results: Mapping[str, Layout]) -> list[str]:
    """What makes buffers."""
    return [
        f"{name} = empty_strided_cpu({layout.shape}, {layout.strides}, {layout.dtype})"
        for name, layout in results.items()
    ]


def _sizes(kernel: KernelText) -> dict[str, int]:
    """The size parameters that the kernel's text sets."""
    assigned = (node for node in ast.walk(kernel.function) if isinstance(node, ast.Assign))
    values = {ast.unparse(one.targets[0]): one.value for one in assigned if isinstance(one.value, ast.Constant)}
    return {name: one.value for name, one in values.items() if isinstance(one.value, int)}


class _Loads(ast.NodeTransformer):
    """What is loaded through some parameters is loaded through others."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if ast.unparse(node.func) == "tl.load":
            for one in ast.walk(node.args[0]):
                if isinstance(one, ast.Name) and one.id in self.names:
                    one.id = self.names[one.id]
        return node


def _apart(kernel: KernelText, arguments: Sequence[Argument]) -> tuple[KernelText, Sequence[Argument]]:
    """The kernel with a parameter to read and one to write in the place of each that it does both with."""
    both = {one.parameter: f"{one.parameter}_before" for one in arguments if one.read and one.written}
    if not both:
        return kernel, arguments
    text = ast.unparse(kernel.function)
    for name in both:
        places = [text.find(f"tl.store({name} "), text.rfind(f"tl.load({name} ")]
        if "tl.atomic" in text or not 0 <= places[1] < places[0]:
            raise LoweringError(f"it writes to {name} before it has read all of it")
    tree = ast.parse(kernel.source)
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    function = next(node for node in functions if node.name == kernel.function.name)
    _Loads(both).visit(function)
    function.args.args[:0] = [ast.arg(name) for name in both.values()]
    apart = []
    for one in arguments:
        apart += [replace(one, read="") if one.parameter in both else one]
        apart += [replace(one, parameter=both[one.parameter], written="")] if one.parameter in both else []
    return read(ast.unparse(ast.fix_missing_locations(tree))), apart
