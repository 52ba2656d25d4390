"""Timing a reference in one process, eager or compiled: see `time_job`, by whose loop it is timed.

What was compiled goes into the answer, where `keep` asks for it, as bytes, unless there is too much. A job with such
bytes as its one tensor starts from them: same kernels, nothing compiled again.
"""

import contextlib
import functools
import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from kernelwright.backend.measure.clock import clock_for
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.tensors import copy_of
from kernelwright.backend.torch_private import inductor_classes
from kernelwright.evaluation.device.replay import Replay, Rotation, slot
from kernelwright.evaluation.device.time_job import device_facts, measure
from kernelwright.evaluation.inputs.draws import Draw
from kernelwright.evaluation.inputs.weights import perturb
from kernelwright.evaluation.protocol.answers import ReferenceTimed
from kernelwright.evaluation.protocol.decoding import Place
from kernelwright.evaluation.protocol.jobs import TimeReference
from kernelwright.evaluation.protocol.tensors import same_bits
from kernelwright.evaluation.protocol.transport import decode_reference
from kernelwright.evaluation.protocol.wire import RawTensor


def time_reference(
    job: TimeReference, tensors: Sequence[RawTensor], turns: DeviceLock
) -> tuple[ReferenceTimed, list[RawTensor]]:
    """Time the reference on the same draws, by the same loop."""
    plan, device = job.timing, torch.device(job.device)
    generator = random.Random(plan.seed)
    with torch.no_grad():
        program = ReferenceProgram.load(decode_reference(job.reference))
        with turns.shared() if program.draws_there(device) else contextlib.nullcontext():
            model = _built(program, job, device)
        for compiled in tensors:
            torch.compiler.load_cache_artifacts(bytes(compiled.data))
        with turns.shared():
            rotation = _reference_calls(job, program, model, generator, turns)
        with turns.alone():
            clock = clock_for(device)
            before = clock.facts() if plan.facts else {}
            found = measure(rotation, lambda _draw: [], replace(plan, verify=0), clock, generator)
    kept = _compiled_bytes(job.keep)
    told = found.told(clock, device_facts(before, clock, plan))
    return ReferenceTimed(**told, compiled=Place(0) if kept else None), kept


def _compiled_bytes(most: int) -> list[RawTensor]:
    """What torch.compile has compiled in this process, unless that is more than so many bytes or nothing."""
    saved = torch.compiler.save_cache_artifacts() if most else None
    if saved is None or len(saved[0]) > most:
        return []
    return [RawTensor("u8", (len(saved[0]),), (1,), memoryview(saved[0]))]


def _built(program: ReferenceProgram, job: TimeReference, device: torch.device) -> torch.nn.Module:
    """The model with the weights of all draws."""
    model = program.build_there(job.seed, device)
    weights = Draw.decode(job.draws[0]).weights
    if weights is not None:
        perturb(model, weights)
    return model


def _reference_calls(
    job: TimeReference, program: ReferenceProgram, model: torch.nn.Module, generator: random.Random, turns: DeviceLock
) -> Rotation:
    """The model compiled, its first call made, in a turn on the device that is given up while it compiles."""
    values = [program.inputs(Draw.decode(draw).inputs, job.device) for draw in job.draws]
    own = [copy_of(value) if isinstance(value, Tensor) else value for value in values[0]]
    slots = [
        slot(target, [value for one in values if isinstance(value := one[place], Tensor)])
        for place, target in enumerate(own)
        if isinstance(target, Tensor)
    ]
    call: Any = _compiled(model, job.compiler)
    before = {name: copy_of(value) for name, value in program.state(model).items()}

    def run() -> None:
        call(*own)

    if job.compiler:
        with turns.given_up(), in_turns(turns):
            run()
    else:
        run()
    state = program.state(model)
    kept = [(state[n], value) for n, value in before.items() if not same_bits(value, state[n])]
    return Rotation(slots, [Replay((run,), ())], kept, generator)


@contextlib.contextmanager
def in_turns(turns: DeviceLock) -> Iterator[None]:
    """What Inductor has compiled runs when others may, what it chooses from is timed alone; compiling waits for nobody.

    What was wrapped meanwhile and is called later does as it did before.
    """
    waiting = True

    def within(turn: Callable[[], contextlib.AbstractContextManager[None]], function: Any) -> Any:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with turn() if waiting else contextlib.nullcontext():
                return function(*args, **kwargs)

        return call

    compiled, timer = inductor_classes()
    with (
        patch.object(compiled, "__call__", within(turns.shared, compiled.__call__)),
        patch.object(timer, "benchmark_gpu", within(turns.alone, timer.benchmark_gpu)),
    ):
        try:
            yield
        finally:
            waiting = False


def _compiled(model: torch.nn.Module, compiler: str) -> Any:
    """The model as it is, or through torch.compile, in this process alone and without graphs of its own."""
    if not compiler:
        return model
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    mode = None if compiler == "default" else f"{compiler}-no-cudagraphs"
    return torch.compile(model, dynamic=False, mode=mode)
