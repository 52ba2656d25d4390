"""How much faster a compiled module is: measured on this machine's GPU, or estimated."""

import statistics
from collections.abc import Callable
from contextlib import closing
from typing import Any

import torch
from triton.testing import do_bench

from kernelwright.backend.execute import CudaRuntime, load_module
from kernelwright.backend.reference import ReferenceProgram
from kernelwright.backend.tf32 import permitted
from kernelwright.backend.turns import Turns
from kernelwright.driver.report import estimated_speedup
from kernelwright.driver.stages import CompileResult
from kernelwright.ir.values import KernelModule

ROUNDS = 5


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
        how = f"measured: medians of {ROUNDS} interleaved rounds, CUDA events, L2 flushed"
    how += f", on {torch.cuda.get_device_name()}, numerics {result.module.reference.numerics}"
    value = round(times["eager"] / times["candidate"], 3)
    return {"value": value, "how": how, "against": "eager", "times_ms": times}


def measure_ms(module: KernelModule, rounds: int = ROUNDS, seed: int = 0) -> dict[str, float]:
    """Milliseconds a call of `eager` and `candidate`: eager, candidate, eager, … and the median of each.

    Processes that take turns on the GPU wait meanwhile.
    """
    program = ReferenceProgram.load(module.reference)
    model = program.build(seed, "cuda")
    inputs, state = program.inputs(seed, "cuda"), program.state(model)
    candidate = load_module(module, CudaRuntime())
    sides: dict[str, Callable[[], Any]] = {
        "eager": lambda: model(*inputs),
        "candidate": lambda: candidate(inputs, state),
    }
    samples: dict[str, list[float]] = {name: [] for name in sides}
    numerics = permitted(module.reference.numerics, deterministic=False)
    with torch.no_grad(), numerics, closing(Turns(torch.device("cuda"))) as turns, turns.alone():
        for _ in range(rounds):
            for name, call in sides.items():
                samples[name].append(do_bench(call, return_mode="median"))
    return {name: statistics.median(found) for name, found in samples.items()}
