"""What a supervised run is told, without torch."""

from dataclasses import dataclass


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
