"""Reinforcement learning of one adapter: problems, rollouts, an update, the adapter handed to the policy, again.

A step is taken wholly or not at all: everything that decides the next one (adapter, optimizer, step number, the state
of random number generators) is in a checkpoint, and problems and seeds follow from the step number.
"""

import json
import math
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.measures import coverage, speedup
from kernelwright.agent.trajectory import Trajectory, Turn
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule
from kernelwright.rl.algorithms import Algorithm, Prepared, objective, prepare
from kernelwright.rl.checkpoint import resume_from, save_checkpoint, writing_beside
from kernelwright.rl.data import Cursor
from kernelwright.rl.learner import DivergedError, Learner
from kernelwright.rl.packing import Row, packs
from kernelwright.rl.run_log import RunLog
from kernelwright.rl.statistics import Loss
from kernelwright.rl.turns import Turns, turns_of

#: Makes trajectories for some modules, with the adapter that was pushed last; the number seeds what is random.
RollOut = Callable[[Sequence[KernelModule], int], list[Trajectory]]
#: Hands a saved adapter to the policy.
Push = Callable[[Path], None]
Tell = Callable[[int, int, Mapping[str, Any]], None]
Say = Callable[[str], None]
#: What a placeholder row consists of where a turn has no tokens.
_NOTHING = Row((0,), (0,))


@dataclass(frozen=True)
class RlSettings:
    """`problems` to a step, `steps` in all; `temperature` is that of the rollouts. `updates` optimizer steps are taken
    on each batch, of which all but the first are off-policy. Every `save_every` steps there is a checkpoint."""

    steps: int = 100
    problems: int = 4
    temperature: float = 1.0
    updates: int = 1
    save_every: int = 1
    keep: int = 2
    seed: int = 0


