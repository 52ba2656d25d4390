"""Files that are named after the digest of what they hold, written whole or not at all."""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from kernelwright.backend.store.entry import Entry, OtherFormatError


class DamagedError(Exception):
    """A file does not hold what its name says."""


class Files:
    """The entries' files below a folder: `entries/ab/DIGEST.json`, and in `quarantine` the damaged ones.

    Methods raise OSError where the file system refuses.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries, self.partial, self.quarantine = (folder / name for name in ("entries", "partial", "quarantine"))

    def path(self, digest: str) -> Path:
        """Where the entry of that digest is kept."""
        return self.entries / digest[:2] / f"{digest}.json"

    def write(self, entry: Entry) -> None:
        """Keep an entry. Another process sees all of the file or nothing, also after a crash."""
        path = self.path(entry.digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.partial.mkdir(exist_ok=True)
        partial = self.partial / f"{os.getpid()}-{secrets.token_hex(8)}"
        try:
            with partial.open("xb") as file:
                file.write(entry.text.encode())
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise

    def read(self, digest: str) -> Entry | None:
        """The entry of that digest, None where there is no file; raises DamagedError, and OtherFormatError."""
        try:
            return self._checked(self.path(digest), digest)
        except FileNotFoundError:
            return None

    def digests(self) -> list[str]:
        """The digests of all entries, in the order in which they were kept."""
        found = []
        for path in self.entries.glob("*/*.json"):
            with contextlib.suppress(FileNotFoundError):  # another process has removed it
                found.append((path.stat().st_mtime_ns, path.stem))
        return [digest for _, digest in sorted(found)]

    def remove(self, digest: str) -> None:
        """Forget an entry."""
        self.path(digest).unlink(missing_ok=True)

    def set_aside(self, digest: str) -> Path:
        """Move a file to the quarantine, and say where it is."""
        aside = self.quarantine / f"{digest}.json"
        self.quarantine.mkdir(exist_ok=True)
        self.path(digest).replace(aside)
        return aside

    def left_over(self) -> Iterator[Path]:
        """What processes that were killed had begun to write, and what is in quarantine."""
        for folder in (self.partial, self.quarantine):
            with contextlib.suppress(FileNotFoundError):
                yield from folder.iterdir()

    @staticmethod
    def _checked(path: Path, digest: str) -> Entry:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise DamagedError("its content does not have the digest in its name")
        try:
            return Entry.parse(content.decode())
        except OtherFormatError:
            raise
        except ValueError as error:
            raise DamagedError(str(error)) from error
