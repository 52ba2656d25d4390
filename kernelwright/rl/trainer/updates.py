"""Learning from a batch: turns are scored, advantages worked out, and the optimizer steps of the batch are taken."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from kernelwright.agent.measures import coverage, speedup
from kernelwright.agent.trajectory import Trajectory
from kernelwright.rl.algorithms.algorithm import Algorithm
from kernelwright.rl.algorithms.objectives import Prepared, objective, prepare
from kernelwright.rl.algorithms.statistics import Loss, acceptance, sum_and_count
from kernelwright.rl.algorithms.turns import Turns, turns_of
from kernelwright.rl.trainer.batches import BatchPlan, rows_of
from kernelwright.rl.trainer.imitation import GoodAnswers
from kernelwright.rl.trainer.learner import DivergedError, Learner
from kernelwright.rl.trainer.outcomes import measured
from kernelwright.rl.trainer.packing import Example
from kernelwright.rl.trainer.phases import Phases
from kernelwright.rl.trainer.rl_settings import RlSettings
from kernelwright.rl.trainer.sft import add_likelihood_gradients
from kernelwright.rl.trainer.stopping import Stop


@dataclass(frozen=True)
class _Scored:
    """A batch as the learner sees it before it learns from it: a row for each turn, and what was decided of all."""

    rows: Sequence[Example]
    turns: Turns
    prepared: Prepared
    entropy: Tensor | None


@dataclass
class Updates:
    """Takes the optimizer steps of a run. `good` are right answers of earlier batches, which are imitated; `pairs` are
    as the `Trainer` has them. What `stop` interrupts is given up before the first update of a batch, if no other
    process shares it."""

    learner: Learner
    algorithm: Algorithm
    settings: RlSettings
    phases: Phases
    stop: Stop
    pairs: Sequence[Example] = ()
    good: GoodAnswers = field(default_factory=GoodAnswers)

    def learn(self, plan: BatchPlan, trajectories: Sequence[Trajectory]) -> dict[str, Any]:
        """Take the updates of a batch; its statistics, and the last update's."""
        with self.phases.timed("score", "learner"), self.stop.interruptible(self.learner.ranks.alone):
            batch = self._scored(trajectories, plan.seed)
        found: dict[str, Any] = {}
        for number in range(self.settings.updates):
            again = self.good.drawn(self.settings.imitate, f"{self.settings.seed}/imitate/{plan.step}/{number}")
            again += self._paired(f"{self.settings.seed}/pairs/{plan.step}/{number}")
            with self.phases.timed("update", "learner"):
                found = self._update(batch, again, first=not number)
        if self.settings.imitate:
            weights = batch.prepared.good + self.settings.rehearsal * batch.prepared.solved
            self.good.record(batch.rows, self.learner.ranks.shared(weights.tolist()))
        return dict(batch.prepared.statistics) | found

    def _paired(self, seed: str) -> list[Example]:
        """So many rows of pairs as are imitated with an update, or all there are."""
        return random.Random(seed).sample(self.pairs, min(self.settings.pairs, len(self.pairs)))

    def _scored(self, trajectories: Sequence[Trajectory], seed: int) -> _Scored:
        rows = rows_of(trajectories)
        scored = self.learner.scored(rows, self.settings.temperature)
        if not bool(torch.isfinite(scored.logp).all()):
            raise DivergedError(f"step {self.learner.step}: the model's log-probabilities are not finite")
        reference = None
        if self.algorithm.kl:
            of_start = self.algorithm.reference == "start"
            scored_by = self.learner.scored_by_reference if of_start else self.learner.scored_by_base
            reference = scored_by(rows, self.settings.temperature).logp
        taken = [turn for made in trajectories for turn in made.turns]
        figures = measured(speedup, taken), measured(coverage, taken)
        turns = turns_of(trajectories, scored.logp, reference, *figures, self.algorithm.mask_truncated)
        return _Scored(rows, turns, prepare(turns, self.algorithm, seed), scored.entropy)

    def _update(self, batch: _Scored, again: Sequence[Example], first: bool) -> dict[str, Any]:
        """One optimizer step, its gradients summed over packs; none where no row has anything to teach.

        Rows without an advantage are left out where nothing but the advantage has a gradient; denominators stay those
        of the batch. `ratio` and `clip_fraction` are of the rows that are left. `again` are rows that are imitated. The
        gradients of a step's `first` update may be given up.
        """
        prepared = batch.prepared
        teaches = prepared.keep.any(-1) & ((prepared.advantages != 0) | bool(self.algorithm.kl))
        live = teaches.nonzero()[:, 0].tolist()
        sums = acceptance(batch.turns, prepared.keep)
        if batch.entropy is not None:
            sums["entropy"] = sum_and_count(batch.entropy, prepared.keep)
        with self.stop.interruptible(self.learner.ranks.alone and first):
            total = self._add_gradients(batch, live) if live else Loss(torch.zeros(()), {})
            told: dict[str, Any] = Loss(total.value, {**total.sums, **sums}).statistics()
            if again:
                told["imitation_loss"] = add_likelihood_gradients(self.learner, again, self.settings.imitation)
        return told | self.learner.update() if live or again else told

    def _add_gradients(self, batch: _Scored, live: Sequence[int]) -> Loss:
        """Those of the rows that are left, and what their loss came to in all processes."""
        total: Loss | None = None
        for pack in self.learner.packs([batch.rows[index] for index in live]):
            loss = self._loss(batch, [live[index] for index in pack] or live[:1], idle=not pack)
            loss.value.backward()  # type: ignore[no-untyped-call]
            total = loss.detach() if total is None else total + loss.detach()
        assert total is not None, "rows make packs"
        self.learner.ranks.add_up([total.value, *total.sums.values()])
        return total

    def _loss(self, batch: _Scored, chosen: Sequence[int], idle: bool) -> Loss:
        """The loss of some rows; idle, of none of their tokens: a pass that other processes wait for."""
        part = batch.prepared.select(chosen)
        keep = part.keep & (not idle)
        logp = self.learner.score([batch.rows[index] for index in chosen], self.settings.temperature, False).logp
        seen = batch.turns.select(chosen).with_logp(logp)
        loss = objective(seen, self.algorithm, part.advantages, keep, part.denominator, part.weights)
        if not torch.isfinite(loss.value):
            self.learner.optimizer.zero_grad(set_to_none=True)
            raise DivergedError(f"step {self.learner.step}: the loss is {float(loss.value.detach())}")
        return loss