@dataclass
class Trainer:
    """One run in one folder. `roll_out` and `push` are the policy's side, `learner` the trainer's.

    `tell` is given every step's metrics, `say` what else there is to say, a line each.
    """

    learner: Learner
    modules: Sequence[KernelModule]
    roll_out: RollOut
    push: Push
    algorithm: Algorithm
    settings: RlSettings
    folder: Path
    tell: Tell = lambda _step, _steps, _metrics: None
    say: Say = lambda _line: None
    _seconds: dict[str, float] = field(default_factory=dict)

    def run(self) -> dict[str, Any]:
        """Train from the latest checkpoint on; the last step's metrics.

        Raises DivergedError for a loss that is no number, PolicyError for a policy that is gone, CheckpointError or
        DiskFullError for a full disk: in each case the latest checkpoint is what the next run starts from.
        """
        if not self.modules:
            raise UserError("there are no problems to learn from")
        with writing_beside(self._checkpoints):
            return self._run()

    @property
    def _checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    def _run(self) -> dict[str, Any]:
        self._resume()
        log, metrics = RunLog(self.folder, self.learner.step), dict[str, Any]()
        try:
            while self.learner.step < self.settings.steps:
                step = self.learner.step
                metrics = self._step(step)
                metrics |= {f"seconds/{name}": round(taken, 3) for name, taken in self._seconds.items()}
                self._seconds.clear()
                log.write(step, metrics)  # first: what a checkpoint holds is never taken again, and would not be shown
                if self.learner.step % self.settings.save_every == 0 or self.learner.step >= self.settings.steps:
                    self._timed("checkpoint", self._save)  # its seconds are the next step's
                self.tell(self.learner.step, self.settings.steps, metrics)
        finally:
            log.close()
        self.learner.save_adapter(self.folder / "adapter")
        return metrics

    def _resume(self) -> None:
        self.learner.steps = self.settings.steps
        found = resume_from(self._checkpoints, self.say)
        if found is not None:
            self.learner.load(found.folder)
            torch.set_rng_state(torch.tensor(found.state["torch_rng"], dtype=torch.uint8))
        else:
            torch.manual_seed(self.settings.seed)
        self._hand_over()

    def _save(self) -> None:
        state = {"step": self.learner.step, "torch_rng": torch.get_rng_state().tolist()}
        state |= {"settings": vars(self.settings), "algorithm": vars(self.algorithm)}
        content, keep = json.loads(json.dumps(state)), self.settings.keep
        save_checkpoint(self._checkpoints, self.learner.step, self.learner.save, content, keep)

    def _hand_over(self) -> None:
        """Give the policy the adapter as it is now; the folder holds it until the next one takes its place."""
        place = self.folder / "pushed" / f"{self.learner.step % 2}"
        self.learner.save_adapter(place)
        self.push(place)

    def _step(self, step: int) -> dict[str, Any]:
        """One step; its metrics."""
        chosen = Cursor(self.modules, self.settings.problems, self.settings.seed).batch_of(step)
        seed = random.Random(f"{self.settings.seed}/rollout/{step}").getrandbits(31)
        trajectories = self._timed("rollout", lambda: self.roll_out(chosen, seed))
        rows = rows_of(trajectories)
        turns, prepared = self._timed("score", lambda: self._prepared(trajectories, rows, seed))
        found: dict[str, Any] = {}
        for _ in range(self.settings.updates):
            found = self._timed("update", lambda: self._update(turns, prepared, rows))
        self.learner.step = step + 1
        self._timed("push", self._hand_over)
        tokens = sum(len(turn.completion.token_ids) for made in trajectories for turn in made.turns)
        facts: dict[str, Any] = {
            "tokens": tokens,
            "tokens_per_s": round(tokens / max(1e-9, self._seconds["rollout"]), 1),
        }
        facts["problems"] = [module.name for module in chosen]
        return rollout_metrics(trajectories) | facts | dict(prepared.statistics) | found

    def _prepared(self, trajectories: Sequence[Trajectory], rows: Sequence[Row], seed: int) -> tuple[Turns, Prepared]:
        scored = self.learner.scored(rows, self.settings.temperature).logp
        if not bool(torch.isfinite(scored).all()):
            raise DivergedError(f"step {self.learner.step}: the model's log-probabilities are no numbers")
        base = None
        if self.algorithm.kl:
            base = self.learner.scored_by_base(rows, self.settings.temperature).logp
        taken = [turn for made in trajectories for turn in made.turns]
        turns = turns_of(trajectories, scored, base, _measured(speedup, taken), _measured(coverage, taken))
        return turns, prepare(turns, self.algorithm, seed)

    def _update(self, turns: Turns, prepared: Prepared, rows: Sequence[Row]) -> dict[str, Any]:
        """One optimizer step, its gradients summed over packs; none where no row has anything to teach."""
        total: Loss | None = None
        for chosen in packs(rows, self.learner.budget):
            part = prepared.select(chosen)
            if not bool(part.keep.any()):
                continue
            scores = self.learner.score([rows[index] for index in chosen], self.settings.temperature)
            seen = turns.select(chosen).with_logp(scores.logp)
            loss = objective(
                seen, self.algorithm, part.advantages, part.keep, part.denominator, part.weights, scores.entropy
            )
            if not torch.isfinite(loss.value):
                self.learner.optimizer.zero_grad(set_to_none=True)
                raise DivergedError(f"step {self.learner.step}: the loss is {float(loss.value.detach())}")
            loss.value.backward()  # type: ignore[no-untyped-call]
            total = loss.detach() if total is None else total + loss.detach()
        if total is None or not (self.algorithm.kl or bool((prepared.advantages != 0).any())):
            self.learner.optimizer.zero_grad(set_to_none=True)
            return {"kept_rows": 0.0}
        return {**total.statistics(), **self.learner.update()}

    def _timed(self, name: str, work: Callable[[], Any]) -> Any:
        began = time.monotonic()
        try:
            return work()
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.monotonic() - began


def rows_of(trajectories: Sequence[Trajectory]) -> list[Row]:
    """A row for each turn, in order; turns without tokens get a placeholder, which no mask ever lets through."""
    return [_row(turn) for made in trajectories for turn in made.turns]


def _row(turn: Turn) -> Row:
    answer = turn.completion
    if not answer.token_ids and not turn.valid:
        return _NOTHING
    if not answer.token_ids or not answer.prompt_ids:
        raise UserError(
            f"policy {answer.version} does not tell the tokens of its answers: nothing can be learnt from it"
        )
    return Row(answer.prompt_ids, answer.token_ids)


def _measured(find: Callable[[Verdict], float | None], turns: Sequence[Turn]) -> list[float]:
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
    speedups = [value for value in _measured(speedup, correct) if not math.isnan(value)]
    if len(speedups) > 1:
        low, middle, high = statistics.quantiles(speedups, n=4)
        found |= {"speedup/25": low, "speedup/50": middle, "speedup/75": high}
    return found
