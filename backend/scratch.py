"""Scratch folders that go with their process, however that ends."""

import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

#: Waits until nobody holds the other end of its input, and removes the folder.
_SWEEP = 'read -r _; exec rm -rf -- "$1"'


class Scratch:
    """A folder for files that only this process, and what it forks, needs: when the last of them has ended, be it
    killed, a shell that waits for that removes it. `close` removes it before. Use it as a context manager, or not."""

    def __init__(self, name: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"kernelwright-{name}-"))
        waits, self._lives = os.pipe()
        try:
            self._sweeper = subprocess.Popen(
                ["/bin/sh", "-c", _SWEEP, "sh", str(self.folder)],
                stdin=waits,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # what ends this process's group leaves it alone
            )
        finally:
            os.close(waits)

    def close(self) -> None:
        """Remove the folder now; idempotent."""
        lives, self._lives = self._lives, -1
        if lives >= 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            with suppress(OSError):
                os.close(lives)
            self._sweeper.wait()

    def __enter__(self) -> Path:
        return self.folder

    def __exit__(self, *exception: object) -> None:
        self.close()
