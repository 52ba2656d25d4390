"""What is written, and to where: stdout for results alone, and errors that say which file they are about."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

#: What writing to an open file may meet; Python's error then has no file's name.
_WRITING = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS))


def debugging() -> bool:
    """Whether tracebacks and every warning are wanted."""
    return os.environ.get("KERNELWRIGHT_DEBUG", "0") not in ("", "0")


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Give an error of writing that names no file this name."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in _WRITING:
            error.filename = name
        raise


def told(error: OSError) -> str:
    """An error in one line: the file, the reason, and the way out where there is one."""
    where = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
    text = f"{where}{error.strerror or error or type(error).__name__}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        text += "; make room, or write elsewhere"
    return text


@contextmanager
def alone_on_stdout() -> Iterator[TextIO]:
    """The real stdout; whatever else would go there, such as what a program or its processes print, goes to stderr."""
    shown = sys.stdout
    shown.flush()
    try:
        real = shown.fileno() == 1
    except OSError:  # not a file, as in a notebook
        real = False
    if not real:
        with redirect_stdout(sys.stderr):
            yield shown
        return
    kept = os.dup(1)
    os.dup2(2, 1)
    alone = open(kept, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - closed below, with a name for its errors
    try:
        with redirect_stdout(sys.stderr):
            yield alone
    finally:
        try:
            with naming("stdout"):
                alone.close()
        finally:
            shown.flush()
            os.dup2(kept, 1)
            os.close(kept)
