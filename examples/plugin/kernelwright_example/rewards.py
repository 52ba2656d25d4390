"""A reward that pays correct answers, and pays short correct answers more."""

from dataclasses import dataclass

from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.measures import is_correct, timed_speedup
from kernelwright.agent.rewards import Needs
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule


@dataclass(frozen=True)
class ShortReward:
    """`correct` less `per_line` for each line of the kernels, plus `speed` times the speedup; `failure` if not right.

    With `speed` 0 the reward needs no times, so it works on a machine without a GPU.
    """

    correct: float = 1.0
    per_line: float = 0.01
    speed: float = 0.0
    failure: float = -1.0

    def __post_init__(self) -> None:
        if self.per_line < 0:
            raise UserError(f"per_line={self.per_line:g}: give 0 or more")

    @property
    def needs(self) -> Needs:
        """Times of eager PyTorch and of the candidate, while speed counts."""
        return Needs(baseline="eager" if self.speed else "")

    def __call__(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        """The answer's reward. It is `failure` unless outputs were compared and found right."""
        del before
        if after is None or not is_correct(verdict):
            return self.failure
        lines = sum(len(kernel.source.splitlines()) for kernel in after.kernels)
        paid = self.correct - self.per_line * lines
        return paid + self.speed * timed_speedup(verdict, "eager", cap=10.0) if self.speed else paid
