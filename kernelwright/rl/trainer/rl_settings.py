"""What a run of reinforcement learning is told, without torch."""

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class RlSettings:
    """`problems` to a step, a share `replay` of them worked on before (see `Curriculum`), `steps` in all; `temperature`
    is that of the rollouts. `updates` optimizer steps are taken on each batch, of which all but the first are
    off-policy. With each of them `imitate` good answers of earlier batches are learnt by heart (see `GoodAnswers`),
    their loss times `imitation`; right answers to problems that had no others are among them with the weight
    `rehearsal`, beside advantages. So are as many of the trainer's pairs as `pairs` says. Every `save_every` steps
    there is a checkpoint. `ahead` batches are drawn ahead of the one that is learnt from. `wandb` is a project of
    Weights & Biases that gets the metrics. Of each step `trajectories` are written to a file. Before the first step,
    every `evaluate_every` steps and at the end held-out problems are answered; 0: never."""

    steps: int = 100
    problems: int = 4
    replay: float = 0.0
    temperature: float = 1.0
    updates: int = 1
    imitate: int = 0
    imitation: float = 1.0
    rehearsal: float = 0.0
    pairs: int = 0
    save_every: int = 1
    keep: int = 2
    seed: int = 0
    ahead: int = 0
    wandb: str | None = None
    trajectories: int = 0
    evaluate_every: int = 0

    def seed_of(self, what: str, step: int) -> int:
        """What something random of a step follows from."""
        return random.Random(f"{self.seed}/{what}/{step}").getrandbits(31)
