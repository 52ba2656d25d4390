"""`tune`: fit launch options to the target, by measurement on a GPU and by the cost model elsewhere."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import torch

from kernelwright.backend import tuning
from kernelwright.backend.children import OFF_GPU, Children, cores
from kernelwright.backend.compiler import CompileFailureError, compile_launch
from kernelwright.backend.cost import launch_cost
from kernelwright.backend.execute import trace_launches
from kernelwright.backend.stopwatch import Stopwatch
from kernelwright.backend.targets import Target, get_target
from kernelwright.backend.tuning import Tuning, is_worth_trying, spaces_of, with_meta
from kernelwright.backend.tuning_space import Meta, Space
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level

#: Microseconds of one kernel of a module.
Score = Callable[[KernelModule, str], float]
#: What a change must save to be made: more than the noise of a measurement, and more than the model can tell apart
#: (benchmarks/cost_model.py measures how well it does).
WORTH = {"model": 0.95, "gpu": 0.98}
#: Processes that compile trials, at most.
MOST_WORKERS = 12


@register
@dataclass(frozen=True)
class Tune(Pass):
    """Choose block sizes, warps and stages for the target, and caps of the registers that products take.

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
        if self.trials < 1:
            raise UserError(f"trials={self.trials}: give at least 1")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module fitted to `ctx.target`; for the interpreter its options stay as they are.

        No kernel becomes slower by the score that is used. Raises UserError for measure=gpu without a GPU.
        """
        target = get_target(ctx.target)
        if self.measure == "gpu" and not torch.cuda.is_available():
            raise UserError("tune{measure=gpu} needs a CUDA device; use measure=model, or auto")
        if not target.is_gpu:
            return replace(module, target=target.name)
        if self.measure != "model" and torch.cuda.is_available():
            return replace(self._measured(module, ctx), target=target.name)
        score = predicted(target)
        spaces = spaces_of(module, frozenset(self.keep.split()))
        for index, (symbol, space) in enumerate(spaces.items()):
            ctx.progress(f"tune @{symbol} ({index + 1}/{len(spaces)})")
            search = _Search(module, symbol, space, target, score, WORTH["model"])
            module = with_meta(module, symbol, search.best(max(self.trials // len(spaces), 1)))
        return replace(module, target=target.name)

    def _measured(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The module with the options that are fastest on this machine's GPU."""
        torch.cuda.empty_cache()  # does nothing where nothing was allocated; the child wants it
        workers = Children(max(min(cores(), MOST_WORKERS, self.trials), 1), (tuning.__name__,), OFF_GPU)
        with workers, Stopwatch(module, ctx.seed) as watch:
            fitting = Tuning(
                module,
                get_target(ctx.target),
                workers,
                watch.measure,
                WORTH["gpu"],
                frozenset(self.keep.split()),
                ctx.progress,
            )
            fitting.spend(self.trials)
        return fitting.module


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
        self._try(self.space.promising(self.target), max(trials // 2, 1))
        left = trials + 1 - len(self.seen)
        while left > 0:
            before = self.found
            near = self.space.steps(self.found, self.target)
            self._try(near, left, until_better=True)
            left = trials + 1 - len(self.seen)
            if self.found == before:
                break
        return self.found

    def _try(self, candidates: Iterable[Meta], most: int, until_better: bool = False) -> None:
        fresh = [meta for meta in candidates if meta not in self.seen]
        for meta in fresh[:most]:
            self.seen[meta] = self._score(meta)
            if self.seen[meta] < self.seen[self.found] * self.worth:
                self.found = meta
                if until_better:
                    return

    def _score(self, meta: Meta, checked: bool = True) -> float:
        """Microseconds; infinite where Triton refuses the options or they are not worth a trial."""
        trial = with_meta(self.module, self.symbol, meta)
        try:
            if checked and not is_worth_trying(trial, self.symbol, self.target):
                return math.inf
            return self.score(trial, self.symbol)
        except CompileFailureError:
            return math.inf


def predicted(target: Target) -> Score:
    """The cost model's microseconds of all launches of a kernel."""

    def score(module: KernelModule, symbol: str) -> float:
        launches = [launch for launch in trace_launches(module) if launch.symbol == symbol]
        return sum(launch_cost(launch, compile_launch(module, launch, target), target).us for launch in launches)

    return score
