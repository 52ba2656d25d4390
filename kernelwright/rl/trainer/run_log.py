"""What a run leaves: metrics as JSON lines, for TensorBoard and, if that is asked for, for Weights & Biases."""

import contextlib
import importlib
import json
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelwright.ir.errors import UserError
from kernelwright.rl.data.rows import write_text
from kernelwright.rl.trainer.step_lines import read_step_lines

METRICS = "metrics.jsonl"
#: Holds the id that the run has at Weights & Biases.
WANDB_ID = "wandb-id"


class RunLog:
    """Metrics of one run, in its folder. Lines of steps that are taken again after a resume are dropped first.

    `project` is one of Weights & Biases, None for none. Raises UserError where no run can be begun there.
    """

    def __init__(self, folder: Path, step: int = 0, project: str | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self._path = folder, folder / METRICS
        kept = [row for row in read_metrics(folder) if row["step"] < step]
        partial = self._path.with_suffix(".partial")  # the file as it is stays, should the disk be full
        partial.write_text("".join(json.dumps(row) + "\n" for row in kept), "utf-8")
        partial.replace(self._path)
        self._wandb = None if project is None else _wandb(folder, step, project)
        self._board = _tensorboard(folder, step)
        self._began = time.monotonic()

    def write(self, step: int, metrics: Mapping[str, Any]) -> None:
        """Take one step's metrics down, at once."""
        row = {"step": step, "seconds": round(time.monotonic() - self._began, 3), **metrics}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        scalars = {
            name: value for name, value in metrics.items() if isinstance(value, int | float) and math.isfinite(value)
        }
        if self._board is not None:
            for name, value in scalars.items():
                self._board.add_scalar(name, value, step)
        if self._wandb is not None:
            with contextlib.suppress(ConnectionError):  # to a process of its own: the run goes on without it
                self._wandb.log(scalars, step=step, commit=True)

    def close(self) -> None:
        """Finish what TensorBoard has not written yet, if the disk lets it, and send what Weights & Biases has not got;
        the metrics are in the other file."""
        if self._board is not None:
            with contextlib.suppress(OSError):
                self._board.close()
        if self._wandb is not None:
            with contextlib.suppress(Exception):  # of that process, or of wandb's own, which are private
                self._wandb.finish()


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The metrics of a run, by step; a last line that was cut off is left out."""
    return read_step_lines(folder / METRICS)


def _tensorboard(folder: Path, step: int) -> Any:
    """A writer of TensorBoard's files; None where it is not installed."""
    try:
        module = importlib.import_module("torch.utils.tensorboard")
    except ImportError:
        return None
    return module.SummaryWriter(str(folder / "tensorboard"), purge_step=step or None)


def _wandb(folder: Path, step: int, project: str) -> Any:
    """A run of Weights & Biases; the folder's own where it goes on from a step, which passes over steps it has."""
    wandb = importlib.import_module("wandb")
    path = folder / WANDB_ID
    known = path.read_text("utf-8").strip() if step and path.is_file() else None
    try:
        run = wandb.init(project=project, name=folder.resolve().name, id=known, resume="allow", dir=str(folder))
    except wandb.Error as error:
        raise UserError(f"trainer.wandb={project}: {error}") from error
    write_text(path, f"{run.id}\n")
    return run
