"""Running sums of one number, which Inductor takes for multiples of it, in a dtype of its own choice."""

import torch
from torch.fx import Graph, Node

from kernelwright.frontend.algebra.nodes import aten, call

prims = torch.ops.prims


def count_constants(graph: Graph) -> None:
    """Spell out `cumsum` of a tensor of one number: its multiples, in the dtype that the program asks for."""
    for node in list(graph.nodes):
        source = node.args[0] if node.target is aten.cumsum.default else None
        if not isinstance(source, Node) or source.target is not aten.full.default:
            continue
        with graph.inserting_before(node):
            value = _multiples(graph, node, source)
        node.replace_all_uses_with(value)
        graph.erase_node(node)


def _multiples(graph: Graph, node: Node, source: Node) -> Node:
    value, axis = node.meta["val"], node.args[1]
    number = source.args[1]
    assert isinstance(axis, int) and isinstance(number, bool | int | float)
    whole = not source.meta["val"].dtype.is_floating_point or not value.dtype.is_floating_point
    number = int(number) if whole else number
    if not value.ndim:
        return call(graph, aten.full.default, [], number, dtype=value.dtype, device=value.device)
    size = value.shape[axis]
    options = {"start": 1, "step": 1, "dtype": torch.int64, "device": value.device, "requires_grad": False}
    counted = call(graph, prims.iota.default, size, **options)
    counted = call(graph, prims.convert_element_type.default, counted, value.dtype)
    sizes = [1] * value.ndim
    sizes[axis] = size
    shaped = call(graph, aten.view.default, call(graph, aten.mul.Tensor, counted, number), sizes)
    return call(graph, aten.expand.default, shaped, list(value.shape))
