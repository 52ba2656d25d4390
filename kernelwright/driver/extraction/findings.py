"""Where Inductor's own kernel differs from aten on the values that a model has, and in which operations."""

import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Interpreter, Node

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.driver.compiling.live_model import LiveModel
from kernelwright.evaluation.sandbox.parent import Limits
from kernelwright.frontend.swap.graphs import GraphRecorder, RecordedGraph
from kernelwright.frontend.swap.problem import own_kernel, problem
from kernelwright.frontend.swap.recorded import Recorded
from kernelwright.ir.errors import KernelwrightError

#: What only lays values out, or has no value yet.
_LAYING = ("aten.new_empty_strided", "aten.copy_")


@dataclass(frozen=True)
class Comparison:
    """Inductor's kernels beside aten's operations, for one target. Each kernel is called once, within the limits."""

    target: str
    limits: Limits

    def verdict(self, kernel: Recorded, graph: RecordedGraph) -> Verdict | None:
        """How Inductor's own kernel does on the model's own values; None where it cannot be judged.

        Inputs that are drawn apart may contradict one another, as a value and its exponential do; a model's do not.
        """
        values = graph.values(kernel)
        if values is None or kernel.graph is None:
            return None
        try:
            own = own_kernel(kernel, problem(kernel, graph.spreads), self.target)
        except KernelwrightError:
            return None  # it has no plain form
        rung = Rung.INTERPRET if self.target == "interpreter" else Rung.RUN
        return LiveModel(kernel.graph, values).judged(own, Verdict(Status.OK, rung, rungs=(rung,)), self.limits)

    def wrong(self, graph: GraphModule, values: Sequence[Tensor]) -> tuple[str, ...]:
        """The operations of a kernel's graph that Inductor gets wrong: all of them, in the order of the graph.

        Each operation is compiled together with those before it, and judged by its result. Those that are wrong give
        aten's values to those behind them. Nothing where all are right so: then only the whole kernel is wrong.
        """
        seen = Interpreter(graph, garbage_collect_values=False)
        seen.run(*values)
        given, found = [node for node in graph.graph.nodes if node.op == "placeholder"], list[str]()
        for node in graph.graph.nodes:
            if not isinstance(seen.env.get(node), Tensor) or not (name := operation_of(node)):
                continue
            part, taken = _part(node, given)
            if taken and self._differs(part, [seen.env[one] for one in taken]):
                found.append(name)
                given.append(node)
        return tuple(dict.fromkeys(found))

    def _differs(self, part: GraphModule, values: Sequence[Tensor]) -> bool:
        recorder = GraphRecorder()
        try:
            with torch.no_grad():
                recorder(part, values)(*values)
        except Exception:  # noqa: BLE001 - whatever Inductor raises for a part of a graph that it compiles as a whole
            return False
        verdicts = [self.verdict(kernel, graph) for graph in recorder.graphs for kernel in graph.kernels]
        return any(one is not None and one.status is Status.MISMATCH for one in verdicts)


def operations(graph: GraphModule) -> tuple[str, ...]:
    """All that a graph computes: `aten.sin`, `aten.mul`."""
    return tuple(dict.fromkeys(filter(None, map(operation_of, graph.graph.nodes))))


def operation_of(node: Node) -> str:
    """What a node computes, without its overload, for a part of several results as for the whole; "" for one that
    computes nothing."""
    if node.op != "call_function":
        return ""
    if node.target is operator.getitem:  # one of several results
        return operation_of(node.all_input_nodes[0])
    name = str(node.target).rpartition(".")[0]
    return "" if name in _LAYING else name


def _part(node: Node, given: Collection[Node]) -> tuple[GraphModule, list[Node]]:
    """The operations that lead from given values to a node's, and which of those values they take."""
    needed, ahead = set[Node](), [node]
    while ahead:
        one = ahead.pop()
        if one not in needed and one not in given:
            needed.add(one)
            ahead += one.all_input_nodes
    taken = [one for one in given if any(user in needed for user in one.users)]
    graph = Graph()
    copied = {one: graph.placeholder(one.name) for one in taken}
    for one in node.graph.nodes:
        if one in needed:
            copied[one] = graph.node_copy(one, copied.__getitem__)
    graph.output((copied[node],))
    return GraphModule(torch.nn.Module(), graph), taken
