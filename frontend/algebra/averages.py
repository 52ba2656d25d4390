"""Averages move inwards: one of a product, a convolution or an affine map becomes one of fewer numbers.

mean(x + y) = mean(x) + mean(y), and mean(c x) = c mean(x) where c is the same along the averaged axes. At the end of
that way is a product of matrices or a convolution, whose files say what an average of it is.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import prod

from torch.fx import Graph, Node

from kernelwright.frontend.algebra.convolutions import mean_of_convolution, pooled_convolution
from kernelwright.frontend.algebra.moments import has_variance
from kernelwright.frontend.algebra.nodes import (
    Value,
    arguments,
    aten,
    call,
    is_float32,
    reshaped,
    shape_of,
    size_along,
)
from kernelwright.frontend.algebra.products import mean_of_product

#: Operators of which an average costs less than they do.
CONTRACTIONS = (aten.mm.default, aten.bmm.default, aten.addmm.default, aten.convolution.default)


@dataclass
class Average:
    """The average that a node of a graph takes, or a part of it; new nodes stand where the graph inserts.

    `gained`: it moved into a product or convolution, or ended at values whose variance is computed as well.
    """

    graph: Graph
    node: Node
    gained: bool = field(default=False, init=False)

    def is_same(self, value: Value) -> bool:
        """Whether a value is repeated wherever it is averaged."""
        raise NotImplementedError

    def taken(self, value: Node) -> Node:
        """The average of a value, computed as such."""
        raise NotImplementedError

    def inside(self, node: Node) -> Node | None:
        """The average of what an operator of CONTRACTIONS gives, without that; None where it is not known."""
        raise NotImplementedError

    def scaled(self, value: Value, factor: Value, by: Callable[..., Node]) -> Node | None:
        """The average of `value` times (or over) `factor`; None where the factor has to stay inside."""
        if self.is_same(value) or not self.is_same(factor):
            return None
        return call(self.graph, by, self.of(value), factor)

    def of(self, value: Value) -> Value:
        """The average of a value, as far inside as it goes."""
        if not isinstance(value, Node) or self.is_same(value):
            return value
        moved = self.moved(value)
        return self.taken(value) if moved is None else moved

    def moved(self, node: Node) -> Node | None:
        """The average of an operator's result from averages of what it takes."""
        if node.kwargs or not is_float32(node):
            return None
        if node.target in CONTRACTIONS:
            found = self.inside(node) if self._only_for_this(node) else None
            self.gained |= found is not None
            return found
        match node.target, arguments(node):
            case ((aten.add.Tensor | aten.sub.Tensor), (left, right)) if self._apart(node, left, right):
                return call(self.graph, node.target, self.of(left), self.of(right))
            case aten.neg.default, (inner,):
                return call(self.graph, aten.neg.default, self.of(inner))
            case aten.mul.Tensor, (Node() as left, right):
                return self.scaled(left, right, aten.mul.Tensor) or self.scaled(right, left, aten.mul.Tensor)
            case aten.div.Tensor, (Node() as left, right):
                return self.scaled(left, right, aten.div.Tensor)
        return None

    def _only_for_this(self, value: Node) -> bool:
        """Whether a value is computed for this average alone."""
        waiting, seen = [value], {self.node}
        while waiting:
            users = waiting.pop().users.keys() - seen
            if any(not user.users for user in users):
                return False
            seen |= users
            waiting += users
        return True

    def _apart(self, node: Node, left: Value, right: Value) -> bool:
        """Whether two averages are worth more than that of a sum: one is of fewer values, or moves on inwards."""
        values = [value for value in (left, right) if isinstance(value, Node) and not self.is_same(value)]
        whole = [value for value in values if prod(shape_of(value)) == prod(shape_of(node))]
        return len(whole) < 2 or any(value.target in CONTRACTIONS for value in values)


