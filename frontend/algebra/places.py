"""Numbers that places are computed with: Inductor holds such values as symbols, which kernels compute in 32 bits."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from kernelwright.frontend.algebra.nodes import aten, call, shape_of

_MADE = (torch.ops.prims.iota.default, aten.arange.start_step)
_MOST = (1 << 31) - 1
_PRODUCTS = (aten.mul.Tensor, aten.mul.Scalar)
_POWERS = (aten.pow.Tensor_Scalar, aten.pow.Tensor_Tensor, aten.pow.Scalar)
_SHIFTS = (aten.bitwise_left_shift.Tensor_Scalar, aten.bitwise_left_shift.Tensor)
_SUMS = (aten.add.Tensor, aten.add.Scalar, aten.sub.Tensor, aten.sub.Scalar)


def outgrow_symbols(graph: Graph) -> bool:
    """Whether a graph has places, as `arange` gives, and may carry them beyond 32 bits, or meets numbers that no symbol
    compares with, as NaN."""
    longest = max((max(shape_of(node), default=1) for node in graph.nodes if node.target in _MADE), default=0)
    if not longest:
        return False
    return not all(map(math.isfinite, _floats(graph))) or _bound(graph, longest) > _MOST


def start_at_zero(graph: Graph) -> None:
    """Add what places start at, where that is beyond 32 bits, instead of counting from there."""
    for node in list(graph.find_nodes(op="call_function", target=torch.ops.prims.iota.default)):
        start, step = node.kwargs["start"], node.kwargs["step"]
        if abs(start) <= _MOST and abs(step) <= _MOST:
            continue
        with graph.inserting_before(node):
            counted = call(graph, node.target, *node.args, **{**node.kwargs, "start": 0, "step": 1})
            moved = call(graph, aten.add.Tensor, call(graph, aten.mul.Tensor, counted, step), start)
        node.replace_all_uses_with(moved)
        graph.erase_node(node)


def _bound(graph: Graph, bound: int) -> int:
    """How large whole numbers may become that all operations of a graph, one after another, make of one so large."""
    for node in graph.nodes:
        value = node.meta.get("val")
        if not isinstance(value, Tensor) or value.is_floating_point() or bound > _MOST:
            continue
        if node.target in _MADE:
            bound = bound * abs(node.kwargs.get("step", 1)) + abs(node.kwargs.get("start", 0))
        elif node.target in _PRODUCTS:
            bound *= _size(node.args[1], bound)
        elif node.target in _POWERS:
            bound **= min(_size(node.args[1], bound), 32)
        elif node.target in _SHIFTS:
            bound <<= min(_size(node.args[1], bound), 64)
        elif node.target in _SUMS:
            bound += _size(node.args[1], bound) * abs(node.kwargs.get("alpha", 1))
    return bound


def _size(operand: Any, bound: int) -> int:
    return math.ceil(abs(operand)) if isinstance(operand, int | float) else max(bound, 2)


def _floats(graph: Graph) -> Iterator[float]:
    """The floating numbers that a graph's operations are given, tensors of one element included."""
    for node in graph.nodes:
        if node.op == "get_attr":
            held: Any = graph.owning_module
            for part in str(node.target).split("."):
                held = getattr(held, part)
            if type(held) is Tensor and held.numel() == 1 and held.is_floating_point():
                yield float(held)
        yield from _given(node)


def _given(node: Node) -> Iterator[float]:
    values = [*node.args, *node.kwargs.values()]
    while values:
        value = values.pop()
        if isinstance(value, list | tuple):
            values += value
        elif isinstance(value, float):
            yield value
