"""What a run leaves: metrics as JSON lines and for TensorBoard."""

import contextlib
import importlib
import json
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

METRICS = "metrics.jsonl"


class RunLog:
    """Metrics of one run, in its folder. Lines of steps that are taken again after a resume are dropped first."""

    def __init__(self, folder: Path, step: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self._path = folder, folder / METRICS
        kept = [row for row in read_metrics(folder) if row["step"] < step]
        partial = self._path.with_suffix(".partial")  # the file as it is stays, should the disk be full
        partial.write_text("".join(json.dumps(row) + "\n" for row in kept), "utf-8")
        partial.replace(self._path)
        self._board = _tensorboard(folder, step)
        self._began = time.monotonic()

    def write(self, step: int, metrics: Mapping[str, Any]) -> None:
        """Take one step's metrics down, at once."""
        row = {"step": step, "seconds": round(time.monotonic() - self._began, 3), **metrics}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        for name, value in metrics.items():
            if self._board is not None and isinstance(value, int | float) and math.isfinite(value):
                self._board.add_scalar(name, value, step)

    def close(self) -> None:
        """Finish what TensorBoard has not written yet, if the disk lets it; the metrics are in the other file."""
        if self._board is not None:
            with contextlib.suppress(OSError):
                self._board.close()


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The metrics of a run, by step; a last line that was cut off is left out."""
    path = folder / METRICS
    rows = []
    for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return rows


def _tensorboard(folder: Path, step: int) -> Any:
    """A writer of TensorBoard's files; None where it is not installed."""
    try:
        module = importlib.import_module("torch.utils.tensorboard")
    except ImportError:
        return None
    return module.SummaryWriter(str(folder / "tensorboard"), purge_step=step or None)
