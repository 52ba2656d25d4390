"""The part of Inductor's graph that leads from the values of some buffers to those of others, as aten operations.

Values lie in memory as Inductor laid its buffers out, and a buffer may hold what is only close to a node's value: a
sum under a mean, sums of stretches of what a node adds up, or a convolution that lacks its bias.
"""

import operator
from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_aggregate

from kernelwright.backend.torch_private import is_primitive
from kernelwright.frontend.swap.meaning import Layout, Meaning


class ApartError(Exception):
    """Why no part of a graph leads from some buffers to others."""


#: The types in which kernels compute with values of others.
_WIDE = {torch.bfloat16: torch.float32, torch.float16: torch.float32}
#: What Inductor makes of an operation, which only a process that has loaded Inductor knows.
_SOFTMAX = "prims.prepare_softmax_online.default"
_PUBLIC = {"prims._low_memory_max_pool_with_offsets.default": torch.ops.aten.max_pool2d_with_indices.default}
_aten = torch.ops.aten


def between(inputs: Sequence[Meaning], outputs: Sequence[Meaning], given: Sequence[Layout]) -> GraphModule:
    """The operations that lead from some values to others, whose results lie as `given` says. Raises ApartError.

    As in Inductor's kernels, values of 16 bits are computed with in 32 and rounded only where they are stored.
    """
    graph = Graph()
    pairs = [(meaning, graph.placeholder(meaning.node.name)) for meaning in inputs]
    copied = {meaning.node: _restored(graph, place, meaning) for meaning, place in pairs if meaning.bias is None}
    biased = {meaning.node: (place, meaning.bias) for meaning, place in pairs if meaning.bias is not None}
    places = set(graph.nodes)
    needed, ahead = set[Node](), [source for one in outputs for source in _sources(one)]
    while ahead:
        node = ahead.pop()
        if node in copied or node in needed:
            continue
        if node.op == "placeholder":
            raise ApartError(f"its results depend on {node.name}, which it is not given")
        needed.add(node)
        ahead += [biased[node][1]] if node in biased else node.all_input_nodes
    for node in outputs[0].node.graph.nodes if outputs else ():
        if node in needed:
            found = biased.get(node)
            copied[node] = _copied(graph, node, copied) if found is None else _biased(graph, node, *found, copied)
    results = []
    for meaning, layout in zip(outputs, given, strict=True):
        value = _held(graph, meaning, copied, layout)
        results.append(_laid_out(graph, value, meaning, layout, value in places))
    graph.output(tuple(results))
    return GraphModule(torch.nn.Module(), graph)


def _sources(meaning: Meaning) -> Sequence[Node]:
    """What a buffer's value is computed from."""
    if meaning.bias is not None:
        raise ApartError("it gives a convolution's value without the bias")
    return meaning.sources if meaning.wide is None else meaning.node.all_input_nodes


def _restored(graph: Graph, place: Node, meaning: Meaning) -> Node:
    """The node's value, from what its buffer holds."""
    value, like = place, meaning.node.meta["val"]
    if meaning.stretches > 1:
        value = graph.call_function(_aten.sum.dim_IntList, (value, [-1]))
    if meaning.factor != 1:
        value = graph.call_function(_aten.mul.Tensor, (value, 1 / meaning.factor))
    if meaning.wide is not None or like.dtype in _WIDE:
        value = _cast(graph, value, _WIDE.get(like.dtype, like.dtype))
    if not meaning.reckoned and meaning.wide is None:
        return value
    return graph.call_function(_aten.reshape.default, (value, list(like.shape)))


def _biased(graph: Graph, node: Node, place: Node, bias: Node, copied: Mapping[Node, Node]) -> Node:
    """A convolution's value, from that without its bias."""
    axes = node.meta["val"].dim() - 2
    along = graph.call_function(_aten.reshape.default, (copied[bias], [-1] + [1] * axes))
    value = _cast(graph, place, torch.float32) if node.meta["val"].dtype in _WIDE else place
    return graph.call_function(_aten.add.Tensor, (value, along))


