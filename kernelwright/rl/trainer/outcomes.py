"""What became of a batch: figures of its verdicts, and what is logged of them."""

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.measures import speedup
from kernelwright.agent.trajectory import Trajectory, Turn


def measured(find: Callable[[Verdict], float | None], turns: Sequence[Turn]) -> list[float]:
    """A figure of each turn's verdict, NaN where it was not measured."""
    return [math.nan if (value := find(turn.verdict)) is None else value for turn in turns]


def rollout_metrics(trajectories: Sequence[Trajectory]) -> dict[str, Any]:
    """Rewards by status, pass rates of turns and trajectories, quantiles of speedups, lengths in tokens."""
    turns = [turn for made in trajectories for turn in made.turns]
    valid = [turn for turn in turns if turn.valid]
    rewards = [turn.reward for turn in valid]
    found: dict[str, Any] = {"turns": len(turns), "faults": len(turns) - len(valid)}
    if not valid:
        return found
    found |= {"reward": statistics.fmean(rewards), "reward_std": statistics.pstdev(rewards)}
    found["correct"] = statistics.fmean(turn.verdict.ok for turn in valid)
    found["solved"] = statistics.fmean(made.best is not None for made in trajectories)
    for status in sorted({str(turn.verdict.status) for turn in valid}):
        of_it = [turn.reward for turn in valid if turn.verdict.status == status]
        found |= {f"status/{status}": len(of_it) / len(valid), f"reward/{status}": statistics.fmean(of_it)}
    found["response_tokens"] = statistics.fmean(len(turn.completion.token_ids) for turn in valid)
    found["cut_off"] = statistics.fmean(turn.completion.finish == "length" for turn in valid)
    correct = [turn for turn in valid if turn.verdict.ok]
    speedups = [value for value in measured(speedup, correct) if not math.isnan(value)]
    if len(speedups) > 1:
        low, middle, high = statistics.quantiles(speedups, n=4)
        found |= {"speedup/25": low, "speedup/50": middle, "speedup/75": high}
    return found
