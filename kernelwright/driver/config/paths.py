"""Paths that are given, checked before any work begins."""

import json
import os
import shutil
from collections.abc import Callable, Collection
from contextlib import suppress
from itertools import count
from pathlib import Path

from kernelwright.ir.errors import UserError


def check_output(path: Path | str, key: str) -> None:
    """UserError for a file that cannot be written: its folder is not there, or it is a folder itself."""
    path = Path(path)
    if path.is_dir():
        raise UserError(f"{key}{path} is a folder; name a file")
    if path.exists() and not path.is_file():  # a device or a FIFO, whose place a file would take
        raise UserError(f"{key}{path} is not a regular file; name a file")
    _check_home(path, key)
    if path.parent.exists() and not path.parent.is_dir():
        raise UserError(f"{key}{path}: {path.parent} is a file; name another folder")
    if not path.parent.is_dir():
        raise UserError(f"{key}{path}: No such file or directory: make the folder {path.parent} first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UserError(f"{key}{path}: Permission denied; name a writable file")


def check_new_file(path: Path | str, key: str) -> None:
    """UserError for a file that cannot be written, of which the folder is made where it is not there."""
    path = Path(path)
    check_folder(path.parent, key)
    if path.parent.is_dir():
        check_output(path, key)


def check_replaced(
    path: Path | str, key: str, holds: str, keys: Collection[str], without: Collection[str] = ()
) -> None:
    """UserError for a file of rows that would take the place of something else.

    Its first row lacks one of `keys`, or has one of the keys `without`.
    """
    path = Path(path)
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        first = lines.readline(1 << 20)
    try:
        row = json.loads(first)
    except ValueError:
        row = None
    if not isinstance(row, dict) or not set(keys) <= set(row) or set(without) & set(row):
        raise UserError(f"{key}{path}: a file that holds no {holds} is there; name another file, or remove this one")


def check_folder(path: Path | str, key: str) -> None:
    """UserError for a folder that cannot be made or written in."""
    path = Path(path)
    _check_home(path, key)
    try:
        there = next(place for place in (path, *path.absolute().parents) if place.exists())
    except OSError as error:  # such as a name that is too long
        raise UserError(f"{key}{path}: {error.strerror}; name another folder") from error
    if not there.is_dir():
        raise UserError(f"{key}{path}: {there} is a file; name another folder")
    if not os.access(there, os.W_OK):
        raise UserError(f"{key}{path}: Permission denied for {there}; name another folder")


def _check_home(path: Path, key: str) -> None:
    """UserError for a path below a folder that is named `~`: the shell has left that as it is."""
    if path.parts[:1] == ("~",):
        raise UserError(
            f"{key}{path}: the shell does not replace this ~; write {key}$HOME/…, or ./~/… for such a folder"
        )


def new_folder(out: str) -> Path:
    """Make a folder that is not there yet, with a number at its name where `out` is. Raises UserError."""
    for number in count(1):
        folder = Path(out if number == 1 else f"{out}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise UserError(f"cannot make the run folder {folder}: {error.strerror} (set out=FOLDER)") from error
        return folder
    raise AssertionError("numbers do not end")


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


def remove_if_bare(folder: Path) -> None:
    """Remove a folder in which a run that did not begin left nothing but Hydra's record, and parents left empty."""
    here, folder = Path.cwd(), folder.absolute()
    if folder == here or not folder.is_dir() or {path.name for path in folder.iterdir()} - {".hydra"}:
        return
    with suppress(OSError):  # such as where another process of torchrun removes it, or writes in it
        shutil.rmtree(folder)
        for parent in folder.parents:
            if parent == here or here not in parent.parents or any(parent.iterdir()):
                return
            parent.rmdir()
