"""Supervised warm start: the adapter learns responses by heart, prompts do not count."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import torch
from torch import Tensor

from kernelwright.ir.errors import UserError
from kernelwright.rl.data.rows import Cursor
from kernelwright.rl.trainer.checkpoint import announcement, resume_from, save_checkpoint, what_is_kept, writing_beside
from kernelwright.rl.trainer.learner import DivergedError, Learner
from kernelwright.rl.trainer.packing import Example, response_mask
from kernelwright.rl.trainer.run_log import RunLog
from kernelwright.rl.trainer.sft_settings import SftSettings
from kernelwright.rl.trainer.stopping import Stop


def train_sft(
    learner: Learner,
    rows: Sequence[Example],
    settings: SftSettings,
    folder: Path,
    *,
    held_out: Sequence[Example] = (),
    tell: Callable[[int, int, Mapping[str, Any]], None] = lambda _step, _steps, _metrics: None,
    say: Callable[[str], None] = lambda _line: None,
) -> dict[str, Any]:
    """Train, from the folder's latest checkpoint where there is one; the last step's metrics.

    Loss is the mean negative log-likelihood (nats) of a batch's response tokens. Raises DivergedError for a loss that
    is no number, CheckpointError or DiskFullError for a full disk: the last checkpoint is good. The first Ctrl-C or
    SIGTERM gives up the step under way, or finishes it where other processes share it; then a checkpoint is written
    and KeyboardInterrupt is raised, told what is kept.
    """
    if not rows:
        raise UserError("there are no pairs to learn from")
    run = _Run(learner, rows, settings, folder, held_out, tell, say)
    with writing_beside(folder / "checkpoints"), run.stop:
        return run.train()


class _Run:
    def __init__(
        self,
        learner: Learner,
        rows: Sequence[Example],
        settings: SftSettings,
        folder: Path,
        held_out: Sequence[Example],
        tell: Callable[[int, int, Mapping[str, Any]], None],
        say: Callable[[str], None],
    ) -> None:
        self.learner, self.rows, self.settings, self.held_out = learner, rows, settings, held_out
        self.folder, self.checkpoints, self.tell, self.say = folder, folder / "checkpoints", tell, say
        self.stop = Stop(self._announce)
        self._kept = 0  # the step of the latest checkpoint

    def train(self) -> dict[str, Any]:
        learner, leads = self.learner, self.learner.ranks.leads
        found = resume_from(self.checkpoints, self.say)
        if found is not None:
            learner.load(found.folder)
            self._kept = found.step
        learner.steps = self.settings.steps(len(self.rows))
        log, metrics = RunLog(self.folder, learner.step, self.settings.wandb) if leads else None, dict[str, Any]()
        cursor = Cursor(self.rows, self.settings.batch, self.settings.seed)
        try:
            while learner.step < learner.steps and not learner.ranks.shared(self.stop.asked):
                step = learner.step
                try:
                    metrics = self._step(cursor.batch_of(step))
                except KeyboardInterrupt:
                    if not self.stop.in_order:
                        raise
                    learner.optimizer.zero_grad(set_to_none=True)
                    break
                if log is None:
                    continue
                log.write(step, metrics)
                self.tell(learner.step, learner.steps, metrics)
                if learner.step == learner.steps or learner.step % self.settings.save_every == 0:
                    self._save()
            if learner.step < learner.steps:
                self._end_early()
        finally:
            if log is not None:
                log.close()
        if leads:
            learner.save_adapter(self.folder / "adapter")
            if not metrics:
                self.say(f"{self.folder} has all of its {learner.steps} steps already")
        return metrics

    def _step(self, batch: Sequence[Example]) -> dict[str, Any]:
        """Take one optimizer step; its metrics. Raises KeyboardInterrupt only before the weights move."""
        learner, began, seed = self.learner, time.monotonic(), f"{self.settings.seed}/sft/{self.learner.step}"
        torch.manual_seed(random.Random(seed).getrandbits(31) + learner.ranks.rank)
        with self.stop.interruptible(self.learner.ranks.alone):
            loss = add_likelihood_gradients(learner, batch)
        metrics = {"loss": loss, **learner.update()}
        metrics["tokens_per_s"] = round(sum(map(len, batch)) / (time.monotonic() - began), 1)
        if self.held_out and (learner.step == learner.steps or learner.step % self.settings.evaluate_every == 0):
            metrics |= self._measured()
        return metrics

    def _measured(self) -> dict[str, float]:
        """The loss on held-out rows; nothing where the run is to stop before that is known."""
        try:
            with self.stop.interruptible(self.learner.ranks.alone):
                return {"held_out_loss": likelihood_loss(self.learner, self.held_out)}
        except KeyboardInterrupt:
            if not self.stop.in_order:
                raise
            return {}

    def _save(self) -> None:
        state = {"step": self.learner.step, "rows": len(self.rows), "settings": vars(self.settings)}
        keep = self.settings.keep
        self._kept = save_checkpoint(self.checkpoints, self.learner.step, self.learner.save, state, keep).step

    def _end_early(self) -> NoReturn:
        """Keep what was learnt, in the first process, and raise what says so, in each."""
        if self.learner.ranks.leads and self.learner.step > self._kept:
            self._save()
        self.learner.ranks.shared(None)  # no other process ends before that, or torchrun would end this one
        raise self.stop.interruption(what_is_kept(self.checkpoints, self.learner.steps))

    def _announce(self, given_up: bool) -> None:
        if self.learner.ranks.leads:
            self.say(announcement(given_up))


def add_likelihood_gradients(learner: Learner, batch: Sequence[Example], weight: float = 1.0) -> float:
    """Mean negative log-likelihood (nats) of a batch's response tokens, whatever packs they are in; `weight` times its
    gradients are added to those there are. Raises DivergedError for a loss that is no number."""
    tokens = sum(len(row.response) for row in batch)
    total = torch.zeros((), device=learner.device)
    for chosen in learner.packs(batch):
        part = [batch[index] for index in chosen or (0,)]
        loss = _negative_sum(learner.score(part).logp, part) / tokens * bool(chosen)
        if not torch.isfinite(loss):
            learner.optimizer.zero_grad(set_to_none=True)
            raise DivergedError(f"step {learner.step}: the loss is {float(loss.detach())}")
        (weight * loss).backward()  # type: ignore[no-untyped-call]
        total += loss.detach()
    learner.ranks.add_up([total])
    return float(total)


def likelihood_loss(learner: Learner, rows: Sequence[Example]) -> float:
    """Mean negative log-likelihood (nats) of the rows' response tokens."""
    total = float(_negative_sum(learner.scored(rows).logp, rows))
    return total / sum(len(row.response) for row in rows)


def _negative_sum(logp: Tensor, rows: Sequence[Example]) -> Tensor:
    return -(logp * response_mask(rows).to(logp.device)).sum()
