"""What becomes of a module that an agent works on: turns, and the trajectory that they make."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.policy import Completion, Prompt
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.values import KernelModule


@dataclass(frozen=True)
class Turn:
    """One answer of a policy and what it was worth.

    `candidate` is None where the answer could not be read; its diagnostics are in the verdict then. `valid` is False
    where the framework failed, not the answer: such a turn is neither paid nor learnt from.
    """

    prompt: Prompt
    completion: Completion
    candidate: KernelModule | None
    verdict: Verdict
    reward: float
    valid: bool = True

    @property
    def verified(self) -> bool:
        """Whether the answer was judged, and is right."""
        return self.valid and self.verdict.ok


@dataclass(frozen=True)
class Trajectory:
    """One attempt at a module over one or more turns, in order. `problem` is the index of the module in its batch."""

    problem: int
    module: KernelModule
    turns: tuple[Turn, ...] = field(default=())

    @property
    def best(self) -> Turn | None:
        """The verified turn with the highest reward, the earlier of equals; None where none was verified."""
        verified = [turn for turn in self.turns if turn.verified and turn.candidate is not None]
        return max(verified, key=lambda turn: turn.reward, default=None)


class Agent(Protocol):
    """What a policy needs to work on a stage: how to ask, how to read the answer, what it is worth."""

    def render(self, module: KernelModule, history: Sequence[Turn] = ()) -> Prompt:
        """What the policy is asked, after the turns so far."""
        ...

    def parse(self, text: str, module: KernelModule) -> KernelModule | tuple[Diagnostic, ...]:
        """The module that an answer stands for, with the reference and provenance of `module`; or why there is none."""
        ...

    def reward(self, before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
        """What the answer is worth, a finite number; UserError, naming the reward, where it gives none."""
        ...
