"""What a context carries for passes that ask a policy or compare candidates."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from kernelwright.agent.evaluating import Evaluate, Rungs
from kernelwright.agent.judge import LLMJudge
from kernelwright.agent.policy import Policy
from kernelwright.agent.rewards import Estimate, Reward
from kernelwright.ir.values import Reference


@dataclass(frozen=True)
class AgentServices:
    """The policy that agents ask, and how their answers are judged and paid.

    `evaluate` stands in for the context's evaluator, as a pool does. `prepare` has the context's evaluator find out,
    before there is a candidate, what is right by these rungs; None where it cannot. `rungs` are what an agent without
    rungs of its own is judged on; None for all that the machine has. `rewards` are configured rewards by name.
    `estimate` gives a module's milliseconds by a cost model. `judge` is a language model that scores answers.
    """

    policy: Policy | None = None
    evaluate: Evaluate | None = None
    prepare: Callable[[Reference, Rungs], None] | None = None
    rungs: Rungs = None
    rewards: Mapping[str, Reward] = field(default_factory=lambda: MappingProxyType({}))
    estimate: Estimate | None = None
    judge: LLMJudge | None = None
