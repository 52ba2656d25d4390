"""One run writes a place at a time: locks on folders and files, which end with the process that holds them."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kernelwright.ir.errors import UserError


def take(fd: int, place: Path) -> None:
    """Lock an open file or folder until it is closed. Raises UserError, naming the process, where another has it."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UserError(f"{place} is in use by {_holder(fd)}; wait for it, or give another out=…") from error
    except OSError:  # a file system without locks
        return


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make a folder and keep other runs out of it. Raises UserError where it is in use, or cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise UserError(f"cannot make the run folder {folder}: {error.strerror}; give another out=…") from error
    try:
        take(fd, folder)
        yield
    finally:
        os.close(fd)


def check_free(folder: Path) -> None:
    """UserError, naming the process, where another run has a folder now."""
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:  # it is not there, or the run will tell what is wrong with it
        return
    try:
        take(fd, folder)
    finally:
        os.close(fd)


def _holder(fd: int) -> str:
    """Who has a lock, as the kernel tells it (proc_locks(5))."""
    found = os.fstat(fd)
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    try:
        lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    except OSError:
        lines = []
    pids = [words[4] for words in lines if len(words) > 5 and words[1] == "FLOCK" and words[5] == place]
    return f"another run (process {pids[0]})" if pids else "another run"
