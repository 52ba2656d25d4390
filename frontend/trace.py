"""Trace a model into a functional graph of aten operations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import nn
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel

from kernelwright.frontend.problem import check_input, single_line
from kernelwright.ir.errors import LoweringError, UserError

_BATCH_NORMS_THAT_UPDATE = (
    torch.ops.aten.native_batch_norm.default,
    torch.ops.aten.cudnn_batch_norm.default,
    torch.ops.aten.miopen_batch_norm.default,
)


@dataclass(frozen=True)
class Traced:
    """A graph whose placeholders are `tensors`, in order, with a name for each."""

    graph: GraphModule
    names: tuple[str, ...]
    tensors: tuple[torch.Tensor, ...]
    returns: Literal["tensor", "tuple", "list"]


def trace(model: nn.Module, example_inputs: Sequence[Any], name: str) -> Traced:
    """The functional aten graph of one call. Raises LoweringError for what such a graph cannot express."""
    for index, value in enumerate(example_inputs):
        if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
            raise LoweringError(f"{name}: input {index} is a symbolic size; compile with dynamic=False")
        check_input(value, f"{name}: input {index}")
    state = dict(model.named_parameters()) | dict(model.named_buffers())
    positions = [i for i, value in enumerate(example_inputs) if isinstance(value, torch.Tensor)]
    tensors = tuple(example_inputs[i] for i in positions) + tuple(state.values())
    if len({tensor.device for tensor in tensors}) > 1:
        raise LoweringError(f"{name}: inputs and weights are on several devices; move them to one")
    if any(isinstance(size, torch.SymInt) for tensor in tensors for size in (*tensor.shape, *tensor.stride())):
        raise LoweringError(f"{name}: an input has a symbolic size; compile with dynamic=False")
    returned: list[Literal["tensor", "tuple", "list"]] = []

    def call(*values: torch.Tensor) -> Any:
        arguments = list(example_inputs)
        for position, value in zip(positions, values, strict=False):
            arguments[position] = value
        held = dict(zip(state, values[len(positions) :], strict=True))
        result = torch.func.functional_call(model, held, tuple(arguments))
        returned.append(_kind(result, name))
        return result

    try:
        with torch.no_grad(), sdpa_kernel(SDPBackend.MATH):
            # On copies: tracing runs the program, and one that writes in place would write to the caller's.
            copies = [tensor.detach().clone() for tensor in tensors]
            graph = make_fx(torch.func.functionalize(call, remove="mutations"))(*copies)
    except UserError:
        raise
    except Exception as error:  # the user's forward may raise anything
        raise LoweringError(
            f"{name}: cannot be traced into a graph: {single_line(error)}; its control flow and sizes "
            "must not depend on tensor values"
        ) from error
    for node in graph.graph.nodes:
        # A view of eager's strides may be no view of a compiler's; reshape is right for both.
        if node.target in (torch.ops.aten.view.default, torch.ops.aten._unsafe_view.default):
            node.target = torch.ops.aten.reshape.default
    inputs = [f"x{i}" if len(positions) > 1 else "x" for i in range(len(positions))]
    _check(graph, (*inputs, *state), name)
    return Traced(graph, (*inputs, *state), tensors, returned[-1])


def _kind(result: object, name: str) -> Literal["tensor", "tuple", "list"]:
    if isinstance(result, torch.Tensor):
        return "tensor"
    if not isinstance(result, tuple | list) or not all(isinstance(item, torch.Tensor) for item in result):
        what = type(result).__name__
        raise LoweringError(f"{name}: forward returns {what} with more than tensors in it; return tensors alone")
    return "list" if isinstance(result, list) else "tuple"


def _check(graph: GraphModule, names: Sequence[str], name: str) -> None:
    """Refuse operations outside aten, random ones, and those that write to an input."""
    placeholders = [node for node in graph.graph.nodes if node.op == "placeholder"]
    labels = dict(zip(placeholders, names, strict=True))
    for node in graph.graph.nodes:
        if node.op not in ("call_function", "placeholder", "get_attr", "output"):
            raise LoweringError(f"{name}: {node.op} {node.target} is not an aten operation")
        op = node.target
        if node.op != "call_function" or not hasattr(op, "namespace"):
            continue
        if op.namespace not in ("aten", "prims"):
            raise LoweringError(f"{name}: {op} is not an aten operation; keep it outside the compiled region")
        if torch.Tag.nondeterministic_seeded in op.tags:
            raise LoweringError(f"{name}: {op} draws random numbers; call model.eval(), or keep it outside")
        target = node.args[0] if node.args else None
        if op == torch.ops.aten.copy_.default and isinstance(target, Node):
            what = labels.get(target, target.name)
            raise LoweringError(f"{name}: writes to {what} in place ({op}); return the new value instead")
        if op in _BATCH_NORMS_THAT_UPDATE and node.args[5] and node.args[3] is not None:
            raise LoweringError(f"{name}: {op} updates its running statistics in place; call model.eval()")
        for value in _symbolic(node):
            raise LoweringError(f"{name}: {op} has the symbolic size {value}; compile with dynamic=False")


def _symbolic(node: Node) -> list[object]:
    value = node.meta.get("val")
    sizes = value.shape if isinstance(value, torch.Tensor) else [value]
    return [size for size in sizes if isinstance(size, torch.SymInt | torch.SymFloat | torch.SymBool)]
