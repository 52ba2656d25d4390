"""`search`: the fastest verified of many lowerings, rewrites and launch options, without a language model."""

from dataclasses import dataclass, replace
from typing import ClassVar

import torch

from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level, Record
from kernelwright.midend.search_race import OutOfTimeError, Race, Spending
from kernelwright.midend.search_space import Space


@register
@dataclass(frozen=True)
class Search(Pass):
    """Try lowerings, rewrites and launch options; keep the fastest that is verified, or the plain lowering.

    width: candidates that the cost model lets through to be verified; of those, half of each round go on to more
    trials of `tune`, up to `trials` for the last. most: candidates that are made. seconds: when to stop with what there
    is (0: when done). measure: gpu, model, or auto (the GPU where there is one). resume: go on from what an earlier
    search of the same program found out.

    It begins with the module's own kernels where it has some, which are then what must be beaten. Ctrl-C keeps the best
    so far. With a GPU the best few are timed beside eager PyTorch and Inductor, and yield to the plain lowering where
    they are slower than one of them. Of the context's options it takes those of an agent (`evaluate`, `rungs`,
    `estimate`), `judging` (settings that verdicts depend on) and `journals` (a folder for what is found out).
    """

    name: ClassVar[str] = "search"
    reads: ClassVar[Level] = Level.TORCH
    writes: ClassVar[Level] = Level.TUNED

    width: int = 8
    trials: int = 16
    most: int = 48
    seconds: float = 0.0
    measure: str = "auto"
    resume: bool = True

    def __post_init__(self) -> None:
        for name in ("width", "trials", "most"):
            if getattr(self, name) < 1:
                raise UserError(f"{name}={getattr(self, name)}: at least one is needed")
        if self.seconds < 0:
            raise UserError(f"seconds={self.seconds}: give seconds, or 0 for no limit")
        if self.measure not in ("auto", "gpu", "model"):
            raise UserError(f"measure={self.measure!r}; choose auto, gpu or model")

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The fastest verified candidate; its record's notes say what was tried, and how times were obtained.

        Raises UserError without an evaluator, for a target that is no GPU and for measure=gpu without one; what the
        plain lowering raises; SearchError where no candidate is verified.
        """
        if not get_target(ctx.target).is_gpu:
            raise UserError(f"search compares times, and target {ctx.target} has none; choose a GPU such as h100")
        if self.measure == "gpu" and not torch.cuda.is_available():
            raise UserError("search{measure=gpu} needs a CUDA device; use measure=model, or auto")
        on_gpu = self.measure != "model" and torch.cuda.is_available()
        spending = Spending(self.width, self.trials, self.most, self.seconds)
        race = Race(Space(module, ctx), spending, ctx, on_gpu, self.resume)
        stopped = ""
        try:
            race.run()
        except KeyboardInterrupt:
            if not race.verified:
                raise
            stopped = "interrupted"
        except OutOfTimeError:
            stopped = "out of time"
        best = race.best()
        notes = race.notes(best) | ({"stopped": stopped} if stopped else {})
        record = Record("", "", seed=ctx.seed, verdict=str(best.verdict), notes=notes)
        return replace(best.candidate.module, provenance=(*module.provenance, record))
