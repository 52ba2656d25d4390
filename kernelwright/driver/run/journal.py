"""The journal of a long run: every result as it comes, so that a run that is killed loses none."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelwright.driver.run.locks import take
from kernelwright.ir.errors import UserError

_WAY_OUT = "name another file with out=…, or remove this one"


class Journal:
    """Results by their id, in a file of JSON lines; the first says what they were made with.

    Of lines with one id the last counts. A last line that was not written to its end is dropped. Raises UserError for
    a file that is no journal, was made otherwise, or is being written by another run. Use it as a context manager.
    """

    def __init__(self, path: Path, made_with: Mapping[str, Any]) -> None:
        self.results: dict[str, dict[str, Any]] = {}
        self._path = path
        heading = {"journal": json.loads(json.dumps(made_with))}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab+")
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}; name a writable file with out=…") from error
        try:
            take(self._file.fileno(), path)
            self._read(path, heading)
        except BaseException:
            self._file.close()
            raise

    def _read(self, path: Path, heading: dict[str, Any]) -> None:
        self._file.seek(0)
        kept = 0
        for number, line in enumerate(self._file, 1):
            content = _object(line)
            if content is None and not line.endswith(b"\n"):
                break
            if number == 1 and content != heading:
                raise UserError(f"{path}: {_difference(content, heading)}; {_WAY_OUT}")
            if content is None or (number > 1 and "id" not in content):
                raise UserError(f"{path}:{number} is not a result of a run; {_WAY_OUT}")
            if number > 1:
                self.results[content["id"]] = content
            kept += len(line)
        self._file.truncate(kept)
        if not kept:
            self._file.write(_line(heading))
            self._file.flush()

    def add(self, name: str, result: Mapping[str, Any]) -> None:
        """Keep a result. An interrupt finds it in `results` and in the file, or in neither."""
        content = {"id": name, **result}
        line, write = _line(content), self._file.write
        # No call stands between these two, and interrupts come after calls; what is written is in the file once closed.
        self.results[name] = content
        write(line)
        self._file.flush()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def remove(self) -> None:
        """Remove the file, which nothing is added to after this."""
        self._path.unlink(missing_ok=True)


def other_journal(path: Path, made_with: Mapping[str, Any]) -> str | None:
    """Why a journal is not one of results that are made so; None where it is, or where there is none."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        content = _object(first := file.readline())
    heading = {"journal": json.loads(json.dumps(made_with))}
    return None if content == heading or not first.endswith(b"\n") else f"is {_difference(content, heading)}"


def _line(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


def _object(line: bytes) -> dict[str, Any] | None:
    """What a whole line holds; None for anything but an object."""
    try:
        content = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _difference(content: dict[str, Any] | None, heading: dict[str, Any]) -> str:
    before = (content or {}).get("journal")
    if not isinstance(before, dict):
        return "not the journal of a run"
    return f"made with {first_difference(before, heading['journal'])}"


def first_difference(before: Mapping[str, Any], now: Mapping[str, Any], prefix: str = "") -> str:
    """The first key, dotted, that two configurations do not agree on, with both values."""
    key = next(key for key in {**before, **now} if before.get(key) != now.get(key))
    was, becomes = before.get(key), now.get(key)
    if isinstance(was, Mapping) and isinstance(becomes, Mapping):
        return first_difference(was, becomes, f"{prefix}{key}.")
    if key not in before or key not in now:
        return f"{prefix}{key} {f'is new, {becomes}' if key in now else f'was {was}, and is no key now'}"
    return f"{prefix}{key}={was}, now it is {becomes}"
