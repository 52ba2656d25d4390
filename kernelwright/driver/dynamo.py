"""`torch.compile(model, backend="kernelwright")`.

Static-shape inference graphs go through the pipeline and run as verified kernels; every other graph runs
exactly as Inductor would run it, but for those whose lowering was found to give wrong values, which run in
eager mode. `regions()` tells, graph by graph, what runs and why. No model and no network is asked for anything
here.
"""

import atexit
import functools
import logging
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef

from kernelwright.agent.evaluator import Status
from kernelwright.backend.launch.execute import CudaRuntime, load_module
from kernelwright.driver.compiling.program import compile_module
from kernelwright.driver.compiling.running import sandbox
from kernelwright.driver.compiling.stages import CompileResult
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.run.build import resolve_target
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.judge.session import InterpretedModule
from kernelwright.evaluation.sandbox.parent import Limits
from kernelwright.frontend.importers import import_graph
from kernelwright.frontend.inductor.plain import BackendOptionError, compile_with_inductor
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import Pipeline, parse_pipeline
from kernelwright.ir.values import KernelModule, Numerics, ScalarSpec

log = logging.getLogger("kernelwright.dynamo")

Runner = Callable[..., Any]


@dataclass(frozen=True)
class Options:
    """What `torch.compile(..., options={...})` may say.

    target: a target's name; auto is this machine's GPU (on a CPU alone nothing is substituted), interpreter
    runs kernels in the guarded interpreter. pipeline: a pipeline spec. seeds: draws of inputs that
    verification uses. timeout_s: seconds that one evaluation may take.
    """

    target: str = "auto"
    pipeline: str = "lower-inductor"
    seeds: int = 2
    timeout_s: float = 120.0

    @classmethod
    def read(cls, given: Mapping[str, Any] | None) -> "Options":
        """Checked options; BackendOptionError, a ValueError, names an unknown one and those there are."""
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(given or {}) - known)
        if unknown:
            message = f"backend kernelwright has no option {unknown[0]!r}; it has {', '.join(sorted(known))}"
            raise BackendOptionError(message)
        options = cls(**dict(given or {}))
        for name in ("target", "pipeline"):
            if not isinstance(value := getattr(options, name), str):
                raise BackendOptionError(f"{name}={value!r}: give text")
        if type(options.seeds) is not int or options.seeds < 1:
            raise BackendOptionError(f"seeds={options.seeds!r}: give a whole number of at least 1")
        if type(options.timeout_s) not in (int, float) or not 0.0 < options.timeout_s < math.inf:
            raise BackendOptionError(f"timeout_s={options.timeout_s!r}: give a number of seconds above 0")
        try:
            resolve_target(options.target)
            discover()
            parse_pipeline(options.pipeline)
        except UserError as error:
            raise BackendOptionError(str(error)) from error
        return options


@dataclass(frozen=True)
class Region:
    """One graph that Dynamo handed over: what runs it (`kernelwright`, `inductor` or `eager`), why, and the module."""

    index: int
    runs: str
    why: str
    nodes: int
    module: KernelModule | None = None

    def __str__(self) -> str:
        return f"graph {self.index} ({self.nodes} nodes): {self.runs}, {self.why}"


_regions: list[Region] = []


def regions() -> tuple[Region, ...]:
    """Every graph compiled in this process so far, in order."""
    return tuple(_regions)


