"""Policies and evaluators that tell a run's clock when they are at work."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelwright.agent.policy import Answer, Completion, Policy, Prompt, Sampling, Streaming
from kernelwright.evaluation.pools.pool import Pool
from kernelwright.rl.trainer.phases import Phases


@dataclass(frozen=True)
class WatchedPolicy:
    """A policy; it works while somebody waits for its answers. Implements `Policy`."""

    inner: Policy
    phases: Phases

    def sample(
        self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None
    ) -> list[list[Completion]]:
        with self.phases.work("policy"):
            return self.inner.sample(prompts, sampling, adapter)

    def load_adapter(self, adapter: str, folder: Path) -> None:
        self.inner.load_adapter(adapter, folder)

    def close(self) -> None:
        self.inner.close()


@dataclass(frozen=True)
class WatchedStream(WatchedPolicy):
    """One that streams."""

    streaming: Streaming

    def stream(self, prompts: Sequence[Prompt], sampling: Sampling, adapter: str | None = None) -> Generator[Answer]:
        with self.phases.work("policy"):
            yield from self.streaming.stream(prompts, sampling, adapter)


def watched(policy: Policy, pool: Pool, phases: Phases) -> Policy:
    """The policy, to be used in its place; the pool is told to tell."""
    pool.watch = lambda more: phases.count("evaluator", more)
    return WatchedStream(policy, phases, policy) if isinstance(policy, Streaming) else WatchedPolicy(policy, phases)
