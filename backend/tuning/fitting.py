"""Launch options for a target, by the cost model and by measurement: what `tune` does."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch

from kernelwright.backend.compile.compiler import CompileFailureError, compile_launch
from kernelwright.backend.cost.model import launch_cost
from kernelwright.backend.launch.execute import trace_launches
from kernelwright.backend.measure.children import MOST_WORKERS, OFF_GPU, Children, cores
from kernelwright.backend.measure.stopwatch import Stopwatch
from kernelwright.backend.targets import Target, get_target
from kernelwright.backend.tuning import trials as tuning
from kernelwright.backend.tuning.space import ConfigSpace, Meta
from kernelwright.backend.tuning.trials import Tuning, is_worth_trying, spaces_of, with_meta
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

#: Microseconds of one kernel of a module.
Score = Callable[[KernelModule, str], float]
#: What a change must save to be made: more than the noise of a measurement, and more than the model can tell apart
#: (benchmarks/cost/cost_model.py measures how well it does).
WORTH = {"model": 0.95, "gpu": 0.98}


def fit_by_model(module: KernelModule, target: Target, trials: int, keep: frozenset[str], ctx: Context) -> KernelModule:
    """The module with the options that the cost model finds fastest; no kernel becomes slower by it."""
    score, spaces = predicted(target), spaces_of(module, keep)
    for index, (symbol, space) in enumerate(spaces.items()):
        ctx.progress(f"tune @{symbol} ({index + 1}/{len(spaces)})")
        search = _Search(module, symbol, space, target, score, WORTH["model"])
        module = with_meta(module, symbol, search.best(max(trials // len(spaces), 1)))
    return module


def fit_by_time(module: KernelModule, trials: int, keep: frozenset[str], ctx: Context) -> KernelModule:
    """The module with the options that are fastest on this machine's GPU."""
    torch.cuda.empty_cache()  # does nothing where nothing was allocated; the child wants it
    workers = Children(max(min(cores(), MOST_WORKERS, trials), 1), (tuning.__name__,), OFF_GPU)
    with workers, Stopwatch(module, ctx.seed) as watch:
        fitting = Tuning(module, get_target(ctx.target), workers, watch.measure, WORTH["gpu"], keep, ctx.progress)
        fitting.spend(trials)
    return fitting.module


@dataclass
class _Search:
    """Looks for one kernel's options: half the trials on what is usually good, half on steps from the best."""

    module: KernelModule
    symbol: str
    space: ConfigSpace
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
