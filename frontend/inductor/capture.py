"""The one place that touches Inductor's and Dynamo's private interfaces, `stand_in.py` beside it included.

`versions.TRIED` has the releases that it was tried with. `capture` runs a model's forward once, then asks Inductor
for the Triton program it would run and stops before anything is compiled. Without a CUDA device Inductor
is told to write Triton for the CPU and Triton is given a stand-in driver that names an sm_90 target.
"""

import builtins
import contextlib
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from kernelwright.backend.torch_private import tree_leaves, tree_map
from kernelwright.backend.versions import adapting, parameters
from kernelwright.frontend.inductor.refusals import refusal
from kernelwright.ir.errors import LoweringError

with adapting("lower-inductor", "torch", "triton"):
    import torch._dynamo
    import torch._dynamo.config as dynamo_config
    import torch._functorch.config as functorch_config
    import torch._inductor.config as inductor_config
    from torch._guards import tracing
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner
    from torch._inductor.graph import GraphLowering
    from torch._inductor.virtualized import V
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    from kernelwright.frontend.inductor.stand_in import (
        as_on_a_gpu,
        bias_apart,
        channels_last_given,
        channels_last_returned,
        counts_as_numbers,
        nearest_as_on_a_cpu,
        numbers_as_fills,
        online_softmax_anywhere,
        stand_in_driver,
    )

    GraphLowering.save_output_code  # noqa: B018  (what capture puts another in the place of)
    inductor_config.cpu_backend, inductor_config.patch, functorch_config.patch  # noqa: B018
    parameters(compile_fx, "model_", "example_inputs_", "inner_compile")
    parameters(FakeTensor.__new__, "fake_mode", "elem", "device")

#: The option by which Inductor computes with places as symbols, of 32 bits; a pass over the graph may turn it off.
PROPAGATES = "constant_and_index_propagation"
#: What every capture sets: text that stands alone, no caches, random numbers as aten calls (so that they are
#: eager's), buffers written once (so that each value has one name).
BASE_CONFIG: Mapping[str, Any] = {
    "fx_graph_cache": False,
    "compile_threads": 1,
    "assert_indirect_indexing": False,
    "allow_buffer_reuse": False,
    "inplace_buffers": False,
    "fallback_random": True,
    # Round to 16 bits where the program does, also inside one kernel, unless the pass says otherwise.
    "emulate_precision_casts": True,
    "combo_kernels": False,
    "max_autotune": False,
    "triton.mix_order_reduction": False,
    "triton.cudagraphs": False,
    "graph_partition": False,
    "cpp_wrapper": False,
    PROPAGATES: True,
}


#: What programs tell people by, which their graphs leave out.
_TELLING = {print, warnings.warn, logging.log} | {
    getattr(owner, name)
    for owner in (logging, logging.Logger)
    for name in ("debug", "info", "warning", "error", "exception", "critical")
}
#: Dynamo's option for that, by its newer name and its older one.
_IGNORED = next(
    (name for name in ("ignore_logging_functions", "ignore_logger_methods") if hasattr(dynamo_config, name)), None
)


@dataclass(frozen=True)
class Held:
    """The node of the graph whose value a buffer holds, and how the buffer lies in memory."""

    node: torch.fx.Node
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class Captured:
    """Inductor's text and what its names mean.

    `inputs` gives, per graph input in order, the reference's tensor name. `outputs` gives, per output of the
    model in order, the index of a graph output or the name of the tensor that is returned as it is.
    `constants` holds tensors that the program was given by value. `graph` is the graph that Inductor compiled, and
    `tensors` are its inputs. `buffers` has the text's buffers that hold the value of a node of this graph.
    """

    text: str
    inputs: tuple[str, ...]
    outputs: tuple[int | str, ...]
    constants: Mapping[str, torch.Tensor]
    graph: torch.fx.GraphModule
    tensors: tuple[torch.Tensor, ...]
    buffers: Mapping[str, Held]