@dataclass
class AxisMean(Average):
    """The mean over axes, which stay with size 1. They count from the last (-1): the same for all that broadcasts."""

    axes: frozenset[int]

    def is_same(self, value: Value) -> bool:
        """Whether it is repeated along all axes."""
        return all(size_along(value, axis) == 1 for axis in self.axes)

    def taken(self, value: Node) -> Node:
        """Over those of the axes along which there is more than one."""
        self.gained |= has_variance(value)
        return self._over(value)

    def moved(self, node: Node) -> Node | None:
        """As for every average, but not past values whose variance is computed: it takes their mean as well."""
        return None if has_variance(node) else super().moved(node)

    def inside(self, node: Node) -> Node | None:
        """Over the axes that the operator knows; over the others afterwards."""
        rule = mean_of_convolution if node.target is aten.convolution.default else mean_of_product
        found = rule(self.graph, node, self.axes, lambda value, axes: AxisMean(self.graph, self.node, axes).of(value))
        return None if found is None else self._over(found)

    def scaled(self, value: Value, factor: Value, by: Callable[..., Node]) -> Node | None:
        """Over the axes along which the factor is repeated; over the others afterwards."""
        inner = AxisMean(self.graph, self.node, frozenset(axis for axis in self.axes if size_along(factor, axis) == 1))
        if inner.is_same(value):
            return None
        scaled = call(self.graph, by, inner.of(value), factor)
        self.gained |= inner.gained
        return self._over(scaled)

    def _over(self, value: Node) -> Node:
        longer = sorted(axis for axis in self.axes if size_along(value, axis) > 1)
        return call(self.graph, aten.mean.dim, value, longer, True) if longer else value


@dataclass
class WindowMean(Average):
    """The mean of windows along the last axes as `avg_pool` takes it without padding."""

    sizes: tuple[int, ...]
    steps: tuple[int, ...]

    def is_same(self, value: Value) -> bool:
        """Whether it is repeated along all windowed axes."""
        return all(size_along(value, -1 - axis) == 1 for axis in range(len(self.sizes)))

    def taken(self, value: Node) -> Node:
        """By the operator itself."""
        operator = {2: aten.avg_pool2d.default, 3: aten.avg_pool3d.default}[len(self.sizes)]
        return call(self.graph, operator, value, list(self.sizes), list(self.steps))

    def moved(self, node: Node) -> Node | None:
        """As for every average, but nothing that is windowed is broadcast."""
        windowed = [value for value in node.args if isinstance(value, Node) and not self.is_same(value)]
        if node.target not in CONTRACTIONS and any(shape_of(value) != shape_of(node) for value in windowed):
            return None
        return super().moved(node)

    def inside(self, node: Node) -> Node | None:
        """Only that of a convolution is known."""
        is_convolution = node.target is aten.convolution.default
        return pooled_convolution(self.graph, node, self.sizes, self.steps) if is_convolution else None


def pull_averages(graph: Graph) -> bool:
    """Move every average inwards that gains by it; whether there was one."""
    found = False
    for node in list(graph.nodes):
        average = _average(graph, node)
        if average is None:
            continue
        before = node.prev
        with graph.inserting_before(node):
            averaged = arguments(node)[0]
            value = average.of(averaged)
            if average.gained and isinstance(value, Node) and value.args[0] is not averaged:
                node.replace_all_uses_with(_as_was(graph, node, value))
                graph.erase_node(node)
                found = True
                continue
        while node.prev is not before:
            graph.erase_node(node.prev)
    return found


def _average(graph: Graph, node: Node) -> Average | None:
    """The average that a node is; a sum is a multiple of one."""
    if node.op != "call_function" or node.kwargs or not node.args or not is_float32(arguments(node)[0]):
        return None
    rank = len(shape_of(arguments(node)[0]))
    match node.target, arguments(node):
        case ((aten.mean.dim | aten.sum.dim_IntList), (_, [*axes], *_)):
            return AxisMean(graph, node, _from_last(axes or range(rank), rank))
        case ((aten.mean.default | aten.sum.default), _):
            return AxisMean(graph, node, _from_last(range(rank), rank))
        case ((aten.avg_pool2d.default | aten.avg_pool3d.default), (_, [*sizes], *rest)):
            steps, padding, ceil, _, divisor = (*rest, *(None,) * 5)[:5]
            if not any(padding or ()) and not ceil and divisor is None:
                return WindowMean(graph, node, tuple(sizes), tuple(steps or sizes))
    return None


def _from_last(axes: Iterable[int], rank: int) -> frozenset[int]:
    return frozenset(axis % rank - rank for axis in axes)


def _as_was(graph: Graph, node: Node, value: Node) -> Node:
    """An average in the form of the node that it replaces."""
    if node.target in (aten.sum.dim_IntList, aten.sum.default):
        count = prod(shape_of(arguments(node)[0])) // prod(shape_of(value))
        value = call(graph, aten.mul.Tensor, value, float(count))
    return reshaped(graph, value, shape_of(node))
