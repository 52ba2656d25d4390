"""The adapter for what a backend of `torch.compile` asks of Dynamo and Inductor: options, compiling, and errors that
go through. `versions.TRIED` has the releases that it was tried with.
"""

import copy
import difflib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from typing import Any

import torch

from kernelwright.backend.versions import adapting, parameters

with adapting("backend kernelwright", "torch"):
    import torch._functorch.config as functorch_config
    import torch._inductor.config as inductor_config
    import torch._inductor.inductor_prims as inductor_prims
    from torch import _TorchCompileInductorWrapper
    from torch._dynamo.eval_frame import cached_backends
    from torch._dynamo.exc import ShortenTraceback
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner
    from torch._logging._internal import trace_structured
    from torch.distributed import distributed_c10d

    parameters(ShortenTraceback, "first_useful_frame")
    parameters(_TorchCompileInductorWrapper, "mode", "options", "dynamic")
    parameters(compile_fx, "model_", "example_inputs_", "inner_compile", "config_patches")
    parameters(compile_fx_inner, "gm", "example_inputs")
    parameters(trace_structured, "name", "metadata_fn", "payload_fn")
    _TorchCompileInductorWrapper.reset, distributed_c10d._get_default_store  # noqa: B018
    inductor_config.get_config_copy, inductor_config.patch, functorch_config.patch  # noqa: B018
    functorch_config.enable_autograd_cache, inductor_config.cpp_wrapper  # noqa: B018
    inductor_config.triton.multi_kernel, inductor_config.triton.cudagraphs  # noqa: B018
    _DRAWING = (inductor_prims.random, inductor_prims.randint)

#: Runs a graph: its inputs to its outputs.
Runner = Callable[..., Any]
#: Makes the code of one aten graph, from the graph, its inputs and Inductor's options; what it makes with others.
Inner = Callable[..., Any]


class BackendOptionError(ShortenTraceback, ValueError):
    """A wrong option of a `torch.compile` backend; Dynamo lets this kind through to the caller as it is."""

    def __init__(self, message: str) -> None:
        super().__init__(message, first_useful_frame=None)


class Inductor:
    """Inductor as `torch.compile(mode=…, options=…)` sets it up: with the options that it has there, checked as there.

    Raises BackendOptionError for a mode or an option that is not known, among `beside` either, or of the wrong type.
    """

    def __init__(self, mode: str | None, options: Mapping[str, Any], beside: Sequence[str]) -> None:
        known = {*inductor_config.get_config_copy(), *beside}
        for name in options:
            if name.replace("-", "_") not in known:
                near = difflib.get_close_matches(name, known, n=3)
                hint = f"did you mean {' or '.join(near)}?" if near else f"its own are {', '.join(sorted(beside))}"
                raise BackendOptionError(f"backend kernelwright has no option {name!r}; {hint}")
        try:
            self._wrapper: Any = _TorchCompileInductorWrapper(mode, dict(options), None)  # type: ignore[no-untyped-call]
        except RuntimeError as error:
            raise BackendOptionError(str(error)) from error

    def alone(self, graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Runner:
        """What `torch.compile` does with a graph when no other backend is asked for."""
        return _callable(self._wrapper(graph, list(inputs)))

    def __call__(
        self,
        graph: torch.fx.GraphModule,
        inputs: Sequence[Any],
        around: Callable[[], AbstractContextManager[Any]],
        inner: Callable[[Inner], Inner],
        aot_cache: bool = True,
    ) -> Runner:
        """The same, in a context of `around`, with `inner` about what compiles each aten graph.

        A graph for gradients may be compiled much later, and in another thread; a hit in the cache of AOTAutograd
        loads code and compiles no aten graph. Without `aot_cache`, each aten graph is compiled, or found in the cache
        of Inductor.
        """
        with ExitStack() as stack:
            stack.enter_context(around())
            if not aot_cache:
                stack.enter_context(functorch_config.patch(enable_autograd_cache=False))
            made = compile_fx(
                graph, list(inputs), inner_compile=inner(compile_fx_inner), config_patches=self._wrapper.config
            )
        return _callable(made)

    def why_hidden(self) -> str:
        """Why these options leave no kernel to hooks; "" where they leave some."""
        with inductor_config.patch(self._wrapper.config):
            if inductor_config.cpp_wrapper or getattr(inductor_config, "fx_wrapper", False):
                return "cpp_wrapper launches Inductor's kernels without Python"
            if inductor_config.triton.multi_kernel:
                return "multi_kernel chooses among Inductor's own kernels as it runs"
        return ""

    def replays(self) -> bool:
        """Whether programs are recorded as CUDA graphs, which go on to launch the kernels that they were recorded
        with."""
        with inductor_config.patch(self._wrapper.config):
            return bool(inductor_config.triton.cudagraphs)

    def reset(self) -> None:
        """What `torch.compiler.reset` does for a backend."""
        self._wrapper.reset()


def _callable(made: Any) -> Runner:
    assert callable(made)
    run: Runner = made
    return run


def has_option(name: str) -> bool:
    """Whether Inductor has an option of that name."""
    return name in inductor_config.get_config_copy()


@cache
def _as_inductor(operation: Any) -> Runner:
    """An operation as Inductor computes it: what a seed gives in eager mode depends on no seed, and the other pass of a
    graph draws the same numbers again."""
    return torch.compile(lambda *arguments: operation(*arguments), backend="inductor")


def kept(graph: torch.fx.GraphModule) -> Callable[[], Runner]:
    """What makes a function that runs an aten graph in eager mode, as it is now: Inductor changes what it compiles."""
    copied = copy.deepcopy(graph.graph)

    def eager() -> Runner:
        for node in copied.nodes:
            if node.target in _DRAWING:
                node.target = _as_inductor(node.target)
        forward = torch.fx.GraphModule(graph, copied).forward

        def run(values: list[Any]) -> Any:
            given = tuple(values)
            values.clear()  # the caller holds no reference either, so that memory is given back early
            return forward(*given)

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    return eager


def hear_of_resets(backend: Any) -> None:
    """Have `torch.compiler.reset` call the `reset` of a backend. Dynamo then forgets it: ask again at each compile."""
    cached_backends.setdefault(id(backend), backend)


def job_store() -> Any:
    """What the processes of a `torch.distributed` job share; None where there is no job of several processes."""
    there = torch.distributed.is_available() and torch.distributed.is_initialized()
    return distributed_c10d._get_default_store() if there and torch.distributed.get_world_size() > 1 else None


def keep_artifact(name: str, content: Callable[[], str]) -> None:
    """Where `TORCH_TRACE` asks for a trace of compiles, put a text about the present one into it, for `tlparse`."""
    trace_structured("artifact", lambda: {"name": name, "encoding": "json"}, payload_fn=content)
