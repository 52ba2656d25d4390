"""Agents as passes: a policy proposes, the evaluator judges, the best verified candidate is kept, else the input."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from kernelwright.agent.evaluating import Evaluate, Rungs, confirmed, fault, judge_all, one_by_one
from kernelwright.agent.evaluator import Rung
from kernelwright.agent.policy import Policy, Sampling
from kernelwright.agent.prompts import check_history
from kernelwright.agent.rewards import REWARDS, Reward, make_reward, needs_of
from kernelwright.agent.rollout import Roller, with_given
from kernelwright.agent.search import Budget, best_turn, strategy_named
from kernelwright.agent.services import AgentServices
from kernelwright.agent.trajectory import Agent, Trajectory
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.passes import Context, Pass
from kernelwright.ir.values import KernelModule, Record


class NothingJudgedError(KernelwrightError):
    """Every candidate of an agent met a fault of the evaluator, so that nothing is known of any."""


@dataclass(frozen=True)
class AgentPass(Pass):
    """A pass that asks a policy.

    strategy: best-of-n, sequential or beam, over n answers and up to `turns` turns (`search.Budget` says what rounds
    and width are). temperature, top_p, max_tokens: of the sampling. history: what prompts show of earlier turns, full,
    last or summary. reward: its name. adapter: of the policy; empty for the base model. rungs: of the evaluator,
    separated by spaces; empty for all that the machine has. early_stop: end a trajectory once it is verified.

    The policy and what judges its answers come with the context's `AgentServices`.
    """

    explore = None

    n: int = 4
    turns: int = 1
    strategy: str = "best-of-n"
    rounds: int = 0
    width: int = 4
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 4096
    history: str = "full"
    reward: str = "frontend"
    adapter: str = ""
    rungs: str = ""
    early_stop: bool = True

    def __post_init__(self) -> None:
        self._budget()
        strategy_named(self.strategy)
        check_history(self.history)
        read_rungs(self.rungs)
        if self.reward not in (*REWARDS, "auto"):
            make_reward(self.reward)
        if self.max_tokens < 1 or self.temperature < 0 or not 0 < self.top_p <= 1:
            raise UserError("max_tokens must be at least 1, temperature at least 0, and top_p in (0, 1]")

    @abstractmethod
    def agent(self, target: str, reward: Reward) -> Agent:
        """How this pass asks, reads and pays; what compiling and training share."""

    def reward_name(self, ctx: Context, rungs: Rungs) -> str:
        """The name of the reward; passes may choose one by what the context can measure."""
        del ctx, rungs
        return self.reward

    def run(self, module: KernelModule, ctx: Context) -> KernelModule:
        """The best verified candidate; the same module where there is none, or none is better than its own kernels.

        Raises UserError without a policy, PolicyError where it fails, NothingJudgedError where the evaluator does.
        """
        policy, evaluate = self._policy(ctx), _evaluate(ctx)
        rungs = read_rungs(self.rungs) or ctx.service(AgentServices).rungs
        reward = self._reward(ctx, rungs)
        agent, needs = self.agent(ctx.target, reward), needs_of(reward)
        sampling = Sampling(self.n, self.max_tokens, self.temperature, self.top_p, seed=ctx.seed)
        given = judge_all([module], evaluate, rungs) if module.launcher is not None else []
        if needs.times:
            compared = [(module, verdict) for verdict in given]
            evaluate = confirmed(evaluate, baseline=needs.baseline or "eager", given=compared)
        roller = Roller(agent, policy, evaluate, sampling, self.adapter or None, rungs, ctx.progress)
        bar = None
        if given and given[0].ok:
            bar = agent.reward(module, module, with_given(given[0], given[0]))
        trajectories = strategy_named(self.strategy)(roller, [module], self._budget(), given)
        _check_judged(module, trajectories)
        best = best_turn(trajectories)
        if best is None or best.candidate is None or (bar is not None and best.reward <= bar):
            return module
        record = Record("", "", policy=best.completion.version, seed=ctx.seed, verdict=str(best.verdict))
        return replace(best.candidate, provenance=(*module.provenance, record))

    def _budget(self) -> Budget:
        return Budget(self.n, self.turns, self.rounds, self.width, attrgetter("verified") if self.early_stop else None)

    def _policy(self, ctx: Context) -> Policy:
        policy = ctx.service(AgentServices).policy
        if policy is None:
            raise UserError(
                f"pass {self.name} asks a policy, and none is configured; choose one with policy=NAME, "
                "give one in Context(services=(AgentServices(policy=...),)), or leave the pass out"
            )
        return policy

    def _reward(self, ctx: Context, rungs: Rungs) -> Reward:
        name = self.reward_name(ctx, rungs)
        services = ctx.service(AgentServices)
        configured = services.rewards.get(name)
        return configured or make_reward(name, estimate=services.estimate, judge=services.judge)


def read_rungs(text: str) -> Rungs:
    """Rungs from their names separated by spaces; None for an empty text, UserError for an unknown name."""
    unknown = [name for name in text.split() if name not in tuple(Rung)]
    if unknown:
        raise UserError(f"rungs: unknown rung {unknown[0]!r} (choose from {', '.join(Rung)})")
    return tuple(Rung(name) for name in text.split()) or None


def _evaluate(ctx: Context) -> Evaluate:
    given = ctx.service(AgentServices).evaluate
    if given is None and ctx.evaluator is None:
        raise UserError("an agent needs an evaluator in its context; it keeps nothing that was not verified")
    return given or one_by_one(ctx.evaluator)


def _check_judged(module: KernelModule, trajectories: Sequence[Trajectory]) -> None:
    turns = [turn for trajectory in trajectories for turn in trajectory.turns]
    faults = [fault(turn.verdict) for turn in turns if turn.candidate is not None or fault(turn.verdict)]
    if faults and all(faults):
        raise NothingJudgedError(f"@{module.name}: no candidate could be judged: {faults[0]}")
