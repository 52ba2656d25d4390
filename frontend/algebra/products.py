"""The mean of a product of matrices along its rows or columns: a product with one mean row or column."""

from collections.abc import Callable

from torch.fx import Graph, Node

from kernelwright.frontend.algebra.nodes import Value, arguments, aten, call, reshaped, shape_of


def mean_of_product(
    graph: Graph, node: Node, axes: frozenset[int], mean: Callable[[Value, frozenset[int]], Value]
) -> Node | None:
    """The mean of an `mm`, `bmm` or `addmm` over those of its last two axes that are in `axes`; None where neither is.

    It takes M K or K N multiplications instead of M K N. `mean` gives that of any other value.
    """
    *bias, left, right = arguments(node)
    rows, columns = -2 in axes, -1 in axes
    if not (rows or columns):
        return None
    if rows:
        left = mean(left, frozenset({-2}))
    if columns:
        right = mean(right, frozenset({-1}))
    if columns:
        products, summed = call(graph, aten.mul.Tensor, left, _turned(graph, right)), -1
    else:
        products, summed = call(graph, aten.mul.Tensor, _turned(graph, left), right), -2
    found = call(graph, aten.sum.dim_IntList, products, [summed], True)
    return call(graph, aten.add.Tensor, found, mean(bias[0], axes)) if bias else found


def _turned(graph: Graph, vector: Node) -> Node:
    """A matrix of one row as one of one column, or the other way around."""
    *batch, rows, columns = shape_of(vector)
    return reshaped(graph, vector, (*batch, columns, rows))
