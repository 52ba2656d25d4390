"""Supervised warm start: the adapter learns responses by heart, prompts do not count."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from kernelwright.ir.errors import UserError
from kernelwright.rl.checkpoint import resume_from, save_checkpoint, writing_beside
from kernelwright.rl.data import Cursor
from kernelwright.rl.learner import DivergedError, Learner
from kernelwright.rl.packing import Row, response_mask
from kernelwright.rl.run_log import RunLog


@dataclass(frozen=True)
class SftSettings:
    """`batch` rows to an optimizer step, `epochs` times through the data; every `save_every` steps a checkpoint.

    The last batch may reach into one more epoch. `wandb` is a project of Weights & Biases that gets the metrics.
    """

    epochs: int = 1
    batch: int = 16
    save_every: int = 100
    evaluate_every: int = 100
    keep: int = 2
    seed: int = 0
    wandb: str | None = None

    def steps(self, rows: int) -> int:
        """Optimizer steps of a run over so many rows."""
        return -(-self.epochs * rows // self.batch)


def train_sft(
    learner: Learner,
    rows: Sequence[Row],
    settings: SftSettings,
    folder: Path,
    *,
    held_out: Sequence[Row] = (),
    tell: Callable[[int, int, Mapping[str, Any]], None] = lambda _step, _steps, _metrics: None,
    say: Callable[[str], None] = lambda _line: None,
) -> dict[str, Any]:
    """Train, from the folder's latest checkpoint where there is one; the last step's metrics.

    Loss is the mean negative log-likelihood (nats) of a batch's response tokens. Raises DivergedError for a loss that
    is no number, CheckpointError or DiskFullError for a full disk: the last checkpoint is good.
    """
    if not rows:
        raise UserError("there are no pairs to learn from")
    with writing_beside(folder / "checkpoints"):
        return _train(learner, rows, settings, folder, held_out, tell, say)


def _train(
    learner: Learner,
    rows: Sequence[Row],
    settings: SftSettings,
    folder: Path,
    held_out: Sequence[Row],
    tell: Callable[[int, int, Mapping[str, Any]], None],
    say: Callable[[str], None],
) -> dict[str, Any]:
    found = resume_from(folder / "checkpoints", say)
    if found is not None:
        learner.load(found.folder)
    learner.steps = settings.steps(len(rows))
    leads, metrics = learner.ranks.leads, dict[str, Any]()
    log = RunLog(folder, learner.step, settings.wandb) if leads else None
    cursor = Cursor(rows, settings.batch, settings.seed)
    try:
        while learner.step < learner.steps:
            step, began = learner.step, time.monotonic()
            batch = cursor.batch_of(step)
            torch.manual_seed(random.Random(f"{settings.seed}/sft/{step}").getrandbits(31) + learner.ranks.rank)
            metrics = _step(learner, batch)
            metrics["tokens_per_s"] = round(sum(map(len, batch)) / (time.monotonic() - began), 1)
            last = learner.step == learner.steps
            if held_out and (last or learner.step % settings.evaluate_every == 0):
                metrics["held_out_loss"] = likelihood_loss(learner, held_out)
            if log is None:
                continue
            log.write(step, metrics)
            tell(learner.step, learner.steps, metrics)
            if last or learner.step % settings.save_every == 0:
                state = {"step": learner.step, "rows": len(rows), "settings": vars(settings)}
                save_checkpoint(folder / "checkpoints", learner.step, learner.save, state, settings.keep)
    finally:
        if log is not None:
            log.close()
    if leads:
        learner.save_adapter(folder / "adapter")
    return metrics


def _step(learner: Learner, batch: Sequence[Row]) -> dict[str, Any]:
    """One optimizer step."""
    return {"loss": add_likelihood_gradients(learner, batch), **learner.update()}


def add_likelihood_gradients(learner: Learner, batch: Sequence[Row], weight: float = 1.0) -> float:
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


def likelihood_loss(learner: Learner, rows: Sequence[Row]) -> float:
    """Mean negative log-likelihood (nats) of the rows' response tokens."""
    total = float(_negative_sum(learner.scored(rows).logp, rows))
    return total / sum(len(row.response) for row in rows)


def _negative_sum(logp: Tensor, rows: Sequence[Row]) -> Tensor:
    return -(logp * response_mask(rows).to(logp.device)).sum()
