"""The file `kernelwright.lock`: which replacement runs for each kernel, on every rank and in every later run."""

import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kernelwright.backend.store.entry import Versions, digest_of
from kernelwright.backend.store.once import once
from kernelwright.ir.errors import UserError

#: Raised when the file changes its meaning.
FORMAT = 1
#: The pick of a kernel that Inductor's own code runs for.
INDUCTORS = ""


@dataclass(frozen=True)
class Lock:
    """For each key of a kernel the `Entry.pick` of what runs, or `INDUCTORS`; for one target and its versions. Where
    sizes may change there may be several, apart by blanks, each for sizes that those before it are not for."""

    target: str
    versions: Versions
    picks: Mapping[str, str] = field(default_factory=dict, hash=False)

    @once
    def text(self) -> str:
        """The file's text: JSON with a line for each kernel, sorted, so that two of them compare line by line."""
        content = {"format": FORMAT, "target": self.target, "versions": asdict(self.versions), "picks": self.picks}
        return json.dumps(content, indent=1, sort_keys=True) + "\n"

    @property
    def digest(self) -> str:
        """SHA-256 of the text: ranks with the same one choose the same."""
        return digest_of(self.text)

    def why_not(self, target: str, versions: Versions) -> str:
        """Why the lock says nothing about kernels for this target with these versions; "" where it does."""
        if self.target != target:
            return f"it is for {self.target}, and this is {target}"
        if self.versions != versions:
            return f"it is for {self.versions}, and this is {versions}"
        return ""

    @classmethod
    def parse(cls, text: str, where: str) -> "Lock":
        """Read `text`; raises UserError, which names the place, for anything else."""
        try:
            content = json.loads(text)
            if content.get("format") != FORMAT:
                raise ValueError(f"its format is {content.get('format')}, and this release reads format {FORMAT}")
            picks, versions = content["picks"], Versions(**content["versions"])
            for key, pick in picks.items():
                if not re.fullmatch("[0-9a-f]+", key) or not re.fullmatch("|[0-9a-f]{64}( [0-9a-f]{64})*", pick):
                    raise ValueError(f"{key!r}: {pick!r} is no kernel and its replacement")
            return cls(str(content["target"]), versions, picks)
        except KeyError as error:
            raise UserError(f"{where} is no lock of kernels: {error} is missing") from None
        except (ValueError, TypeError, AttributeError) as error:
            raise UserError(f"{where} is no lock of kernels: {error}") from None


def read_lock(path: Path) -> Lock:
    """The lock in a file. Raises UserError where there is none."""
    try:
        return Lock.parse(path.read_text("utf-8"), str(path))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name the file of a lock of kernels") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is no lock of kernels: it is no text") from None


def write_lock(path: Path, lock: Lock) -> None:
    """Write the file, whole or not at all. Raises UserError where that is impossible."""
    try:
        handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(lock.text)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; the lock of kernels cannot be written there") from None


def differences(first: Lock, second: Lock) -> list[str]:
    """What differs between two locks, a line each; none where they choose the same."""
    if reason := first.why_not(second.target, second.versions):
        return [reason]
    lines = []
    for key in sorted(first.picks.keys() | second.picks.keys()):
        one, other = (_named(lock.picks.get(key)) for lock in (first, second))
        if one != other:
            lines.append(f"{key}: {one}, and {other}")
    return lines


def _named(pick: str | None) -> str:
    if pick is None:
        return "no pick"
    some = [one[:12] for one in pick.split()]
    return f"replacement{'s' * (len(some) > 1)} {' '.join(some)}" if some else "Inductor's kernel"