class _Written(BaseException):
    """Inductor has written its program. Not an Exception, so that nothing between here and there wraps it."""

    def __init__(self, text: str, graph: Any) -> None:
        super().__init__("written")
        self.text, self.constants, self.graph = text, dict(graph.constants), graph.module
        held = {name: _held(buffer) for name, buffer in graph.name_to_buffer.items()}
        self.buffers = {name: one for name, one in held.items() if one is not None}


def _held(buffer: Any) -> Held | None:
    node, layout = getattr(buffer, "origin_node", None), getattr(buffer, "layout", None)
    if node is None or layout is None or not hasattr(layout, "stride"):
        return None
    sizes, strides = (tuple(map(int, getattr(layout, name))) for name in ("size", "stride"))
    return Held(node, sizes, strides, layout.dtype)


def _stop_when_written(text: Any) -> None:
    raise _Written(text if isinstance(text, str) else text.value, V.graph)


@contextlib.contextmanager
def _environment(device: str, config: Mapping[str, Any]) -> Iterator[None]:
    known = {key: value for key, value in {**BASE_CONFIG, **config}.items() if _has_option(key)}
    with contextlib.ExitStack() as stack:
        if device == "cpu":
            known["cpu_backend"] = "triton"
            stack.enter_context(stand_in_driver())
            stack.enter_context(bias_apart())
            stack.enter_context(nearest_as_on_a_cpu())
            # Flash attention on a CPU is one opaque operator; the mathematical form lowers.
            stack.enter_context(torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH))
            stack.enter_context(warnings.catch_warnings())
            warnings.filterwarnings("ignore", "TF32 acceleration on top of oneDNN")
            stack.enter_context(torch.backends.mkldnn.flags(enabled=False))
        every = bool(config.get("force_layout_optimization"))
        stack.enter_context(channels_last_given((4,) * (device == "cpu") + (3, 5) * every))
        if every:
            stack.enter_context(channels_last_returned())
        stack.enter_context(counts_as_numbers())
        stack.enter_context(inductor_config.patch(known))
        stack.enter_context(functorch_config.patch(enable_autograd_cache=False))
        stack.enter_context(torch.no_grad())
        yield


def keep_places_as_numbers() -> None:
    """From here to the end of this capture, places are computed with as the program says, not as symbols."""
    if _has_option(PROPAGATES):
        setattr(inductor_config, PROPAGATES, False)


def _has_option(key: str) -> bool:
    owner: Any = inductor_config
    for part in key.split("."):
        if not hasattr(owner, part):
            return False
        owner = getattr(owner, part)
    return True


@contextlib.contextmanager
def _telling_left_out() -> Iterator[None]:
    """Graphs leave out what programs tell people by. PyTorch 2.11 fails to write that option into its metrics, and
    would print so for each graph."""
    told = _TELLING | {builtins.print}  # Ray, for one, puts another in its place
    metrics = logging.getLogger("torch._dynamo.metrics_context")
    before, metrics.disabled = metrics.disabled, True
    try:
        with dynamo_config.patch({_IGNORED: told} if _IGNORED else {}):
            yield
    finally:
        metrics.disabled = before