def _held(graph: Graph, meaning: Meaning, copied: Mapping[Node, Node], layout: Layout) -> Node:
    """What a buffer holds, from the values of nodes."""
    node = meaning.node
    if meaning.stretches > 1:
        value = copied[meaning.summed]
        for operation, arguments in meaning.in_stretches(layout):
            value = graph.call_function(operation, (value, *arguments))
        return value
    if meaning.wide is None:
        value = copied[node]
    else:  # a mean before it is rounded, which is the mean of values of that type
        first, *others = node.args
        assert isinstance(first, Node), node
        wide = _cast(graph, copied[first], meaning.wide)
        value = graph.call_function(cast(Any, node.target), (wide, *others), node.kwargs)
    if meaning.factor == 1:
        return value
    product = graph.call_function(_aten.mul.Tensor, (value, meaning.factor))
    return graph.call_function(_aten.reshape.default, (product, list(layout.shape)))


def _cast(graph: Graph, value: Node, dtype: torch.dtype) -> Node:
    return graph.call_function(torch.ops.prims.convert_element_type.default, (value, dtype))


def _copied(graph: Graph, node: Node, copied: Mapping[Node, Node]) -> Node:
    """A node with its functional name: one that changes its argument would change a kernel's input."""
    if node.op != "call_function":
        raise ApartError(f"its results depend on {node.name}, a constant of the program")
    name = str(node.target)
    if _draws(node):
        raise ApartError(f"{name} draws random numbers")
    if name == "prims.fma.default":  # rounded once less; aten has no such operation
        first, second, third = (copied[one] for one in node.args if isinstance(one, Node))
        return graph.call_function(_aten.addcmul.default, (third, first, second))
    if name == _SOFTMAX:  # what it gives is made where it is taken
        return copied[node.all_input_nodes[0]]
    if node.target is operator.getitem and str(node.all_input_nodes[0].target) == _SOFTMAX:
        return _part_of_softmax(graph, node, copied)
    made = graph.node_copy(node, lambda one: copied[one])
    made.args, made.kwargs = map_aggregate(made.args, _wide), map_aggregate(made.kwargs, _wide)
    if name in _PUBLIC:
        if any(user.args[1] != 0 for user in node.users):
            raise ApartError(f"{name} gives offsets in a form of Inductor's own")
        made.target = _PUBLIC[name]
    elif name == "aten.view.dtype":
        raise ApartError("it takes bits of one type for those of another")
    elif name.partition(".")[2].partition(".")[0].endswith("_"):
        made.target = _functional(node)
    elif getattr(node.target, "namespace", "aten") not in ("aten", "prims"):
        raise ApartError(f"{name} is not an aten operation")
    elif name.startswith("prims.") and not is_primitive(name.split(".")[1]):
        raise ApartError(f"{name} is an operation of Inductor's own")
    return made


def _wide(argument: Any) -> Any:
    """An argument of an operation; the type in which values of 16 bits are computed with."""
    return _WIDE.get(argument, argument) if isinstance(argument, torch.dtype) else argument


def _part_of_softmax(graph: Graph, node: Node, copied: Mapping[Node, Node]) -> Node:
    """The maximum, or the sum of exponentials less it, which Inductor takes as one operation."""
    (softmax,) = node.all_input_nodes
    value, dim = copied[softmax], softmax.args[1]
    largest = graph.call_function(_aten.amax.default, (value, [dim], True))
    if node.args[1] == 0:
        return largest
    less = graph.call_function(_aten.sub.Tensor, (value, largest))
    return graph.call_function(_aten.sum.dim_IntList, (graph.call_function(_aten.exp.default, (less,)), [dim], True))


def _draws(node: Node) -> bool:
    tags, name = getattr(node.target, "tags", ()), str(node.target)
    return torch.Tag.nondeterministic_seeded in tags or name.startswith(
        ("prims.inductor_random", "prims.inductor_seed")
    )


def _functional(node: Node) -> Any:
    """`aten.index_put` for `aten.index_put_`."""
    packet, _, overload = str(node.target).removeprefix("aten.").partition(".")
    found = getattr(getattr(_aten, packet.removesuffix("_"), None), overload, None)
    if found is None:
        raise ApartError(f"{node.target} changes its argument")
    return found


def _laid_out(graph: Graph, value: Node, meaning: Meaning, layout: Layout, is_input: bool) -> Node:
    """The value as it lies in its buffer, which is memory of its own."""
    natural = meaning.node.meta["val"]
    value = _cast(graph, value, layout.dtype) if layout.dtype in _WIDE else value
    same = all(a == b for a, b, size in zip(natural.stride(), layout.strides, layout.shape, strict=False) if size != 1)
    if not meaning.reckoned and same and not is_input:
        return value
    made = graph.call_function(_aten.new_empty_strided.default, (value, list(layout.shape), list(layout.strides)))
    return graph.call_function(_aten.copy_.default, (made, value))
