"""Asking a policy about problems in batches, its answers judged as they come: for measuring it, and for its answers."""

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import torch
from rich.console import Console

from kernelwright.agent.evaluating import confirmed
from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.measures import is_correct, speedup
from kernelwright.agent.policy import Policy, Sampling
from kernelwright.agent.rollout import Roller, TooLong
from kernelwright.agent.search import sequential
from kernelwright.agent.trajectory import Trajectory, Turn
from kernelwright.driver.benchmarking.settings import AskingSchema
from kernelwright.driver.config.policies import open_policy
from kernelwright.driver.config.stage_agents import make_agent
from kernelwright.driver.run.activity import Activity
from kernelwright.driver.run.build import judged_by, needed, open_pool, resolve_target
from kernelwright.driver.training.reward_needs import TIMED
from kernelwright.ir.values import KernelModule

#: Seeds of consecutive batches are this far apart.
_SEED_STEP = 15_485_863

#: Some modules, and the trajectories that a policy made of them.
Batch = tuple[Sequence[KernelModule], list[Trajectory]]


def worth(before: KernelModule, after: KernelModule | None, verdict: Verdict) -> float:
    """The worth of a turn, by which the memory keeps the best turns. A right turn is worth more than a wrong turn. If
    times are known, a fast turn is worth more than a slow turn."""
    del before, after
    return 1.0 + (speedup(verdict) or 0.0) if is_correct(verdict) else 0.0


@dataclass(frozen=True)
class Asking:
    """What is asked, of whom. `policy` is one that is open already, None opens the one that is configured. `stop` ends
    a trajectory after a turn for which it holds."""

    plain: AskingSchema
    console: Console
    policy: Policy | None
    too_long: TooLong
    stop: Callable[[Turn], bool] | None = None

    def batches(self, modules: Sequence[KernelModule], known: Container[str], stack: ExitStack) -> Iterator[Batch]:
        """The batches of which some module's name is not known yet, each as it is judged; what is opened is closed with
        `stack`. The answers of a batch follow from its place and the seed."""
        plain, asks = self.plain, self.plain.rollout
        size = plain.batch
        due = [at for at in range(0, len(modules), size) if any(m.name not in known for m in modules[at : at + size])]
        if not due:
            return
        stage, ladder = plain.stage.name, asks.ladder()
        if ladder is None and torch.cuda.is_available():
            ladder = TIMED
        agent = make_agent(stage, resolve_target(plain.target.chosen), asks, worth)
        pool = stack.enter_context(
            open_pool(plain.evaluator, plain.target.chosen, plain.workers, needed(ladder), hosted=True)
        )
        with Activity(self.console, f"starting the policy, {plain.policy.kind.value} with {plain.policy.model}"):
            answering = stack.enter_context(open_policy(plain.policy)) if self.policy is None else self.policy
        sampling = Sampling(max_tokens=asks.max_tokens, temperature=asks.temperature, top_p=asks.top_p)
        left = sum(len(modules[at : at + size]) for at in due)
        with Activity(self.console, "problems", len(modules), len(modules) - left) as activity:
            for at in due:
                some = modules[at : at + size]
                roller = Roller(
                    agent,
                    answering,
                    confirmed(judged_by(pool)),
                    replace(sampling, seed=plain.seed + _SEED_STEP * (at // size)),
                    stage if stage in plain.policy.adapters else None,
                    ladder,
                    too_long=self.too_long,
                )
                yield some, sequential(roller, some, plain.budget(self.stop))
                for _ in some:
                    activity.advance()
