"""The folder of a training run: whose it is, what the run was told, and what came of its last step."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from kernelwright.driver.locks import locked
from kernelwright.ir.errors import UserError
from kernelwright.rl.data import write_text
from kernelwright.rl.run_log import read_metrics

_CONFIG, _CHECKPOINTS, _ADAPTER = "config.json", "checkpoints", "adapter"
#: What a run writes besides; of a run that got no checkpoint it is worth nothing.
_BESIDE = ("metrics.jsonl", "plot.svg", "plot.png", "canary.json", "tensorboard", "pushed", "wandb-id")


@contextmanager
def training_folder(wanted: Path, default: Path, told: Mapping[str, Any], say: Callable[[str], None]) -> Iterator[Path]:
    """The folder of a run with these settings, which no other run writes meanwhile.

    That is `wanted`, to go on from its checkpoints where it has some. Where it holds a run with other settings, it is
    the first of `wanted-2`, `wanted-3`, … that does not, if `wanted` is but the default; else UserError is raised.
    """
    now = json.loads(json.dumps(told))
    folder = free_place(wanted, wanted == default, lambda place: _stranger(place, now), say)
    with locked(folder):
        if reason := _stranger(folder, now):
            raise UserError(f"{folder} {reason}; give another out=…")
        left = [] if _has_checkpoints(folder) else [folder / name for name in _BESIDE if (folder / name).exists()]
        if left:
            say(f"{folder}: an earlier run ended before its first checkpoint; this run starts from the beginning")
        for path in left:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        write_text(folder / _CONFIG, json.dumps(now, indent=1) + "\n")
        yield folder


def free_place(
    wanted: Path, numbered: bool, stranger: Callable[[Path], str | None], say: Callable[[str], None]
) -> Path:
    """Where a run goes: `wanted`, unless a default, `numbered`, holds another run, as `stranger` says in words.

    Then it is the first free place with a number after its name, which is told.
    """
    reason = stranger(wanted) if numbered else None
    if reason is None:
        return wanted
    numbers = (wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}") for number in count(2))
    place = next(place for place in numbers if stranger(place) is None)
    say(f"{wanted} {reason}; this run goes to {place}")
    return place


def _stranger(folder: Path, now: Mapping[str, Any]) -> str | None:
    """Why a folder is no place for a run with these settings."""
    path = folder / _CONFIG
    if not path.is_file():
        return None
    if not _has_checkpoints(folder):
        kept = (folder / _ADAPTER).is_dir()
        return "has a run's adapter and no checkpoint to resume from" if kept else None
    try:
        before = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        return f"is a run whose {_CONFIG} cannot be read ({error})"
    changed = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
    return f"is a run with other settings ({', '.join(changed)} differ)" if changed else None


def _has_checkpoints(folder: Path) -> bool:
    return any((folder / _CHECKPOINTS).glob("*"))


def last_metrics(folder: Path) -> dict[str, Any]:
    """Of a run that was at its end already."""
    rows = read_metrics(folder)
    return {key: value for key, value in rows[-1].items() if key not in ("step", "seconds")} if rows else {}
