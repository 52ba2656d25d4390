"""Replacements for Inductor's kernels in the user's cache folder, shared by many processes and kept between them."""

import logging
import sqlite3
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from kernelwright.backend.compile.compiled import cache_folder
from kernelwright.backend.store.entry import FORMAT, Entry, OtherFormatError, Versions
from kernelwright.backend.store.files import DamagedError, Files
from kernelwright.backend.store.holding import holding
from kernelwright.backend.store.index import DAY_S, Index, IndexEntry, Listed, damaged
from kernelwright.ir.errors import UserError

log = logging.getLogger("kernelwright.store")
_INDEX = f"index-{FORMAT}.db"
_USED = "the kernels in it are used, and no new ones are kept. KERNELWRIGHT_CACHE_DIR names another place for it"
#: A partial file that is older belongs to no process any more, in seconds.
_PARTIAL_S = 3600.0
#: Judges an entry anew: gives it back with a new certificate, or says why it is refused.
Judge = Callable[[Entry], Entry | str]
T = TypeVar("T")


@dataclass
class Checked:
    """What a check of all entries found, each with the reason where there is one."""

    sound: list[Entry] = field(default_factory=list)
    untrusted: list[Entry] = field(default_factory=list)
    #: Digest -> what is wrong with the file, which is in quarantine now.
    damaged: dict[str, str] = field(default_factory=dict)
    #: Digest -> why the judge refused the entry, which is removed now.
    refused: dict[str, str] = field(default_factory=dict)