def kernelwright(
    graph: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Runner:
    """The backend. Raises ValueError for unknown options and any mode; everything else ends in code that runs."""
    if mode is not None:
        raise BackendOptionError(f"backend kernelwright has no mode {mode!r}; leave it out, and use options=…")
    chosen = Options.read(options)
    why_not = refusal(graph, example_inputs, chosen)
    if why_not:
        return _with_inductor(graph, example_inputs, why_not)
    try:
        result = _compile(graph, example_inputs, chosen)
    except KernelwrightError as error:
        return _with_inductor(graph, example_inputs, str(error).splitlines()[0])
    if not result.ok:
        why = f"its kernels were not verified: {result.verdict}"
        wrong = result.verdict is not None and result.verdict.status is Status.MISMATCH
        return _with_eager(graph, why) if wrong else _with_inductor(graph, example_inputs, why)
    _note(graph, "kernelwright", f"{len(result.module.kernels)} kernels, {result.verdict}", result.module)
    return _runner(result.module, chosen, graph)


def refusal(graph: torch.fx.GraphModule, inputs: Sequence[Any], options: Options) -> str:
    """Why a graph is left to Inductor; "" where it may be compiled."""
    if os.environ.get("KERNELWRIGHT_DISABLE") == "1":
        return "KERNELWRIGHT_DISABLE=1"
    tensors = [value for value in inputs if isinstance(value, Tensor)]
    devices = {tensor.device.type for tensor in tensors}
    if options.target != "interpreter" and devices != {"cuda"}:
        return "it is on the CPU, where kernels run only with target='interpreter'"
    if options.target == "interpreter" and devices != {"cpu"}:
        return "target='interpreter' takes tensors on the CPU"
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        return "it may be differentiated"
    dynamic = [value for value in inputs if not isinstance(value, Tensor)]
    dynamic += [size for tensor in tensors for size in tensor.shape if not isinstance(size, int)]
    if dynamic:
        return f"it has the dynamic size {dynamic[0]}"
    if not any(node.op in ("call_function", "call_method", "call_module") for node in graph.graph.nodes):
        return "it computes nothing"
    if options.target == "interpreter" and _gives_views(graph):
        return "an output shares memory with an input or another output, which the interpreter's do not"
    return ""


def _gives_views(graph: torch.fx.GraphModule) -> bool:
    """Whether an output shares memory with an input or another output, and is not that itself."""
    held = [node for node in graph.graph.nodes if node.op in ("placeholder", "get_attr")]
    made = _memory_of(node for node in graph.graph.output_node().all_input_nodes if node not in held)
    return len(set(made)) < len(made) or not set(made).isdisjoint(_memory_of(held))


def _memory_of(nodes: Iterable[torch.fx.Node]) -> list[StorageWeakRef]:
    """Where each tensor among the values of some nodes lies."""
    values = (node.meta.get("example_value") for node in nodes)
    return [StorageWeakRef(one.untyped_storage()) for one in values if isinstance(one, Tensor)]  # type: ignore[no-untyped-call]


def _with_inductor(graph: torch.fx.GraphModule, inputs: Sequence[Any], why: str) -> Runner:
    _note(graph, "inductor", why)
    return compile_with_inductor(graph, inputs)


def _with_eager(graph: torch.fx.GraphModule, why: str) -> Runner:
    """Run a graph as it is: Inductor would give the very values that were just found wrong."""
    _note(graph, "eager", why)
    names = dict.fromkeys(
        str(getattr(node.target, "__name__", node.target)) for node in graph.graph.nodes if _calls(node)
    )
    _tell_once(
        f"Inductor's lowering of {', '.join(names)} gives other values than eager; such graphs run in eager mode"
    )
    runner: Runner = graph.forward
    return runner


def _calls(node: torch.fx.Node) -> bool:
    return node.op in ("call_function", "call_method", "call_module")


@functools.cache
def _tell_once(message: str) -> None:
    log.warning("%s", message)


def _note(graph: torch.fx.GraphModule, runs: str, why: str, module: KernelModule | None = None) -> None:
    region = Region(len(_regions), runs, why, len(graph.graph.nodes), module)
    _regions.append(region)
    log.info("%s", region)


def _compile(graph: torch.fx.GraphModule, inputs: Sequence[Any], options: Options) -> CompileResult:
    target = resolve_target(options.target)
    module = import_graph(graph, inputs, name=f"graph_{len(_regions)}", numerics=permitted())
    pipeline: Pipeline = parse_pipeline(options.pipeline)
    context = Context(target=target, evaluator=_evaluator(target, options))
    # Dynamo is compiling: what the passes trace must not see its state.
    with torch.no_grad():
        return compile_module(module, pipeline, context)


def permitted() -> Numerics:
    """What the user's own flags let use TF32. Products without convolutions is none of the three: nothing may then."""
    # Not `allow_tf32`, which cannot be read once the flags that have taken its place were set; these tell either way.
    convolutions = torch.backends.cudnn.conv.fp32_precision == "tf32"  # type: ignore[attr-defined]
    products = torch.backends.cuda.matmul.fp32_precision == "tf32"
    if not convolutions:
        return "ieee"
    return "tf32" if products else "torch"


_evaluators: dict[tuple[str, Options], LocalEvaluator] = {}


def _evaluator(target: str, options: Options) -> LocalEvaluator:
    """One evaluator for all graphs of the same options; its workers end with the process."""
    key = target, options
    if key not in _evaluators:
        _evaluators[key] = LocalEvaluator(target, options.seeds, options.timeout_s)
        atexit.register(_evaluators[key].close)
    return _evaluators[key]


def _runner(module: KernelModule, options: Options, graph: torch.fx.GraphModule) -> Runner:
    """The function that takes the graph's place: the graph's inputs to a list of outputs."""
    wanted = [not isinstance(spec, ScalarSpec) for spec in module.reference.inputs]
    held = [*graph.parameters(), *graph.buffers()]
    if options.target == "interpreter":
        interpreted = InterpretedModule(module, sandbox(), Limits(timeout_s=options.timeout_s))

        def call(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
            return interpreted(tensors)

    else:
        loaded = load_module(module, CudaRuntime())

        def call(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
            return loaded(tensors, {})

    def run(*values: Any) -> list[Tensor]:
        given = [*(value for value in values if isinstance(value, Tensor)), *held]
        if len(given) != len(wanted):
            raise UserError(f"@{module.name} takes {len(wanted)} tensors, {len(given)} given")
        with torch.no_grad():
            return list(call([tensor.detach() for tensor in given]))

    return run
