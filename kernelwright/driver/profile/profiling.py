"""Profiles a model: compiles it as `torch.compile(backend="kernelwright")` does, and takes its calls' time apart."""

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.measure.clock import tick
from kernelwright.backend.torch_private import tree_leaves
from kernelwright.driver.extraction.recording import EVAL, compiled_for, run_once
from kernelwright.driver.profile.attribution import profile_of
from kernelwright.driver.profile.marking import MarkedBackend, MarkedGraph, Marks
from kernelwright.driver.profile.rates import measured_rates
from kernelwright.driver.profile.rows import Profile
from kernelwright.driver.profile.trace import mark, pieces, traced
from kernelwright.frontend.swap.launches import launching
from kernelwright.ir.errors import UserError

#: Calls that are profiled, and calls before: Inductor tunes in the first one, and libraries set themselves up.
CALLS, WARM_UP = 11, 3


def profile_model(
    model: nn.Module,
    inputs: Sequence[Any],
    mode: str = EVAL,
    *,
    options: Mapping[str, Any] | None = None,
    calls: int = CALLS,
) -> Profile:
    """The profile of calls in a mode of `extraction.recording`: inference, a training step, or one under autocast.

    options: as the backend takes them, such as `{"store": FOLDER}`. The model is compiled anew, kernel by kernel, and
    what `torch.compile` knew before is forgotten; compiled kernels come from caches. CUDA graphs are not used: their
    kernels are the same. Raises UserError for a model that `torch.compile` cannot compile or run.
    """
    device, marks = _on_gpu(model, inputs), Marks()
    with compiled_for(model, MarkedBackend(marks, options or {}), mode) as run, launching(marks.kernel):

        def call() -> None:
            run_once(run, model, inputs, mode)
            if device:
                torch.cuda.synchronize()

        def marked_calls() -> None:
            for number in range(calls):
                with mark("call", number):
                    call()

        _warmed_up(call)
        wall_us = statistics.median(_clocked_us(call) for _ in range(calls))
        with marks.in_force():
            trace = traced(marked_calls, device)
    rates = measured_rates(_factors(marks.graphs) if device else ())
    name = torch.cuda.get_device_name() if device else "the host, without a GPU"
    return profile_of(pieces(trace, device), marks.graphs, rates, calls=calls, wall_us=wall_us, device=name)


def _on_gpu(model: nn.Module, inputs: Sequence[Any]) -> bool:
    given = (one for one in tree_leaves(inputs) if isinstance(one, Tensor))
    return any(one.is_cuda for one in itertools.chain(given, model.parameters()))


def _warmed_up(call: Callable[[], None]) -> None:
    try:
        for _ in range(WARM_UP):
            call()
    except UserError:
        raise
    except Exception as error:
        told = str(error).strip().splitlines() or [""]
        raise UserError(f"torch.compile fails: {type(error).__name__}: {told[0]:.200}") from error


def _clocked_us(call: Callable[[], None]) -> float:
    elapsed = tick()
    call()
    return 1e6 * elapsed()


def _factors(graphs: Sequence[MarkedGraph]) -> set[str]:
    """The types whose products the graphs compute."""
    library = {str(one.dtype).rpartition(".")[2] for graph in graphs for one in graph.operations if one.flops}
    return library | {one.dtype for graph in graphs for one in graph.written.values() if one.work.flops and one.dtype}
