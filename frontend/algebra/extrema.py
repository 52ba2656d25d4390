"""Extrema of which nobody asks the place: a maximum or minimum along an axis by itself, without its index."""

import operator

import torch
from torch.fx import Graph

from kernelwright.frontend.algebra.nodes import arguments, aten, call

_VALUES_ALONE = {aten.max.dim: aten.amax.default, aten.min.dim: aten.amin.default}


def drop_places(graph: Graph) -> None:
    """Take `max` and `min` along an axis whose index is not used for `amax` and `amin`, which give the same values and
    compare no indices."""
    for node in list(graph.nodes):
        if node.target not in _VALUES_ALONE:
            continue
        parts = list(node.users)
        if any(part.target is not operator.getitem or arguments(part)[1] != 0 for part in parts):
            continue
        image, axis, *keep = arguments(node)
        if image.meta["val"].dtype is torch.bool:  # a maximum of truths is another operation
            continue
        with graph.inserting_before(node):
            value = call(graph, _VALUES_ALONE[node.target], image, [axis], *keep, **node.kwargs)
        for part in parts:
            part.replace_all_uses_with(value)
            graph.erase_node(part)
        graph.erase_node(node)
