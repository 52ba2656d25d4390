"""The folder of a training run: whose it is, what the run was told, and what came of its last step."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kernelwright.driver.config.paths import free_place, remove_if_bare
from kernelwright.driver.run.journal import first_difference
from kernelwright.driver.run.locks import locked
from kernelwright.driver.run.provenance import RUN
from kernelwright.driver.run.set_aside import SET_ASIDE
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.rl.data.rows import write_text
from kernelwright.rl.trainer.checkpoint import CheckpointError, latest_checkpoint
from kernelwright.rl.trainer.run_log import read_metrics
from kernelwright.rl.trainer.step_lines import HELD_OUT, TRAJECTORIES

CHECKPOINTS, ADAPTER = "checkpoints", "adapter"
_CONFIG = "config.json"
#: What a run writes besides; of a run that got no checkpoint it is worth nothing.
_BESIDE = (
    *(CHECKPOINTS, "metrics.jsonl", "plot.svg", "plot.png", "canary.json", "tensorboard", "pushed", "wandb-id"),
    *(RUN, SET_ASIDE, TRAJECTORIES, HELD_OUT),
)


@contextmanager
def training_folder(wanted: Path, default: Path, told: Mapping[str, Any], say: Callable[[str], None]) -> Iterator[Path]:
    """The folder of a run with these settings, which no other run writes meanwhile.

    That is `wanted`, to go on from its checkpoints where it has some. Where it holds a run with other settings, it is
    the first of `wanted-2`, `wanted-3`, … that does not, if `wanted` is but the default; else UserError is raised.
    A run that ends before its first checkpoint, stopped or with an error of ours, leaves nothing there.
    """
    now = json.loads(json.dumps(told))
    folder = free_place(wanted, wanted == default, lambda place: stranger(place, now), say)
    new = not folder.exists()
    with locked(folder):
        check_begun(folder)
        if reason := stranger(folder, now):
            raise UserError(f"{folder} {reason}; give another out=…")
        _check_checkpoints(folder)
        if not _has_checkpoints(folder) and _remove_beside(folder):
            say(f"{folder}: an earlier run ended before its first checkpoint; this run starts from the beginning")
        write_text(folder / _CONFIG, json.dumps(now, indent=1) + "\n")
        try:
            yield folder
        except (KeyboardInterrupt, KernelwrightError):
            if not _has_checkpoints(folder) and not (folder / ADAPTER).is_dir():
                (folder / _CONFIG).unlink(missing_ok=True)
                _remove_beside(folder)
            if new:
                remove_if_bare(folder)
            raise


def _remove_beside(folder: Path) -> bool:
    """Remove what a run without a checkpoint wrote besides its configuration; whether there was anything."""
    left = [folder / name for name in _BESIDE if (folder / name).exists()]
    for path in left:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return bool(left)


def check_begun(folder: Path, default: Path | None = None) -> None:
    """UserError for a folder whose `config.json` cannot be read: a run would overwrite it.

    The default is not refused: its run goes to a folder with a number.
    """
    path = folder / _CONFIG
    if folder != default and (reason := _unreadable(path)):
        raise UserError(f"{path} {reason}; remove it, or give another out=…")


def _unreadable(config: Path) -> str | None:
    """Why a file is not the configuration of a run; None where it is, or where there is none."""
    if not config.exists():
        return None
    try:
        content = json.loads(config.read_text("utf-8"))
    except (OSError, ValueError) as error:
        return f"is not a run's configuration ({getattr(error, 'strerror', None) or error})"
    return None if isinstance(content, dict) else "is not a run's configuration (not a JSON object)"


def _check_checkpoints(folder: Path) -> None:
    """UserError where no checkpoint can be gone on from, as long as nothing else is done."""
    try:
        latest_checkpoint(folder / CHECKPOINTS)
    except CheckpointError as error:
        raise UserError(f"{error}, or give another out=…") from error


def stranger(folder: Path, now: Mapping[str, Any]) -> str | None:
    """Why a folder is no place for a run with these settings."""
    path = folder / _CONFIG
    if not path.is_file():
        return None
    if reason := _unreadable(path):
        return f"has a {_CONFIG} that {reason}"
    if not _has_checkpoints(folder):
        kept = (folder / ADAPTER).is_dir()
        return "has a run's adapter and no checkpoint to resume from" if kept else None
    before = json.loads(path.read_text("utf-8"))
    return f"is a run with other settings ({first_difference(before, now)})" if before != now else None


def _has_checkpoints(folder: Path) -> bool:
    return any(path.suffix != ".partial" for path in (folder / CHECKPOINTS).glob("*"))


def last_metrics(folder: Path) -> dict[str, Any]:
    """Of a run that was at its end already."""
    rows = read_metrics(folder)
    return {key: value for key, value in rows[-1].items() if key not in ("step", "seconds")} if rows else {}
