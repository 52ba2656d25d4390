"""What an entry of the store knows of Inductor's kernel, as the record that a compile would make of it."""

import ast

import torch

from kernelwright.backend.store.entry import Entry
from kernelwright.frontend.swap.key import read
from kernelwright.frontend.swap.meaning import Layout
from kernelwright.frontend.swap.recorded import Argument, Recorded
from kernelwright.ir.errors import LoweringError
from kernelwright.ir.values import DTYPES, KernelModule, TensorSpec

#: What Inductor's texts of kernels import, and under which other names.
_IMPORTED, _RENAMED = ("triton.", "torch._inductor.runtime."), {("triton.language", "tl"), ("math", "tl_math")}
#: What they say beside imports and functions, and what the arguments of heuristics are made of.
_STATEMENTS = ("triton_helpers.set_driver_to_gpu()", "triton_helpers.set_driver_to_cpu()")
_CALLED, _HINTS = ("DeviceProperties", "set"), ("AutotuneHint", "ReductionHint", "TileHint")


def arguments_of(recorded: Recorded) -> tuple[tuple[str, int, int], ...]:
    """`Entry.arguments` of a kernel."""

    def place(name: str, names: tuple[str, ...]) -> int:
        return names.index(name) if name else -1

    inputs, outputs = recorded.inputs, recorded.outputs
    return tuple((one.parameter, place(one.read, inputs), place(one.written, outputs)) for one in recorded.arguments)


def recorded_of(entry: Entry, module: KernelModule) -> Recorded:
    """The record that `arguments_of` was asked about, but for its graph, which has no operations here: the module's
    reference says what the kernel computes. Raises LoweringError for an entry that lacks it."""
    reference = module.reference
    specs = [spec for spec in reference.inputs if isinstance(spec, TensorSpec)]
    if not entry.arguments or reference.state or len(specs) < len(reference.inputs):
        raise LoweringError("the entry does not say which argument of Inductor's kernel is which")
    inputs, outputs = (
        {f"{kind}{place}": _layout(spec) for place, spec in enumerate(some)}
        for kind, some in (("in", specs), ("out", reference.outputs))
    )
    arguments = []
    for parameter, source, result in entry.arguments:
        names = f"in{source}" if source >= 0 else "", f"out{result}" if result >= 0 else ""
        layouts = {one: layout for one, layout in (inputs | outputs).items() if one in names}
        if not layouts or len(layouts) < sum(map(bool, names)):
            raise LoweringError(f"the entry's argument {parameter} is none of the module's")
        arguments.append(Argument(parameter, *names, layouts))
    graph = torch.fx.GraphModule(torch.nn.Module(), torch.fx.Graph())
    name = read(entry.source).function.name
    return Recorded(
        entry.key,
        name,
        entry.source,
        tuple(arguments),
        graph,
        tuple(inputs),
        tuple(outputs),
        inputs | outputs,
        numbers={parameter: numbers[0] for parameter, numbers in entry.sizes},
    )


def _layout(spec: TensorSpec) -> Layout:
    return Layout(spec.shape, spec.strides, getattr(torch, DTYPES[spec.dtype][0]))


def why_not_inductors(source: str) -> str:
    """Why a text of a kernel is none that Inductor writes: loading it might run any code. "" for one that it may have
    written. What stands in the functions is not looked at: only Triton, or the dialect's parser, reads it."""
    for node in ast.parse(source).body:
        text = ast.unparse(node).partition("\n")[0][:80]
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [(one.name, one.asname) for one in node.names]
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [name for name, _ in names]
            known = all(f"{one}.".startswith(_IMPORTED) for one in modules)
            if not known or any(other and (name, other) not in _RENAMED for name, other in names):
                return f"it has `{text}`"
        elif isinstance(node, ast.FunctionDef):
            given = node.args
            more = [*given.posonlyargs, *given.kwonlyargs, *given.defaults, given.vararg, given.kwarg, node.returns]
            if any(more):
                return f"its function {node.name} has more than Inductor's functions"
            annotations = [one.annotation for one in given.args if one.annotation is not None]
            wrong = [one for one in annotations if ast.unparse(one) != "tl.constexpr"]
            wrong += [one for one in node.decorator_list if not _is_decorator(one)]
            if wrong:
                return f"its function {node.name} has `{ast.unparse(wrong[0])[:80]}`"
        elif not (isinstance(node, ast.Expr) and (isinstance(node.value, ast.Constant) or text in _STATEMENTS)):
            return f"it has `{text}`"
    return ""


def _is_decorator(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return ast.unparse(node) == "triton.jit"
    by_name = ast.unparse(node.func).startswith("triton_heuristics.") and not node.args
    return by_name and all(one.arg is not None and _is_plain(one.value) for one in node.keywords)


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression is made of constants, and of Inductor's hints and device properties."""
    match node:
        case ast.Constant():
            return True
        case ast.Name():
            return node.id == "__file__"
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.Attribute(value=ast.Name(id=name)):
            return name in _HINTS
        case ast.List() | ast.Tuple() | ast.Set():
            return all(map(_is_plain, node.elts))
        case ast.Dict():
            return all(one is not None and _is_plain(one) for one in (*node.keys, *node.values))
        case ast.Call(func=ast.Name(id=name), args=[]):
            return name in _CALLED and all(one.arg is not None and _is_plain(one.value) for one in node.keywords)
    return False
