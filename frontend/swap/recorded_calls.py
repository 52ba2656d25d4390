"""A call of a library as a kernel of a graph of its own, which a search can be asked for."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule

from kernelwright.backend.torch_private import tree_map
from kernelwright.frontend.graph_source import Spread
from kernelwright.frontend.swap.graphs import RecordedGraph
from kernelwright.frontend.swap.library import OPERATIONS, Opened, tensors_of
from kernelwright.frontend.swap.meaning import Meaning
from kernelwright.frontend.swap.recorded import Argument, Recorded


def recorded_call(
    opened: Opened, arguments: Sequence[Any], options: Mapping[str, Any], result: Tensor
) -> RecordedGraph:
    """The call with what it is given and gives now."""
    assert opened.call is not None
    given = {name: value for name, value in options.items() if name != "out"}
    tensors = tensors_of(arguments, given)
    graph = _graph(OPERATIONS[opened.function], arguments, given, tensors, result)
    nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
    inputs = {f"in{place}": layout for place, layout in enumerate(opened.call.tensors)}
    taken = zip(opened.call.parameters, inputs.items(), strict=False)
    kernel = Recorded(
        opened.key,
        opened.name,
        opened.source,
        (
            *(Argument(parameter, name, "", {name: layout}) for parameter, (name, layout) in taken),
            Argument(opened.call.parameters[-1], "", "out0", {"out0": opened.call.result}),
        ),
        graph,
        tuple(inputs),
        ("out0",),
        inputs | {"out0": opened.call.result},
        tuple(map(Meaning, nodes)),
    )
    spreads = {node: Spread.of(one) for node, one in zip(nodes, tensors, strict=True)}
    return RecordedGraph(graph, (kernel,), spreads=spreads)


def _graph(
    operation: Any, arguments: Sequence[Any], options: Mapping[str, Any], tensors: Sequence[Tensor], result: Tensor
) -> GraphModule:
    """The operation on tensors that lie as those of the call do, with a result that lies as the library's."""
    graph, nodes, fakes = Graph(), dict[int, Any](), dict[int, Any]()
    for place, one in enumerate(tensors):
        fake = torch.empty_strided(one.shape, one.stride(), dtype=one.dtype, device="meta")
        node = graph.placeholder(f"in{place}")
        node.meta["val"] = fake
        nodes.setdefault(id(one), node)
        fakes.setdefault(id(one), fake)

    def filled(found: Mapping[int, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return tree_map(lambda one: found.get(id(one), one), (tuple(arguments), dict(options)))  # type: ignore[no-any-return]

    given, named = filled(nodes)
    value = graph.call_function(operation, given, named)
    given, named = filled(fakes)
    natural = operation(*given, **named)
    if any(a != b for a, b, size in zip(natural.stride(), result.stride(), result.shape, strict=True) if size != 1):
        aten = torch.ops.aten
        made = graph.call_function(aten.new_empty_strided.default, (value, list(result.shape), list(result.stride())))
        value = graph.call_function(aten.copy_.default, (made, value))
    graph.output((value,))
    return GraphModule(torch.nn.Module(), graph)
