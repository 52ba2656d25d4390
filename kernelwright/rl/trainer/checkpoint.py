"""Checkpoints: whole or not there. One is written beside its place and moved there when all of it is on the disk.

A checkpoint is a folder `step-00000010` with whatever its writer put there, `state.json`, and `manifest.json` with the
size and SHA-256 of every file. One that a crash, a full disk or a hand has damaged is passed over for the one before.
"""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from kernelwright.ir.errors import KernelwrightError

_PREFIX = "step-"
_CHUNK_BYTES = 1 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT)
#: What a write that fails is raised as: by Python, by safetensors, by torch.save, which does not tell why.
_REFUSED = (OSError, SafetensorError, RuntimeError)


class CheckpointError(KernelwrightError):
    """A checkpoint could not be written or read; those before it are as they were."""


class DiskFullError(KernelwrightError):
    """A run's files, its checkpoints apart, cannot be written any more; its checkpoints are as they were."""


@dataclass(frozen=True)
class Checkpoint:
    """A complete checkpoint. `damaged` names later ones that are not."""

    step: int
    folder: Path
    state: dict[str, Any]
    damaged: tuple[Path, ...] = ()


def save_checkpoint(
    root: Path, step: int, write: Callable[[Path], None], state: dict[str, Any], keep: int = 3
) -> Checkpoint:
    """Write one: `write` fills its folder, `state` is JSON. The `keep` newest stay. Raises CheckpointError."""
    place = root / f"{_PREFIX}{step:08d}"
    partial = root / f"{place.name}.partial"
    try:
        root.mkdir(parents=True, exist_ok=True)
        for left in root.glob("*.partial"):  # of a run that was killed while it wrote
            shutil.rmtree(left, ignore_errors=True)
        partial.mkdir()
        write(partial)
        (partial / "state.json").write_text(json.dumps(state, indent=1) + "\n", "utf-8")
        (partial / "manifest.json").write_text(json.dumps(_manifest(partial), indent=1) + "\n", "utf-8")
        for path in [*_files(partial), partial]:
            _flush(path)
        shutil.rmtree(place, ignore_errors=True)
        partial.rename(place)
        _flush(root)
    except _REFUSED as error:
        reason = "the disk is full; make room" if _is_full(error, root) else str(error)
        shutil.rmtree(partial, ignore_errors=True)
        raise CheckpointError(f"checkpoint {place} was not written: {reason} ({_what_is_left(root)})") from error
    for old in _places(root)[keep:]:
        shutil.rmtree(old, ignore_errors=True)
    return Checkpoint(step, place, state)


def latest_checkpoint(root: Path) -> Checkpoint | None:
    """The newest complete one; None where there is none at all. Raises CheckpointError where all are damaged."""
    damaged: list[Path] = []
    for place in _places(root):
        state = _read(place)
        if state is not None:
            return Checkpoint(int(place.name.removeprefix(_PREFIX)), place, state, tuple(damaged))
        damaged.append(place)
    if damaged:
        names = ", ".join(path.name for path in damaged)
        raise CheckpointError(f"every checkpoint in {root} is damaged ({names}): remove them to start anew")
    return None


def resume_from(root: Path, say: Callable[[str], None]) -> Checkpoint | None:
    """The latest checkpoint, told to `say` with what it passes over."""
    found = latest_checkpoint(root)
    if found is not None:
        over = "".join(f"{path} is damaged and skipped; " for path in found.damaged)
        say(f"{over}resuming from step {found.step}, {found.folder}")
    return found


#: What a run says that ends before its first checkpoint.
NOTHING_KEPT = "stopped before the first step was done; nothing of this run is kept"


def announcement(given_up: bool) -> str:
    """What a run says when it is asked to stop."""
    what = "abandons the current step" if given_up else "finishes the current step"
    return f"stopping: the run {what} and writes a checkpoint; a second Ctrl-C ends it at once"


def what_is_kept(root: Path, steps: int | None = None) -> str:
    """What a run that ends before the last of its steps leaves, in one line."""
    found = _latest_or_none(root)
    if found is None:
        return NOTHING_KEPT
    of = "" if steps is None else f" of {steps}"
    return f"stopped after step {found.step}{of}; kept {found.folder}; the same command resumes from there"


def _latest_or_none(root: Path) -> Checkpoint | None:
    try:
        return latest_checkpoint(root)
    except CheckpointError:
        return None


@contextmanager
def writing_beside(root: Path) -> Iterator[None]:
    """What a run writes beside its checkpoints in `root`: a full disk is a DiskFullError that says what is left."""
    try:
        yield
    except (OSError, SafetensorError) as error:
        if not _is_full(error, root):
            raise
        raise DiskFullError(f"the disk is full; make room ({_what_is_left(root)})") from error


def _is_full(error: BaseException, root: Path) -> bool:
    """Whether a write failed for want of room. Only OSError tells; the others are believed where there is none."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in _FULL
    there = next(path for path in (root, *root.absolute().parents) if path.exists())
    return f"(os error {errno.ENOSPC})" in str(error) or shutil.disk_usage(there).free < _CHUNK_BYTES


def _what_is_left(root: Path) -> str:
    try:
        before = latest_checkpoint(root)
    except CheckpointError as error:
        return str(error)
    return f"{before.folder} is intact: resume from there" if before else "there is no checkpoint before it"


def _places(root: Path) -> list[Path]:
    """Finished checkpoints, newest first."""
    found = root.glob(f"{_PREFIX}*") if root.is_dir() else ()
    return sorted((path for path in found if path.suffix != ".partial"), reverse=True)


def _read(place: Path) -> dict[str, Any] | None:
    try:
        listed = json.loads((place / "manifest.json").read_text("utf-8"))
        if listed != _manifest(place):
            return None
        state: dict[str, Any] = json.loads((place / "state.json").read_text("utf-8"))
        return state
    except (OSError, ValueError):
        return None


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")


def _manifest(folder: Path) -> dict[str, list[Any]]:
    return {str(path.relative_to(folder)): [path.stat().st_size, _digest(path)] for path in _files(folder)}


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _flush(path: Path) -> None:
    """Wait until the disk has it."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