class Store:
    """Entries by key, target and versions. Threads and processes may share a folder, and any of them may be killed.

    A file is believed only while its content has the digest in its name. A damaged one goes to the folder
    `quarantine`, with one warning. Where nothing can be written, or the index cannot be used, one warning says so; the
    entries that are there can be found. `find` and `put` never raise for any of this.
    """

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self.folder = folder
        #: Why something could not be kept, in one line; "" while all was.
        self.trouble = ""
        self._lock = folder / "lock"
        self._files = Files(folder)
        self._tell_once, self._told, self._marking = tell, set[str](), True
        self._index = self._opened()

    @classmethod
    def open(cls, folder: Path | None = None, tell: Callable[[str], None] = log.warning) -> "Store":
        """The store in a folder; without one, the user's: `store` in the cache folder. `tell` gets warnings."""
        return cls(cache_folder() / "store" if folder is None else folder, tell)

    def find(self, key: str, target: str, versions: Versions, pick: str | None = None) -> Entry | None:
        """What is known of a kernel: a finding, else the replacement that was kept last, or the one of that `pick`.

        Entries that are not trusted are not found.
        """
        rows = self._ask(lambda index: index.find(key, target, versions))
        for row in sorted(rows, key=lambda row: row.kind != "wrong"):
            if row.trusted and pick in (None, row.pick) and (entry := self._read(row)) is not None:
                self._mark_used(row)
                return entry
        return None

    def candidates(self, key: str, target: str, versions: Versions) -> list[Entry]:
        """All that `find` may give for a kernel: its findings, or without any its replacements, the last one first."""
        rows = [row for row in self._ask(lambda index: index.find(key, target, versions)) if row.trusted]
        found = [(row, entry) for row in rows if (entry := self._read(row)) is not None]
        for row, _ in found:
            self._mark_used(row)  # an earlier one may be chosen for ever
        return [entry for _, entry in found if entry.kind == "wrong"] or [entry for _, entry in found]

    def keys(self, target: str, versions: Versions) -> list[str]:
        """The keys of all kernels for which `find` may give something."""
        rows = self._ask(lambda index: index.rows())
        wanted = target, str(versions)
        return sorted({row.key for row in rows if row.trusted and (row.target, row.versions) == wanted})

    def put(self, entry: Entry) -> bool:
        """Keep an entry; it is found from now on in the place of earlier ones. Says whether it was kept."""
        index = self._index
        if isinstance(index, Listed):
            return False
        try:
            try:
                with holding(self._lock):
                    self._files.write(entry)
                    index.add(IndexEntry.of(entry))
            except sqlite3.Error as error:
                if not damaged(error):
                    raise
                self._index = self._mended()  # from the files, which the entry's is one of
            return True
        except (OSError, sqlite3.Error) as error:
            self.trouble = self._unwritable(error)
            self._tell(f"{self.trouble}; {_USED}")
            return False

    def entries(self) -> Iterator[Entry]:
        """All entries, in the order in which they were kept; damaged ones go to the quarantine."""
        for row in self._ask(lambda index: index.rows()):
            if (entry := self._read(row)) is not None:
                yield entry

    def remove(self, entry: Entry) -> None:
        """Forget an entry. Raises UserError where nothing can be written."""
        with self._alone() as index:
            self._files.path(entry.digest).unlink(missing_ok=True)
            for row in index.rows():
                if row.digest == entry.digest:
                    index.drop(row)

    def verify(self, judge: Judge | None = None) -> Checked:
        """Check every file, also of entries that the index has lost.

        With a judge, entries that are not trusted are judged: they are trusted from then on, or removed. Raises
        UserError where nothing can be written.
        """
        rows, damaged = self._adopted()
        found = Checked(damaged=damaged)
        for row in rows:
            try:
                entry = self._checked(row)
            except DamagedError as error:
                found.damaged[row.digest] = str(error)
                continue
            if entry is None:
                continue
            judged = entry if entry.trusted or judge is None else judge(entry)
            if isinstance(judged, str):
                found.refused[entry.digest] = judged
                self.remove(entry)
                continue
            (found.sound if judged.trusted else found.untrusted).append(judged)
            if judged != entry:
                if not self.put(judged):
                    raise UserError(self.trouble)
                self.remove(entry)
        return found

    def gc(self, versions: Versions, days: float = 30.0) -> tuple[int, int]:
        """Remove what has been of no use for some days; returns how many files that was, and their bytes.

        That is: entries for other versions, entries that a later one has replaced, files in quarantine, and what killed
        processes have left. Entries that were made at different sizes are for them side by side. Raises UserError where
        nothing can be written.
        """
        rows, removed, size = self._adopted()[0], 0, 0
        oldest, partial = time.time() - days * DAY_S, time.time() - _PARTIAL_S
        kernels = {
            row.digest: (row.kernel, row.trusted, entry and frozenset(entry.own_sizes.items()))
            for row in rows
            for entry in [self._read(row)]
        }
        with self._alone() as index:
            last = {kernels[row.digest]: row for row in rows}
            useless = [row for row in rows if row.versions != str(versions) or last[kernels[row.digest]] is not row]
            old = [row for row in useless if row.used <= oldest]
            files = [self._files.path(row.digest) for row in old]
            files += _older(self._files.quarantine, oldest) + _older(self._files.partial, partial)
            for path in files:
                with suppress(FileNotFoundError):
                    size += path.stat().st_size
                    path.unlink()
                    removed += 1
            for row in old:
                index.drop(row)
        return removed, size

    def close(self) -> None:
        """Close the index; it is opened again when it is asked."""
        if isinstance(self._index, Index):
            self._index.close()

    # The index --------------------------------------------------------------------------------------------------

    def _opened(self) -> Index | Listed:
        """The index; a list of the files where it cannot be used."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                return self._new_index()
            except sqlite3.Error as error:
                if not damaged(error):
                    raise
                return self._mended()
        except (OSError, sqlite3.Error) as error:
            return self._listed(error)

    def _new_index(self) -> Index:
        return Index(self.folder / _INDEX, lambda: self._rows_of_files()[0])

    def _ask(self, ask: Callable[[Index | Listed], T]) -> T:
        """What the index says, or what takes its place where it cannot be used."""
        try:
            return ask(self._index)
        except (OSError, sqlite3.Error) as error:
            reason = error
        try:
            if isinstance(reason, sqlite3.Error) and damaged(reason):
                self._index = self._mended()
                return ask(self._index)
        except (OSError, sqlite3.Error) as error:
            reason = error
        self._index = self._listed(reason)
        return ask(self._index)

    def _listed(self, error: OSError | sqlite3.Error) -> Listed:
        """What to go on with where the index cannot be used."""
        self.trouble = self._unwritable(error)
        self._tell(f"{self.trouble}; {_USED}")
        return Listed(self._rows_of_files()[0])

    def _mended(self) -> Index:
        """A new index in the place of a damaged one. Raises sqlite3.Error and OSError."""
        path, aside = self.folder / _INDEX, self._files.quarantine
        with holding(self._lock, alone=True):
            try:
                index = self._new_index()
                index.check()
                return index  # mended by another process
            except sqlite3.Error as error:
                if not damaged(error):
                    raise
                why = str(error)
            aside.mkdir(exist_ok=True)
            now = time.time_ns()
            for suffix in ("-wal", "-shm", ""):  # the log first: SQLite would take it for that of a new file
                with suppress(FileNotFoundError):
                    Path(f"{path}{suffix}").replace(aside / f"index-{now}.db{suffix}")
            index = self._new_index()
        self._tell(
            f"the index of the kernel store in {self.folder} was damaged ({why}); it is made anew from the files"
        )
        return index

    def _rows_of_files(self, known: Container[str] = ()) -> tuple[list[IndexEntry], dict[str, DamagedError]]:
        """The rows of the files that are not known, and what is wrong with files that have none."""
        found, wrong = [], {}
        for digest in self._files.digests():
            try:
                entry = None if digest in known else self._files.read(digest)
            except DamagedError as error:
                wrong[digest] = error
                continue
            except (OSError, OtherFormatError):
                continue
            if entry is not None:
                found.append(IndexEntry.of(entry))
        return found, wrong

    def _adopted(self) -> tuple[list[IndexEntry], dict[str, str]]:
        """All rows, also of files that had none, since their process was killed; and what is wrong with other files,
        which are in quarantine now."""
        with self._alone() as index:
            found, wrong = self._rows_of_files({row.digest for row in index.rows()})
            for row in found:
                index.add(row)
            for digest, error in wrong.items():
                self._tell_damaged(digest, error, self._files.set_aside(digest))
            return index.rows(), {digest: str(error) for digest, error in wrong.items()}

    @contextmanager
    def _alone(self) -> Iterator[Index]:
        """Around what removes: the index, while nobody else changes anything. Raises UserError where none can."""
        try:
            if isinstance(self._index, Index):
                self._ask(lambda index: index.rows())  # a damaged one is mended now
            index = self._index
            if isinstance(index, Listed):
                raise UserError(f"{self.trouble}; KERNELWRIGHT_CACHE_DIR names another place")
            with holding(self._lock, alone=True):
                yield index
        except (OSError, sqlite3.Error) as error:
            raise UserError(f"{self._unwritable(error)}; KERNELWRIGHT_CACHE_DIR names another place") from error

    def _mark_used(self, row: IndexEntry) -> None:
        """Note that an entry was found. What keeps from noting it is waited for once."""
        try:
            if self._marking and isinstance(self._index, Index):
                self._index.mark_used(row)
        except (OSError, sqlite3.Error):
            self._marking = False

    # The files --------------------------------------------------------------------------------------------------

    def _read(self, row: IndexEntry) -> Entry | None:
        """The entry of a row; None where it is damaged, which is told, or gone."""
        try:
            return self._checked(row)
        except DamagedError:
            return None

    def _checked(self, row: IndexEntry) -> Entry | None:
        """The entry of a row, None where it is gone. A damaged one is moved, which is told, before DamagedError."""
        try:
            entry = self._files.read(row.digest)
        except DamagedError as error:
            self._set_aside(row, error)
            raise
        except OtherFormatError:
            return None
        except OSError as error:
            self._tell(
                f"entry {row.digest[:12]} of the kernel store in {self.folder} cannot be read ({_reason(error)})"
            )
            return None
        if entry is not None and replace(IndexEntry.of(entry, row.used), place=row.place) == row:
            return entry
        with suppress(OSError, sqlite3.Error):  # a file that is gone, or a row that says something else
            if isinstance(self._index, Index):
                self._index.drop(row)
                if entry is not None:
                    self._index.add(IndexEntry.of(entry))
        return None

    def _set_aside(self, row: IndexEntry, why: DamagedError) -> None:
        """Move a damaged file to the quarantine, where that is possible, and tell of it."""
        aside = None
        with suppress(OSError, sqlite3.Error), holding(self._lock, alone=True):
            try:
                self._files.read(row.digest)
                return  # kept anew since
            except DamagedError:
                aside = self._files.set_aside(row.digest)
                if isinstance(self._index, Index):
                    self._index.drop(row)
        self._tell_damaged(row.digest, why, aside)

    def _tell_damaged(self, digest: str, why: DamagedError, aside: Path | None) -> None:
        where = f"; it was moved to {aside}" if aside else ""
        self._tell(f"{self._files.path(digest)} is damaged ({why}) and not used{where}")

    def _unwritable(self, error: OSError | sqlite3.Error) -> str:
        return f"the kernel store in {self.folder} cannot be written to ({_reason(error)})"

    def _tell(self, line: str) -> None:
        """Warn, once."""
        if line not in self._told:
            self._told.add(line)
            self._tell_once(line)


def _reason(error: OSError | sqlite3.Error) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _older(folder: Path, moment: float) -> list[Path]:
    """The files in a folder that were written before a moment."""
    with suppress(FileNotFoundError):
        return [path for path in folder.iterdir() if path.stat().st_mtime <= moment]
    return []
