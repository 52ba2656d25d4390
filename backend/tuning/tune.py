"""`tune`: fit launch options to the target, by measurement on a GPU and by the cost model elsewhere."""

from dataclasses import dataclass, replace
from typing import ClassVar

from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import UserError
from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.passes import Context, Pass, register
from kernelwright.ir.values import KernelModule, Level


@register
@dataclass(frozen=True)
class Tune(Pass):
    """Choose block sizes, warps and stages for the target, and limits on the registers of matrix products.

    trials: candidates compiled (and, on a GPU, measured) in all. measure: gpu, model, or auto (the GPU where
    there is one). keep: names of launch options, separated by spaces, that stay as they are.
    """

    name: ClassVar[str] = "tune"
    reads: ClassVar[Level] = Level.TRITON
    writes: ClassVar[Level] = Level.TUNED
    explore = Exploration(Phase.FIT, fixed=(("measure", "model"),), most=(("trials", 64),))

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
        import torch  # late: a pass is known, and its options are read, without torch

        from kernelwright.backend.tuning.fitting import fit_by_model, fit_by_time

        target, keep = get_target(ctx.target), frozenset(self.keep.split())
        if self.measure == "gpu" and not torch.cuda.is_available():
            raise UserError("tune{measure=gpu} needs a CUDA device; use measure=model, or auto")
        if target.is_gpu and self.measure != "model" and torch.cuda.is_available():
            module = fit_by_time(module, self.trials, keep, ctx)
        elif target.is_gpu:
            module = fit_by_model(module, target, self.trials, keep, ctx)
        return replace(module, target=target.name)
