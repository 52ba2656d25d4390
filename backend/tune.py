"""`tune`: fit launch options to the target, by measurement on a GPU and by the cost model elsewhere."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
import triton.testing
from torch import Tensor
from triton.runtime.errors import OutOfResources

from kernelwright.backend.compiler import CompileFailureError, compile_launch
from kernelwright.backend.cost import launch_cost
from kernelwright.backend.execute import CudaRuntime, load_module, trace_launches
from kernelwright.backend.reference import ReferenceProgram
from kernelwright.backend.targets import Target, get_target
from kernelwright.backend.tuning_space import Meta, Space, space_of
from kernelwright.backend.work import in_bounds
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level

#: Microseconds of one kernel of a module (by the model) or of the whole call (measured).
Score = Callable[[KernelModule, str], float]
#: What a change must save to be made: more than the noise of a measurement, and more than the model can tell apart
#: (benchmarks/cost_model.py measures how well it does).
WORTH = {"model": 0.95, "gpu": 0.98}
#: Elements compared at a time: widened, outputs of gigabytes would not fit.
_PART = 1 << 26


@register
@dataclass(frozen=True)
class Tune(Pass):
    """Choose block sizes, warps and stages for the target.

    trials: candidates compiled (and, on a GPU, measured) in all. measure: gpu, model, or auto (the GPU where
    there is one). keep: names of launch options, separated by spaces, that stay as they are.
    """

    name: ClassVar[str] = "tune"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TUNED

    trials: int = 16
    measure: str = "auto"
    keep: str = ""

    def __post_init__(self) -> None:
        if self.measure not in ("auto", "gpu", "model"):
            raise UserError(f"measure={self.measure!r}; choose auto, gpu or model")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module fitted to `ctx.target`; for the interpreter its options stay as they are.

        No kernel becomes slower by the score that is used. Raises UserError for measure=gpu without a GPU.
        """
        target = get_target(ctx.target)
        if self.measure == "gpu" and not torch.cuda.is_available():
            raise UserError("tune{measure=gpu} needs a CUDA device; use measure=model, or auto")
        if not target.is_gpu:
            return replace(module, target=target.name)
        on_gpu = self.measure != "model" and torch.cuda.is_available()
        score = measured(module, ctx.seed) if on_gpu else predicted(target)
        spaces = _spaces(module, frozenset(self.keep.split()))
        for index, (symbol, space) in enumerate(spaces.items()):
            ctx.progress(f"tune @{symbol} ({index + 1}/{len(spaces)})")
            search = _Search(module, symbol, space, target, score, WORTH["gpu" if on_gpu else "model"])
            module = with_meta(module, symbol, search.best(max(self.trials // len(spaces), 1)))
            del search
        if on_gpu:
            del score
            torch.cuda.empty_cache()  # the evaluator's processes want it
        return replace(module, target=target.name)


def _spaces(module: KernelModule, keep: frozenset[str]) -> dict[str, Space]:
    """The kernels that have something to choose, in the order of their launches."""
    programs: dict[str, int] = {}
    for launch in trace_launches(module):
        programs[launch.symbol] = max(programs.get(launch.symbol, 0), math.prod(launch.grid))
    spaces = {symbol: space_of(module, symbol, count, keep) for symbol, count in programs.items()}
    return {symbol: space for symbol, space in spaces.items() if space.choices}


def with_meta(module: KernelModule, symbol: str, meta: Meta) -> KernelModule:
    """The module with other launch options for one kernel."""
    kernels = tuple(replace(kernel, meta=meta) if kernel.symbol == symbol else kernel for kernel in module.kernels)
    return replace(module, kernels=kernels)


@dataclass
class _Search:
    """Looks for one kernel's options: half the trials on what is usually good, half on steps from the best."""

    module: KernelModule
    symbol: str
    space: Space
    target: Target
    score: Score
    worth: float

    def best(self, trials: int) -> Meta:
        self.seen = {self.space.start: self._score(self.space.start, checked=False)}
        self.found = self.space.start
        self._try(self.space.all(), max(trials // 2, 1))
        left = trials + 1 - len(self.seen)
        while left > 0:
            before = self.found
            self._try(self.space.near(self.found), left, until_better=True)
            left = trials + 1 - len(self.seen)
            if self.found == before:
                break
        return self.found

    def _try(self, candidates: Iterable[Meta], most: int, until_better: bool = False) -> None:
        fresh = [meta for meta in candidates if meta not in self.seen]
        fresh.sort(key=lambda meta: (self.space.distance(meta, self.target), str(meta)))
        for meta in fresh[:most]:
            self.seen[meta] = self._score(meta)
            if self.seen[meta] < self.seen[self.found] * self.worth:
                self.found = meta
                if until_better:
                    return

    def _score(self, meta: Meta, checked: bool = True) -> float:
        """Microseconds; infinite where Triton refuses the options or a program would leave its tensors."""
        trial = with_meta(self.module, self.symbol, meta)
        try:
            if checked and not _stays_inside(trial, self.symbol, self.target):
                return math.inf
            return self.score(trial, self.symbol)
        except CompileFailureError:
            return math.inf


def _stays_inside(module: KernelModule, symbol: str, target: Target) -> bool:
    """Whether unmasked accesses still fit: a larger block need not divide what a smaller one did."""
    launches = [launch for launch in trace_launches(module) if launch.symbol == symbol]
    return all(in_bounds(compile_launch(module, launch, target).ttir, launch) for launch in launches)


def predicted(target: Target) -> Score:
    """The cost model's microseconds of all launches of a kernel."""

    def score(module: KernelModule, symbol: str) -> float:
        launches = [launch for launch in trace_launches(module) if launch.symbol == symbol]
        return sum(launch_cost(launch, compile_launch(module, launch, target), target).us for launch in launches)

    return score


def measured(module: KernelModule, seed: int) -> Score:
    """Median microseconds of a call on this machine's GPU; infinite where outputs differ from the given module's."""
    program = ReferenceProgram.load(module.reference)
    model = program.build(seed, "cuda")
    inputs, state = program.inputs(seed, "cuda"), program.state(model)
    expected: tuple[Tensor, ...] = load_module(module, CudaRuntime(), seed)(inputs, state)

    def score(trial: KernelModule, symbol: str) -> float:
        del symbol  # a kernel alone would find its inputs in the cache
        try:
            call = load_module(trial, CudaRuntime(), seed)
            outputs = call(inputs, state)
            if not all(map(_agree, outputs, expected)):
                return math.inf
            milliseconds = triton.testing.do_bench(lambda: call(inputs, state), warmup=5, rep=20, return_mode="median")
        except OutOfResources:
            return math.inf
        return 1e3 * float(milliseconds)

    return score


def _agree(output: Tensor, expected: Tensor) -> bool:
    """Whether two runs of one algorithm agree; another order of summation is no difference."""
    flat = output.reshape(-1), expected.reshape(-1)
    parts = (tuple(side[at : at + _PART].double() for side in flat) for at in range(0, output.numel(), _PART))
    return all(torch.allclose(have, want, rtol=1e-2, atol=1e-2, equal_nan=True) for have, want in parts)
