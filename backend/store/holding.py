"""One lock for the processes that share a folder: many may add, and what removes is alone."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: How long a process waits for others, in seconds.
PATIENCE_S = 10.0


@contextmanager
def holding(path: Path, alone: bool = False) -> Iterator[None]:
    """Around work on the folder that `path`, a file, is the lock of. The lock goes with its process.

    Raises TimeoutError where others have it for too long, and OSError where there can be no such file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + PATIENCE_S
    with path.open("ab") as file:
        while True:
            try:
                fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"another process has held {path.name} for {PATIENCE_S:.0f} s") from None
                time.sleep(0.005)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)  # children that were forked meanwhile hold the file open
