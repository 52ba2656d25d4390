"""Problems that a run cannot work on: none ends it, each is named with its cause."""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from kernelwright.rl.data.rows import read_lines

#: In a run's folder: a JSON object a line, with `name`, `why` and `cause`.
SET_ASIDE = "set_aside.jsonl"
NOT_READ, TOO_LONG = "not_read", "prompt_too_long"
_SAID: Mapping[str, str] = {
    NOT_READ: "cannot be read or lowered",
    TOO_LONG: "has a prompt that leaves no room for an answer",
}


class SetAside:
    """What a run has set aside so far, in its folder; each name and reason once. Threads may share it.

    `say` is told of the first of each reason, the file has them all.
    """

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self._path, self._say, self._lock = folder / SET_ASIDE, say, threading.Lock()
        known = read_lines(self._path) if self._path.is_file() else ()
        self._known = {(str(row["name"]), str(row["why"])) for _, row in known}
        self._told = set[str]()

    def __len__(self) -> int:
        return len({name for name, _ in self._known})

    def add(self, why: str, name: str, cause: str) -> None:
        """Set a problem aside."""
        with self._lock:
            if why not in self._told:
                self._told.add(why)
                self._say(f"{name} is set aside, because it {_SAID[why]}: {cause}; {self._path} lists all")
            if (name, why) not in self._known:
                self._known.add((name, why))
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"name": name, "why": why, "cause": cause}) + "\n")
