"""How a run's answers come about: who is asked, how answers are judged and paid, and what they are compared with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from kernelwright.agent.answer_cache import AnswerCache
from kernelwright.agent.evaluating import Evaluate, Rungs, confirmed
from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.policy import Policy, Sampling
from kernelwright.agent.rewards import Needs
from kernelwright.agent.rollout import Begin, TooLong, roll_out
from kernelwright.agent.trajectory import Agent, Trajectory
from kernelwright.driver.config.train_settings import TrainSchema
from kernelwright.driver.training.given import Given
from kernelwright.driver.training.held_out import ADAPTER, held_out_figures
from kernelwright.ir.values import KernelModule


@dataclass(frozen=True)
class Rolling:
    """Everything that rollouts of a run are made with.

    `policy` answers, and `asked` is the same one, watched or held back while something is timed. `cache` keeps
    verdicts from step to step, and `begin` reads answers elsewhere; None: neither is done. `too_long` is told of
    prompts without room.
    """

    plain: TrainSchema
    agent: Agent
    policy: Policy
    asked: Policy
    evaluate: Evaluate
    rungs: Rungs
    needs: Needs
    given: Given
    too_long: TooLong
    cache: AnswerCache | None = None
    begin: Begin | None = None

    @property
    def sampling(self) -> Sampling:
        """How answers are drawn, but for the seed."""
        drawn = self.plain.rollout
        return Sampling(max_tokens=drawn.max_tokens, temperature=drawn.temperature, top_p=drawn.top_p)

    def make(self, chosen: Sequence[KernelModule], seed: int, over: Callable[[], None]) -> list[Trajectory]:
        """A step's trajectories, by the adapter that learns."""
        sampling = replace(self.sampling, seed=seed)
        return self._rolled(chosen, self.plain.rollout.n, sampling, self.plain.stage.name, over)

    def push(self, place: Path) -> None:
        """Let the policy answer with the adapter in a folder."""
        self.policy.load_adapter(self.plain.stage.name, place)

    def measure(self, held_out: Sequence[KernelModule], place: Path) -> dict[str, Any]:
        """What the adapter in a folder makes of held-out problems."""
        self.policy.load_adapter(ADAPTER, place)
        asks, n = self.plain.held_out, self.plain.held_out.n
        sampling = replace(self.sampling, temperature=asks.temperature, seed=self.plain.seed)
        return held_out_figures(held_out, n, self._rolled(held_out, n, sampling, ADAPTER, lambda: None))

    def _rolled(
        self, chosen: Sequence[KernelModule], n: int, sampling: Sampling, adapter: str, over: Callable[[], None]
    ) -> list[Trajectory]:
        roll = partial(self._roll, n, sampling, adapter, over)
        return self.given.rolled(chosen, roll) if self.needs.of_given else roll(chosen, ())

    def _roll(
        self,
        n: int,
        sampling: Sampling,
        adapter: str,
        over: Callable[[], None],
        some: Sequence[KernelModule],
        before: Sequence[Verdict],
    ) -> list[Trajectory]:
        """Trajectories of modules, of which `before` are the verdicts as they were given."""
        evaluate = self.evaluate
        if self.needs.times:
            compared = list(zip(some, before, strict=True)) if before else []
            evaluate = confirmed(evaluate, baseline=self.needs.baseline or "eager", given=compared)
        return roll_out(
            self.agent,
            some,
            self.asked,
            evaluate,
            n=n,
            turns=self.plain.rollout.turns,
            sampling=sampling,
            adapter=adapter,
            rungs=self.rungs,
            given=before,
            over=over,
            cache=self.cache,
            begin=self.begin,
            too_long=self.too_long,
        )
