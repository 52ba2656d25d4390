"""Compiles graphs as `torch.compile` does, records every kernel, and runs none: values flow through the graphs as eager
has them.

So a machine without a GPU records forward and backward alike, and inputs of kernels can be drawn like the values that a
model really has there. It touches private names of Inductor, as `inductor/capture.py` does.
"""

import contextlib
import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from unittest.mock import patch

import torch
from torch.fx import GraphModule, Interpreter, Node

from kernelwright.backend.versions import adapting, parameters
from kernelwright.frontend.graph_source import Spread
from kernelwright.frontend.inductor.stand_in import stand_in_driver
from kernelwright.frontend.swap.hooks import observing
from kernelwright.frontend.swap.recorded import Recorded, Recorder

with adapting("recording kernels", "torch"):
    import torch._functorch.config as functorch_config
    import torch._inductor.config as inductor_config
    from torch._dynamo.utils import counters
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner
    from torch._inductor.graph import GraphLowering

    GraphLowering.save_output_code  # noqa: B018
    inductor_config.patch, functorch_config.patch, inductor_config.cpu_backend  # noqa: B018
    parameters(compile_fx, "model_", "example_inputs_", "inner_compile")


@dataclass
class RecordedGraph:
    """A graph, forward or backward, that Inductor compiled: its kernels, and how its values were distributed in its
    first call. `why_not` says why a graph has no kernels that could be recorded."""

    graph: GraphModule
    kernels: tuple[Recorded, ...] = ()
    backward: bool = False
    why_not: str = ""
    spreads: dict[Node, Spread] = field(default_factory=dict)
    #: Inductor's program, which runs from the second call on; None where operations run one by one for ever.
    code: Callable[[list[Any]], Any] | None = field(default=None, repr=False)
    _plain: GraphModule | None = None
    _arguments: tuple[Any, ...] | None = None

    def run(self, arguments: list[Any]) -> Any:
        """What the graph gives, operation by operation, or by its code. The list is emptied, as compiled graphs do."""
        if self.code is not None and self._arguments is not None:
            return self.code(arguments)
        given = tuple(arguments)
        arguments.clear()
        if self._arguments is None:
            self._arguments = given
            wanted = {one.node for kernel in self.kernels for one in kernel.values}
            seen = _Values(self.graph, wanted, lambda node, value: self.spreads.update({node: Spread.of(value)}))
            with contextlib.suppress(RuntimeError):  # an operation that only Inductor knows
                return seen.run(*given)
        return self.code(list(given)) if self.code else Interpreter(self._plain or self.graph).run(*given)

    def values(self, kernel: Recorded) -> tuple[torch.Tensor, ...] | None:
        """What the kernel was given in the first call, laid out as its inputs are; None where that is not known."""
        if self._arguments is None:
            return None
        found = dict[Node, torch.Tensor]()
        wanted = {node for one in kernel.values for node in one.sources}
        given = [one.clone() if isinstance(one, torch.Tensor) else one for one in self._arguments]
        try:
            _Values(self.graph, wanted, lambda node, value: found.update({node: value.clone()})).run(*given)
            pairs = zip(kernel.values, map(kernel.layouts.__getitem__, kernel.inputs), strict=True)
            return tuple(one.held(found, layout) for one, layout in pairs) if len(found) == len(wanted) else None
        except RuntimeError:  # an operation that only Inductor knows, or a value of another size
            return None


class _Values(Interpreter):
    """Runs a graph and shows the values of some of its nodes."""

    def __init__(self, graph: GraphModule, wanted: set[Node], show: Callable[[Node, torch.Tensor], Any]) -> None:
        super().__init__(graph)
        self.wanted, self.show = wanted, show

    def run_node(self, n: Node) -> Any:
        """The value of a node."""
        value = super().run_node(n)
        if n in self.wanted and isinstance(value, torch.Tensor):
            self.show(n, value)
        return value


class _Written(BaseException):
    """Inductor has written its program. Not an Exception, so that nothing between here and there wraps it."""


def _stop(_text: Any) -> None:
    raise _Written


@contextlib.contextmanager
def _environment(runs: bool) -> Iterator[None]:
    """No caches, which would skip what is to be seen; and where nothing of it runs on a machine without a GPU, Triton
    for the CPU."""
    with contextlib.ExitStack() as stack:
        changes: dict[str, Any] = {"fx_graph_cache": False} | ({} if runs else {"compile_threads": 1})
        if not runs and not torch.cuda.is_available():
            changes["cpu_backend"] = "triton"
            stack.enter_context(stand_in_driver())
            stack.enter_context(warnings.catch_warnings())
            warnings.filterwarnings("ignore", "TF32 acceleration on top of oneDNN")
            stack.enter_context(torch.backends.mkldnn.flags(enabled=False))
        stack.enter_context(inductor_config.patch(changes))
        stack.enter_context(functorch_config.patch(enable_autograd_cache=False))
        yield


class GraphRecorder:
    """A backend of `torch.compile` that records: `torch.compile(model, backend=GraphRecorder())`.

    With `runs` Inductor's programs are compiled to the end, and run from the second call on.
    """

    def __init__(self, runs: bool = False) -> None:
        self.graphs: list[RecordedGraph] = []
        self.runs = runs

    def __call__(self, graph: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        with _environment(self.runs):
            compiled: Callable[..., Any] = cast(Any, compile_fx)(graph, list(inputs), inner_compile=self._inner)
        return compiled

    def _inner(self, graph: GraphModule, inputs: Sequence[Any], **options: Any) -> Callable[..., Any]:
        plain, recorder = GraphModule(graph, copy.deepcopy(graph.graph)), Recorder()
        recorded = RecordedGraph(graph, backward=bool(options.get("is_backward")), _plain=plain)
        stop = patch.object(GraphLowering, "save_output_code", staticmethod(_stop))
        try:
            stopped = contextlib.nullcontext() if self.runs else stop
            with contextlib.suppress(_Written), _environment(self.runs), observing(recorder.see), stopped:
                code: Any = compile_fx_inner(graph, inputs, **options)
                if self.runs:
                    recorded.code = code
                else:
                    recorded.why_not = "Inductor writes no program for it"
            recorded.kernels = tuple(recorder.recorded())
        except Exception as error:  # noqa: BLE001 - whatever is raised: the graph runs all the same
            recorded.why_not = f"{type(error).__name__}: {str(error).strip().splitlines()[0]:.200}"
        self.graphs.append(recorded)

        def run(arguments: list[Any]) -> Any:
            return recorded.run(arguments)

        run._boxed_call = True  # type: ignore[attr-defined]  # how compiled graphs say that they empty the list
        return run


def cache_hits() -> tuple[int, int]:
    """How many graphs this process found in Inductor's cache, and how many it looked for in vain."""
    found = counters["inductor"]
    return found["fxgraph_cache_hit"], found["fxgraph_cache_miss"]
