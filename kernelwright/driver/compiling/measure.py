"""How much faster a compiled module is: measured on this machine's GPU, or estimated."""

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

import torch

from kernelwright.backend.interpreter.runtime import InterpreterRuntime
from kernelwright.backend.launch.execute import CudaRuntime, load_module
from kernelwright.backend.measure.clock import Clock, clock_for, middle
from kernelwright.backend.measure.turns import DeviceLock
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.reference.tf32 import permitted
from kernelwright.driver.compiling.report import estimated_speedup
from kernelwright.driver.compiling.stages import CompileResult
from kernelwright.evaluation.device.time_reference import in_turns
from kernelwright.ir.values import KernelModule

#: How `measure_ms` measures, in words.
HOW = "medians of interleaved rounds, CUDA events behind L2 flushes that hide up to 2 ms of launching"
#: How often each side has its turn, and its runs in a turn: to warm up, and at most and at least to be timed, of which
#: there are fewer where they take more than so many milliseconds.
ROUNDS, WARM_UP, RUNS, FEWEST, TURN_MS = 5, 3, 20, 3, 100.0


def find_speedup(result: CompileResult, target: str) -> dict[str, Any]:
    """The speedup with how it was obtained and against what; the value is None for an unverified module.

    On a GPU it is against eager, taken from the verdict where its evaluation timed both, else measured here;
    without one, the cost model compares the final module with the first that had kernels. `times_ms` holds
    what was measured, in milliseconds.
    """
    if not result.ok:
        return {"value": None, "how": "not measured: the module is not verified", "against": ""}
    if not torch.cuda.is_available():
        return estimated_speedup(result, target)
    times = dict(result.verdict.times_ms) if result.verdict else {}
    how = "measured by the evaluator, medians"
    if not {"eager", "candidate"} <= set(times):
        times = measure_ms(result.module)
        how = f"measured: {HOW}"
    how += f", on {torch.cuda.get_device_name()}, numerics {result.module.reference.numerics}"
    value = round(times["eager"] / times["candidate"], 3)
    return {"value": value, "how": how, "against": "eager", "times_ms": times}


def measure_ms(module: KernelModule, seed: int = 0, inductor: bool = False) -> dict[str, float]:
    """Milliseconds of the device for a call of `eager` and `candidate`, and of `inductor` if asked: see `interleaved`.

    Processes that take turns on the GPU wait meanwhile.
    """
    baselines = ("eager", "inductor") if inductor else ("eager",)
    return _medians(rounds_ms({"candidate": module}, baselines, seed))


def rounds_ms(
    modules: Mapping[str, KernelModule], baselines: Sequence[str] = ("eager",), seed: int = 0, device: str = "cuda"
) -> dict[str, list[list[float]]]:
    """Milliseconds of every run of each baseline and of each module, by round: see `in_rounds`.

    The modules have one reference, and run on the same inputs. All sides are compiled before the first is timed, and
    nothing else that takes turns uses the GPU while they are timed. On `cpu` it is the interpreter that is timed: a
    rehearsal.
    """
    reference = next(iter(modules.values())).reference
    program, place = ReferenceProgram.load(reference), torch.device(device)
    runtime = CudaRuntime() if place.type == "cuda" else InterpreterRuntime()
    numerics = permitted(reference.numerics, deterministic=False)
    with torch.no_grad(), numerics, closing(DeviceLock(place)) as turns:
        with turns.shared():
            model = program.build_there(seed, device)
            inputs, state = program.inputs(seed, device), program.state(model)
        sides: dict[str, Callable[[], object]] = {}
        if "eager" in baselines:
            sides["eager"] = functools.partial(model, *inputs)
        for name, module in modules.items():
            sides[name] = functools.partial(load_module(module, runtime), inputs, state)
        with turns.shared():
            for call in sides.values():
                call()
        if "inductor" in baselines:
            sides["inductor"] = functools.partial(torch.compile(model), *inputs)
            with in_turns(turns):
                sides["inductor"]()
        with turns.alone():
            return in_rounds(sides, clock_for(place))


def interleaved(sides: Mapping[str, Callable[[], object]], clock: Clock, rounds: int = ROUNDS) -> dict[str, float]:
    """The median milliseconds of each side's rounds, of which each is the median of its runs: see `in_rounds`."""
    return _medians(in_rounds(sides, clock, rounds))


def in_rounds(
    sides: Mapping[str, Callable[[], object]], clock: Clock, rounds: int = ROUNDS
) -> dict[str, list[list[float]]]:
    """The milliseconds of each side's runs, by round: first, second, first, …

    Runs are queued behind flushes of the caches: small programs take the host longer to launch than the device to run,
    and how much longer depends on what else the host does.
    """
    samples: dict[str, list[list[float]]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, call in sides.items():
            first_ms = min(clock.time(call)[0] for _ in range(WARM_UP))
            runs = max(FEWEST, min(RUNS, int(TURN_MS / first_ms)))
            samples[name].append(clock.queued([_as_it_is] * runs, call))
    return samples


def _medians(samples: Mapping[str, list[list[float]]]) -> dict[str, float]:
    return {name: middle([middle(one) for one in found]) for name, found in samples.items()}


def _as_it_is() -> None:
    """What is prepared for a run: nothing."""
