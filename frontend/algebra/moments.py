"""Mean and variance of the same values over different axes: those over the fewest, from which the others follow."""

import operator
from collections.abc import Iterator
from dataclasses import dataclass

from torch.fx import Graph, Node

from kernelwright.frontend.algebra.nodes import RESHAPES, arguments, aten, call, reshaped, shape_of


@dataclass(frozen=True)
class Variance:
    """A `var_mean`, the node, of `values`, which it sees with the sizes `view`: over axes `over` of that view."""

    node: Node
    values: Node
    view: tuple[int, ...]
    over: tuple[int, ...]


def variances_of(values: Node) -> Iterator[Variance]:
    """The population variances that are computed of some values, axes kept; of a view of them, where it is that of a
    group norm: the axes of an image made one, its channels two."""
    for user in values.users:
        if _is_population(user):
            yield Variance(user, values, shape_of(values), _axes(user))
        elif user.target in RESHAPES and _is_grouped(shape_of(values), shape_of(user)):
            yield from (Variance(one, values, shape_of(user), _axes(one)) for one in user.users if _is_population(one))


def has_variance(values: Node) -> bool:
    """Whether a population variance is computed of some values."""
    return any(True for _ in variances_of(values))


def _is_population(node: Node) -> bool:
    options = {"correction": 0, "keepdim": True}
    return node.target is aten.var_mean.correction and dict(node.kwargs) == options and len(node.args) == 2


def _axes(node: Node) -> tuple[int, ...]:
    values, axes, *_ = arguments(node)
    return tuple(sorted(axis % len(shape_of(values)) for axis in axes))


def _is_grouped(shape: tuple[int, ...], view: tuple[int, ...]) -> bool:
    return len(view) == 4 and len(shape) > 2 and shape[0] == view[0] and shape[1] == view[1] * view[2]


def share_moments(graph: Graph) -> bool:
    """Where mean and variance of some values are computed and their mean over fewer of the axes too, compute both over
    those, and the others from them: mean(m) and mean(v + (m - mean(m))^2). Whether there was such a pair."""
    found = False
    for values in list(graph.nodes):
        for mean in [user for user in values.users if _is_mean(user)]:
            for variance in list(variances_of(values)):
                found |= _share(graph, values, mean, variance)
    return found


def _is_mean(node: Node) -> bool:
    return node.target is aten.mean.dim and node.args[2:] == (True,) and not node.kwargs


def _share(graph: Graph, values: Node, mean: Node, variance: Variance) -> bool:
    """Do so for one mean and one variance; False where they do not fit."""
    shape = shape_of(values)
    fewer = _axes(mean)
    viewed = variance.view != shape
    inner = (3,) if viewed else fewer
    outer = [axis for axis in variance.over if axis not in inner]
    if not set(inner) <= set(variance.over) or (viewed and fewer != tuple(range(2, len(shape)))):
        return False
    with graph.inserting_before(values.next):
        both = call(graph, aten.var_mean.correction, values, list(fewer), correction=0, keepdim=True)
        spread, middle = (call(graph, operator.getitem, both, place) for place in (0, 1))
        mean.replace_all_uses_with(middle)
        if viewed:
            spread, middle = (reshaped(graph, node, (*variance.view[:3], 1)) for node in (spread, middle))
        if outer:
            centre = call(graph, aten.mean.dim, middle, outer, True)
            distance = call(graph, aten.sub.Tensor, middle, centre)
            square = call(graph, aten.mul.Tensor, distance, distance)
            spread = call(graph, aten.mean.dim, call(graph, aten.add.Tensor, spread, square), outer, True)
            middle = centre
    for part in list(variance.node.users):
        part.replace_all_uses_with((spread, middle)[arguments(part)[1]])
    return True
