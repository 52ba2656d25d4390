"""The backend: Inductor's compile of a graph, with its kernels looked up on their way in."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from kernelwright.driver.torch_compile import record
from kernelwright.driver.torch_compile.options import Options, Request
from kernelwright.driver.torch_compile.picks import Picks, opened
from kernelwright.driver.torch_compile.session import Session, tell
from kernelwright.frontend.inductor.plain import BackendOptionError, Inductor, Runner, hear_of_resets, job_store
from kernelwright.ir.errors import UserError

__all__ = ["compile_graph", "hear_of_resets", "reset"]

#: What was asked of Inductor and of the store since the last reset.
_inductors: list[Inductor] = []
_picks: dict[tuple[Options, bool], Picks] = {}


def compile_graph(
    graph: torch.fx.GraphModule, inputs: Sequence[Any], options: Mapping[str, Any] | None, mode: str | None
) -> Runner:
    """What runs a graph that Dynamo hands over. Raises ValueError for wrong options, and what Inductor raises."""
    request = Request.read(options, mode)
    _inductors.append(request.inductor)
    with record.recorded(len(graph.graph.nodes)) as noted:
        return _compiled(request, graph, inputs, noted)


def _compiled(request: Request, graph: torch.fx.GraphModule, inputs: Sequence[Any], noted: record.Record) -> Runner:
    if os.environ.get("KERNELWRIGHT_DISABLE") == "1":
        noted.left_alone = "KERNELWRIGHT_DISABLE=1"
        return request.inductor.alone(graph, inputs)
    if hidden := request.inductor.why_hidden():
        noted.left_alone = hidden
        tell(f"no kernel is replaced: {hidden}")
        return request.inductor.alone(graph, inputs)
    session = Session(request.options.target, _picks_for(request.options), noted)
    run = request.inductor(graph, inputs, session.around, session.inner)
    if session.wrong_from_cache:
        noted.parts.clear()
        run = request.inductor(graph, inputs, session.around, session.inner, aot_cache=False)
    return run


def reset() -> None:
    """What `torch.compiler.reset()` asks of a backend: nothing that was compiled or chosen is known any more."""
    while _inductors:
        _inductors.pop().reset()
    _picks.clear()
    opened.cache_clear()
    record.reset()


def _picks_for(options: Options) -> Picks:
    """The picks of all graphs with the same options, in a job of several processes or not."""
    place = options, job_store() is not None
    if place not in _picks:
        try:
            _picks[place] = Picks(options)
        except UserError as error:
            raise BackendOptionError(str(error)) from error
    return _picks[place]
