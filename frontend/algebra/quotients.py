"""Floor division of floating numbers as eager code does it: by the exact remainder, not by a rounded quotient."""

from torch.fx import Graph, Node

from kernelwright.frontend.algebra.nodes import aten, call


def divide_as_eager(graph: Graph) -> None:
    """Spell out `a // b` of floating tensors, whose quotient can be rounded up to a whole number: 9.0 // 0.9 is 9."""
    for node in list(graph.nodes):
        floors = node.target is aten.div.Tensor_mode and node.kwargs.get("rounding_mode") == "floor"
        if not floors or not node.meta["val"].dtype.is_floating_point:
            continue
        with graph.inserting_before(node):
            value = _floored(graph, *node.args)
        node.replace_all_uses_with(value)
        graph.erase_node(node)


def _floored(graph: Graph, a: Node, b: Node | float) -> Node:
    """What eager code computes, whose own steps these are."""
    fmod = aten.fmod.Tensor if isinstance(b, Node) else aten.fmod.Scalar
    rest = call(graph, fmod, a, b)
    whole = call(graph, aten.div.Tensor, call(graph, aten.sub.Tensor, a, rest), b)
    negative = call(graph, aten.lt.Scalar, rest, 0)
    if isinstance(b, Node):
        differ = call(graph, aten.ne.Tensor, negative, call(graph, aten.lt.Scalar, b, 0))
    else:
        differ = call(graph, aten.logical_not.default, negative) if b < 0 else negative
    lower = call(graph, aten.logical_and.default, call(graph, aten.ne.Scalar, rest, 0), differ)
    value = call(graph, aten.where.self, lower, call(graph, aten.sub.Tensor, whole, 1), whole)
    floor = call(graph, aten.floor.default, value)
    up = call(graph, aten.gt.Scalar, call(graph, aten.sub.Tensor, value, floor), 0.5)
    floor = call(graph, aten.where.self, up, call(graph, aten.add.Tensor, floor, 1), floor)
    if not isinstance(b, Node):
        return floor
    nothing = call(graph, aten.eq.Scalar, b, 0)
    return call(graph, aten.where.self, nothing, call(graph, aten.div.Tensor, a, b), floor)
