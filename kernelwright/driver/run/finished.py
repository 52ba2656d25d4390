"""Runs of training that have all of their steps: told at once, before torch is imported and anything is read."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelwright.driver.config.paths import free_place
from kernelwright.driver.run.provenance import read_starts
from kernelwright.driver.run.set_aside import SetAside
from kernelwright.driver.run.training_folder import ADAPTER, CHECKPOINTS, last_metrics, stranger
from kernelwright.rl.trainer.checkpoint import CheckpointError, latest_checkpoint

if TYPE_CHECKING:  # settings are the caller's
    from kernelwright.driver.config.train_settings import SftSchema, TrainSettings

#: Settings that a run may go on with changed; of pairs their rows count, not their file's name.
_FREE = ("workers", "readers", "out", "canary", "held_out", "pairs")
_FREE_SFT = ("out", "device", "epochs", "pairs")
_FREE_TRAINER = ("wandb", "trajectories")


@dataclass(frozen=True)
class ReadPairs:
    """What a run read of a file of pairs: the file's SHA-256, the digest of the rows, how many there were of what."""

    sha256: str
    rows: str
    counts: Mapping[str, int]

    @classmethod
    def of(cls, path: str | None, rows: str, counts: Mapping[str, int]) -> "ReadPairs":
        return cls(_sha256(path or ""), rows, counts)


def bound_train(settings: "TrainSettings") -> dict[str, Any]:
    """The settings that a run by reinforcement may only go on with as they were."""
    return _bound(settings.content, _FREE)


def bound_sft(settings: "SftSchema") -> dict[str, Any]:
    """The settings that a supervised run may only go on with as they were."""
    return _bound(asdict(settings), _FREE_SFT)


def default_train(settings: "TrainSettings") -> str:
    return f"runs/train/{settings.plain.stage.name}"


def default_sft(settings: "SftSchema") -> str:
    return f"runs/sft/{settings.stage.name}"


def finished_train(settings: "TrainSettings", say: Callable[[str], None]) -> dict[str, Any] | None:
    """The last metrics of the run by reinforcement that these settings name, if it has all of its steps, which is told.

    None where there is work to do, or where only reading the pairs would tell.
    """
    plain, steps = settings.plain, settings.plain.trainer.steps
    folder = _place(plain.out, default_train(settings), bound_train(settings), plain.pairs)
    if folder is None or plain.trainer.wandb is not None or not _has(folder, steps):
        return None
    return _told(folder, steps, say, {}) | {"set_aside": len(SetAside(folder, say))} if _leads() else {}


def finished_sft(settings: "SftSchema", say: Callable[[str], None]) -> dict[str, Any] | None:
    """The same of a supervised run."""
    folder = _place(settings.out, default_sft(settings), bound_sft(settings), settings.pairs)
    read = None if folder is None else _last_read(folder)
    if folder is None or read is None or settings.trainer.wandb is not None:
        return None
    steps = settings.run().steps(read.counts["rows"])
    if not _has(folder, steps):
        return None
    return _told(folder, steps, say, {**read.counts, "adapter": f"{folder}/{ADAPTER}"}) if _leads() else {}


def _place(out: str, default: str, bound: Mapping[str, Any], pairs: str | None) -> Path | None:
    """The folder that a run with these settings goes on in, which need not be there; None for another run's folder."""
    now, sha256 = json.loads(json.dumps(bound)), _sha256(pairs) if pairs else ""

    def other(folder: Path) -> str | None:
        read = _last_read(folder)
        same = {"rows": read.rows} if read is not None and read.sha256 == sha256 else {}
        return stranger(folder, now | same)

    place = free_place(Path(out), Path(out) == Path(default), other, lambda _line: None)
    return place if other(place) is None else None


def _has(folder: Path, steps: int) -> bool:
    if not (folder / ADAPTER / "adapter_model.safetensors").is_file():
        return False
    try:
        latest = latest_checkpoint(folder / CHECKPOINTS)
    except CheckpointError:
        return False
    return latest is not None and latest.step >= steps


def _told(folder: Path, steps: int, say: Callable[[str], None], facts: Mapping[str, Any]) -> dict[str, Any]:
    say(f"{folder} has all of its {steps} steps already: its adapter is {folder / ADAPTER}; another out=… begins anew")
    return {**facts, **last_metrics(folder)}


def _bound(content: Mapping[str, Any], free: Sequence[str]) -> dict[str, Any]:
    trainer = {key: value for key, value in content["trainer"].items() if key not in _FREE_TRAINER}
    return {key: value for key, value in content.items() if key not in free} | {"trainer": trainer}


def _last_read(folder: Path) -> ReadPairs | None:
    """What the run in a folder read of its pairs, when it was started last."""
    try:
        return ReadPairs(**read_starts(folder)[-1]["pairs"])
    except (IndexError, KeyError, TypeError):
        return None


def _sha256(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _leads() -> bool:
    """Whether this is the first of torchrun's processes, or the only one."""
    return os.environ.get("RANK", "0") == "0"
