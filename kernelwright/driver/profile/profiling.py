"""Profiles a model: compiles it as `torch.compile(backend="kernelwright")` does, and takes its calls' time apart."""

import itertools
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from kernelwright.backend.measure.clock import tick
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.torch_private import tree_leaves
from kernelwright.driver.extraction.modes import EVAL
from kernelwright.driver.extraction.recording import compiled_for, run_once
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
    kernels are the same. The model is left as it was. Raises UserError for a model that `torch.compile` cannot compile
    or run.
    """
    device, marks = _on_gpu(model, inputs), Marks()
    if not device and not interpreting():
        raise UserError("a profile needs a model and inputs on a GPU: for a CPU Inductor writes no Triton")
    backend = MarkedBackend(marks, options or {})
    turns = DeviceLock(torch.device("cuda", torch.cuda.current_device()) if device else torch.device("cpu"))
    with closing(turns), compiled_for(model, backend, mode) as run:

        def call() -> None:
            run_once(run, model, inputs, mode)
            if device:
                torch.cuda.synchronize()

        def marked_calls() -> None:
            for number in range(calls):
                with mark("call", number):
                    call()

        with turns.shared():
            _warmed_up(call)
        with turns.alone():
            wall_us = statistics.median(_clocked_us(call) for _ in range(calls))
            with marks.in_force(), launching(marks.kernel):
                trace = traced(marked_calls, device)
            rates = measured_rates(_factors(marks.graphs) if device else ())
    seen = pieces(trace, device)
    if not seen:
        raise UserError("the profiler shows no work; is CUPTI there, and may it be used?")
    name = torch.cuda.get_device_name() if device else "the host, without a GPU"
    found = profile_of(seen, marks.graphs, rates, calls=calls, wall_us=wall_us, device=name)
    return replace(found, certificates=marks.certificates)


def interpreting() -> bool:
    """Whether Triton runs kernels on the CPU in this process."""
    return os.environ.get("TRITON_INTERPRET") == "1"


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