def _dynamo_graph(
    model: Callable[..., Any], inputs: Sequence[Any]
) -> tuple[torch.fx.GraphModule, list[Any], list[Any], list[Any]]:
    """The one graph of the model, its inputs, its outputs and the outputs of the model."""
    seen: list[tuple[torch.fx.GraphModule, list[Any], list[Any]]] = []

    def keep(graph: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            outputs = torch.fx.Interpreter(graph).run(*args)  # a graph that is called prints a traceback if it fails
            seen.append((graph, list(args), list(outputs)))
            return outputs

        del example_inputs
        return run

    torch._dynamo.reset()
    try:
        with _telling_left_out():
            result = torch.compile(model, backend=keep, fullgraph=True, dynamic=False)(*inputs)
    except torch._dynamo.exc.TorchDynamoException as error:
        raise refusal(error, "Dynamo") from error
    finally:
        torch._dynamo.reset()
    if not seen:
        return torch.fx.GraphModule({}, torch.fx.Graph()), [], [], tree_leaves(result)
    graph, args, outputs = seen[0]
    return graph, args, outputs, tree_leaves(result)


def capture(
    model: Callable[..., Any],
    inputs: Sequence[Any],
    names: Mapping[str, torch.Tensor],
    config: Mapping[str, Any],
) -> Captured:
    """Inductor's program for `model(*inputs)`.

    `names` maps every tensor name of the reference to the tensor itself; `config` holds Inductor options
    over `BASE_CONFIG`. Tensors on the device `meta` give the program that such tensors on the CPU would, except
    that reductions are split as for a GPU: nothing is computed and nothing allocated, whatever the shapes. Raises
    LoweringError for what Inductor or this form of program cannot express.
    """
    device = next((t.device.type for t in names.values()), "cpu")
    name_of = {id(tensor): name for name, tensor in names.items()}
    shapes_alone = device == "meta"
    with contextlib.ExitStack() as stack:
        stack.enter_context(_environment("cpu" if shapes_alone else device, config))
        if shapes_alone:
            stack.enter_context(as_on_a_gpu())
            stack.enter_context(numbers_as_fills())
            stack.enter_context(online_softmax_anywhere())
        graph, args, graph_outputs, model_outputs = _dynamo_graph(model, inputs)
        args = [value for value in args if isinstance(value, torch.Tensor)]
        position = {id(value): index for index, value in enumerate(graph_outputs)}
        outputs: list[int | str] = []
        for index, value in enumerate(model_outputs):
            if id(value) in position:
                outputs.append(position[id(value)])
            elif id(value) in name_of:
                outputs.append(name_of[id(value)])
            else:
                raise LoweringError(f"output {index} ({type(value).__name__}) is computed outside the graph")
        missing = [index for index, value in enumerate(args) if id(value) not in name_of]
        if missing:
            raise LoweringError(
                f"the graph takes {len(missing)} value(s) that are neither inputs nor state of the model, such as "
                f"{args[missing[0]]!r:.60}; pass them as inputs or keep them as buffers"
            )
        _refuse_complex(graph)
        with tracing(None):
            written = _written(graph, _on_cpu(graph, args) if shapes_alone else args)
    names_of_args = tuple(name_of[id(value)] for value in args)
    if written is None:
        return Captured("def call(args):\n    return ()\n", names_of_args, tuple(outputs), {}, graph, tuple(args), {})
    text, constants = written.text, written.constants
    return Captured(text, names_of_args, tuple(outputs), constants, written.graph, tuple(args), written.buffers)


def _refuse_complex(graph: torch.fx.GraphModule) -> None:
    """LoweringError where a value of the graph is complex: no kernel holds such numbers."""
    for node in graph.graph.nodes:
        value = node.meta.get("example_value", node.meta.get("val"))
        if isinstance(value, torch.Tensor) and value.is_complex():
            raise LoweringError(
                f"the program computes with complex numbers ({node.name} is {value.dtype}), which kernels do not hold; "
                "write real and imaginary parts as two real tensors"
            )


def _on_cpu(graph: torch.fx.GraphModule, args: list[Any]) -> list[Any]:
    """Stand-ins on the CPU for tensors on the device `meta`, and the graph made to say the same."""
    cpu = torch.device("cpu")

    def moved(value: Any) -> Any:
        return cpu if isinstance(value, torch.device) and value.type == "meta" else value

    for node in graph.graph.nodes:
        node.args, node.kwargs = tree_map(moved, node.args), tree_map(moved, dict(node.kwargs))
    graph.recompile()
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    return [FakeTensor(mode, value.detach(), cpu) for value in args]


def _written(graph: torch.fx.GraphModule, args: list[Any]) -> _Written | None:
    """Inductor's program for a graph; None where it writes none."""
    save = GraphLowering.__dict__["save_output_code"]
    GraphLowering.save_output_code = staticmethod(_stop_when_written)
    try:
        compile_fx(graph, args, inner_compile=compile_fx_inner)
    except _Written as written:
        return written
    except Exception as error:
        if isinstance(refused := getattr(error, "inner_exception", error), LoweringError):
            raise refused from None
        raise refusal(error, "Inductor") from error
    finally:
        GraphLowering.save_output_code = save
    return None
