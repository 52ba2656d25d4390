"""Memory without values that a graph reads, as circular padding does of a border that it then writes."""

import torch
from torch.fx import Graph

from kernelwright.frontend.algebra.nodes import aten, call

_EMPTY = (aten.empty.memory_format, aten.new_empty.default, aten.empty_like.default, aten.empty_strided.default)


def fill_empty(graph: Graph) -> None:
    """Take zeros for memory that holds nothing yet: a kernel then loads none of it, where a mask throws it away."""
    for node in list(graph.nodes):
        if node.target not in _EMPTY or not node.users:
            continue
        value = node.meta["val"]
        if not all(isinstance(size, int) for size in value.shape):
            continue
        zero = False if value.dtype is torch.bool else 0
        with graph.inserting_before(node):
            filled = call(graph, aten.full.default, list(value.shape), zero, dtype=value.dtype, device=value.device)
        node.replace_all_uses_with(filled)
        graph.erase_node(node)
