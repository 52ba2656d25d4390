"""Nodes of aten graphs: what they hold, and new ones."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch.fx import Graph, Node

from kernelwright.backend.torch_private import tree_map

aten = torch.ops.aten
#: The same memory seen with other sizes, before and after Inductor's first passes.
RESHAPES = (aten.reshape.default, aten.view.default)

#: A node, or a number, which broadcasts like one.
Value = Node | int | float


def arguments(node: Node) -> tuple[Any, ...]:
    """What an operator is given by position."""
    return node.args


def shape_of(node: Node) -> tuple[int, ...]:
    """Sizes of a node's tensor."""
    return tuple(int(size) for size in node.meta["val"].shape)


def is_float32(node: Any) -> bool:
    """Whether it is a tensor of fp32: with fewer digits the order of operations matters too much."""
    value = node.meta.get("val") if isinstance(node, Node) else None
    return isinstance(value, torch.Tensor) and value.dtype is torch.float32


def size_along(value: Value, axis: int) -> int:
    """How long a value is along an axis, counted from the last (-1): 1 where it is repeated along it."""
    shape = shape_of(value) if isinstance(value, Node) else ()
    return shape[axis] if -axis <= len(shape) else 1


def call(graph: Graph, operator: Callable[..., Any], *args: Any, **kwargs: Any) -> Node:
    """A new node where the graph inserts, its value known; kernels are named after its operator."""
    node = graph.call_function(operator, args, kwargs)
    node.meta["original_aten"] = operator
    values = tree_map(lambda arg: arg.meta["val"] if isinstance(arg, Node) else arg, (args, kwargs))
    with _mode(graph):
        node.meta["val"] = operator(*values[0], **values[1])
    return node


def _mode(graph: Graph) -> AbstractContextManager[Any]:
    """In which a graph's values have no content."""
    modes = (getattr(node.meta.get("val"), "fake_mode", None) for node in graph.nodes)
    return next((mode for mode in modes if mode is not None), nullcontext())


def reshaped(graph: Graph, node: Node, sizes: Sequence[int]) -> Node:
    """The node with other sizes; itself where it has them."""
    return node if shape_of(node) == tuple(sizes) else call(graph, aten.reshape.default, node, list(sizes))
