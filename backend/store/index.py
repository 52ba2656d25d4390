"""Which entries there are for which kernel: rows in SQLite, made anew from the entries' files where they are lost."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.holding import PATIENCE_S

DAY_S = 86400.0
_COLUMNS = "digest, key, target, versions, kind, pick, trusted, used"
_ADD = f"INSERT OR REPLACE INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_SCHEMA = """
CREATE TABLE entries (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL UNIQUE, key TEXT NOT NULL, target TEXT NOT NULL, versions TEXT NOT NULL,
    kind TEXT NOT NULL, pick TEXT NOT NULL, trusted INTEGER NOT NULL, used REAL NOT NULL
);
CREATE INDEX kernels ON entries (key, target, versions)
"""
_COMPLETE = "SELECT 1 FROM sqlite_master WHERE name = 'kernels'"
#: Connections of the process that this one was forked from: SQLite forbids to use them, and also to close them.
_inherited: list[sqlite3.Connection] = []


@dataclass(frozen=True)
class IndexEntry:
    """What is known of an entry without its file; `used` is when it was last found, in seconds since 1970, to a day."""

    digest: str
    key: str
    target: str
    versions: str
    kind: str
    pick: str
    trusted: bool
    used: float
    #: Where in the index: a row that takes this one's place has another.
    place: int = 0

    @classmethod
    def of(cls, entry: Entry, used: float | None = None) -> "IndexEntry":
        """An entry's row; used now, unless told otherwise."""
        found = (entry.digest, entry.key, entry.target, str(entry.versions), entry.kind, entry.pick, entry.trusted)
        return cls(*found, time.time() if used is None else used)

    @property
    def kernel(self) -> tuple[str, str, str, str]:
        """Of the entries with the same one, the last one counts."""
        return self.key, self.target, self.versions, self.kind


class Listed:
    """Rows that this process alone has: for a folder whose index cannot be used."""

    def __init__(self, rows: Iterable[IndexEntry]) -> None:
        self._listed = list(rows)

    def find(self, key: str, target: str, versions: Versions) -> list[IndexEntry]:
        """The rows of a kernel, the last one first."""
        wanted = key, target, str(versions)
        return [row for row in reversed(self._listed) if row.kernel[:3] == wanted]

    def rows(self) -> list[IndexEntry]:
        """All rows, the first one first."""
        return list(self._listed)


class Index:
    """The rows in a file. They come in the order in which they were added.

    A file that is new has the rows that `first` gives, from its first moment on. Threads and forked processes may share
    an index. Methods raise sqlite3.Error and OSError.
    """

    def __init__(self, path: Path, first: Callable[[], Iterable[IndexEntry]] = tuple) -> None:
        self.path, self._first = path, first
        self._lock, self._process = threading.RLock(), os.getpid()
        self._held: tuple[sqlite3.Connection, tuple[int, int] | None] | None = None
        self.look()

    def find(self, key: str, target: str, versions: Versions) -> list[IndexEntry]:
        """The rows of a kernel, the last one first."""
        where = "WHERE key = ? AND target = ? AND versions = ? ORDER BY place DESC"
        return self._rows(where, key, target, str(versions))

    def rows(self) -> list[IndexEntry]:
        """All rows, the first one first."""
        return self._rows("ORDER BY place")

    def look(self) -> None:
        """Raise what `find` would raise where the file cannot be used."""
        self._ask("SELECT 1 FROM entries LIMIT 1")

    def add(self, row: IndexEntry) -> None:
        """Add a row, as the last one; a row of the same digest goes."""
        self._ask(_ADD, *astuple(row)[:-1])

    def drop(self, row: IndexEntry) -> None:
        """Remove a row, and no other that has taken its place."""
        self._ask("DELETE FROM entries WHERE place = ?", row.place)

    def mark_used(self, row: IndexEntry) -> None:
        """Note that an entry was found, once a day."""
        now = time.time()
        if now - row.used > DAY_S:
            self._ask("UPDATE entries SET used = ? WHERE place = ?", now, row.place)

    def check(self) -> None:
        """Raise sqlite3.DatabaseError where the file is damaged."""
        found = self._ask("PRAGMA integrity_check(1)")
        if found != [("ok",)]:
            raise sqlite3.DatabaseError(str(found[0][0]))

    def close(self) -> None:
        """Close the file; it is opened again when it is asked."""
        with self._lock:
            if self._held is not None and self._process == os.getpid():
                self._held[0].close()
            self._held = None

    def _rows(self, where: str, *values: object) -> list[IndexEntry]:
        found = self._ask(f"SELECT {_COLUMNS}, place FROM entries {where}", *values)
        return [IndexEntry(*row) for row in found]

    def _ask(self, command: str, *values: object) -> list[tuple[Any, ...]]:
        """Run one command, in a transaction of its own."""
        if self._process != os.getpid():  # forked, maybe while another thread held the lock
            if self._held is not None:
                _inherited.append(self._held[0])
            self._lock, self._process, self._held = threading.RLock(), os.getpid(), None
        deadline = time.monotonic() + PATIENCE_S
        with self._lock:
            while True:
                try:
                    return self._connection().execute(command, values).fetchall()
                except sqlite3.OperationalError as error:
                    # SQLite does not wait by itself for each kind of being busy: not while another process closes.
                    if not _busy(error) or time.monotonic() > deadline:
                        raise
                    time.sleep(0.01)

    def _connection(self) -> sqlite3.Connection:
        """The connection to the file that stands at the path now."""
        if self._held is not None:
            if self._held[1] == _identity(self.path):
                return self._held[0]
            self.close()
        while True:
            before = _identity(self.path)
            if before is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.touch()
                continue
            made = self._connected()
            if before == _identity(self.path):
                self._held = made, before
                return made
            made.close()

    def _connected(self) -> sqlite3.Connection:
        made = sqlite3.connect(self.path, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False)
        try:
            made.execute("PRAGMA journal_mode = WAL")
            made.execute("PRAGMA synchronous = NORMAL")
            if not made.execute(_COMPLETE).fetchall():
                made.execute("BEGIN IMMEDIATE")
                if not made.execute(_COMPLETE).fetchall():
                    for command in _SCHEMA.split(";"):
                        made.execute(command)
                    made.executemany(_ADD, [astuple(row)[:-1] for row in self._first()])
                made.execute("COMMIT")
        except BaseException:
            made.close()
            raise
        return made


def _busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def damaged(error: sqlite3.Error) -> bool:
    """Whether the file holds something else than an index."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file stands at a path; None for none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
