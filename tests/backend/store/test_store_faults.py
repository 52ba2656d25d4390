"""The store where it cannot work as it should: one clear line, and what is there is still found."""

import logging
import os
import resource
import shutil
import signal
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import store_processes

from kernelwright.backend.store import holding, index
from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.once import once
from kernelwright.backend.store.store import Store
from kernelwright.ir.errors import UserError

VERSIONS = Versions("2.13.0", "3.7.1")
ENTRY = Entry("0123456789abcdef", "sm_90", VERSIONS, "replacement", "# a module", "# a text", "kernel")
NOBODY = 65534

Logged = pytest.LogCaptureFixture


def found(store: Store) -> Entry | None:
    return store.find(ENTRY.key, "sm_90", VERSIONS)


def only_line(logged: Logged) -> str:
    (line,) = [record.getMessage() for record in logged.records if record.levelno >= logging.WARNING]
    assert "\n" not in line
    return line


@pytest.fixture(params=[True, False], ids=["SQLite can read it", "SQLite cannot"])
def read_only(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A store with an entry, in a folder that this process cannot write to."""
    home = Path(tempfile.mkdtemp())  # every user may enter it, other than pytest's own
    store = Store.open(home / "store")
    store.put(ENTRY)
    if request.param:
        request.addfinalizer(store.close)
    else:
        store.close()
    for path in [home, *home.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    user = os.geteuid()
    if user == 0:  # whom no mode of a file stops
        os.seteuid(NOBODY)
    try:
        yield home / "store"
    finally:
        os.seteuid(user)
        for path in [home, *home.rglob("*")]:
            path.chmod(0o755)
        shutil.rmtree(home)


def test_a_read_only_home_is_read(read_only: Path, caplog: Logged) -> None:
    store = Store.open(read_only)
    assert found(store) == ENTRY and not store.put(replace(ENTRY, replacement="# other"))
    assert found(store) == ENTRY and list(store.entries()) == [ENTRY]
    assert only_line(caplog).startswith(f"the kernel store in {read_only} cannot be written to (")
    for change in (store.verify, lambda: store.gc(VERSIONS), lambda: store.remove(ENTRY)):
        with pytest.raises(UserError, match=r"^the kernel store in [^\n]+ cannot be written to \([^\n]+$"):
            change()


def test_a_damaged_file_in_a_read_only_home_is_not_used(read_only: Path, caplog: Logged) -> None:
    store = Store.open(read_only)
    (path,) = read_only.glob("entries/*/*.json")
    user = os.geteuid()
    os.seteuid(os.getuid())
    path.chmod(0o644)
    path.write_text("{}")
    os.seteuid(user)
    caplog.clear()
    assert found(store) is None and found(store) is None
    assert only_line(caplog).startswith(f"{path} is damaged") and path.exists()


def test_a_folder_that_cannot_be_made_is_an_empty_store(tmp_path: Path, caplog: Logged) -> None:
    (tmp_path / "file").write_text("no folder")
    store = Store.open(tmp_path / "file" / "store")
    assert found(store) is None and not store.put(ENTRY) and list(store.entries()) == []
    assert "Not a directory" in only_line(caplog)


def in_a_child(work: Callable[[], bool]) -> bool:
    """Whether some work succeeds in a forked process."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("size", [64, 6000], ids=["at the entry's file", "at the index"])
def test_a_full_disk_is_told_once_and_what_is_there_is_found(tmp_path: Path, size: int, caplog: Logged) -> None:
    """No file may grow over a size: to the store, this is a write that fails in the middle."""
    Store.open(tmp_path).put(ENTRY)
    other = replace(ENTRY, key="ff" * 8)

    def fill() -> bool:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        store = Store.open(tmp_path)
        kept = [store.put(other), store.put(other)]
        line = only_line(caplog)
        return kept == [False, False] and "cannot be written to" in line and found(store) == ENTRY

    assert in_a_child(fill)
    store = Store.open(tmp_path)
    assert found(store) == ENTRY and not store.verify().damaged
    assert store.put(other) and store.find(other.key, "sm_90", VERSIONS) == other


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "PATIENCE_S", 0.2)
    monkeypatch.setattr(holding, "PATIENCE_S", 0.2)


@pytest.mark.usefixtures("impatient")
def test_an_index_that_another_process_locks_is_done_without(tmp_path: Path, caplog: Logged) -> None:
    store = Store.open(tmp_path)
    store.put(ENTRY)
    store.close()
    holder = sqlite3.connect(tmp_path / "index-3.db", isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("UPDATE entries SET used = 0")
    store = Store.open(tmp_path)
    assert found(store) == ENTRY and not store.put(ENTRY)
    assert "database is locked" in only_line(caplog)
    holder.close()
    assert Store.open(tmp_path).put(ENTRY)


@pytest.mark.usefixtures("impatient")
def test_a_process_that_stays_in_the_store_is_not_waited_for(tmp_path: Path, caplog: Logged) -> None:
    store = Store.open(tmp_path)
    store.put(ENTRY)
    with holding.holding(tmp_path / "lock", alone=True):
        assert not store.put(replace(ENTRY, key="ff" * 8)) and found(store) == ENTRY
        with pytest.raises(UserError, match="another process has held lock"):
            store.gc(VERSIONS)
    assert "another process has held lock" in only_line(caplog)
    assert store.put(replace(ENTRY, key="ff" * 8))


# Many at once ------------------------------------------------------------------------------------------------


def test_killed_processes_lose_and_tear_nothing(tmp_path: Path) -> None:
    """`make store-minute` does the same with eight processes for a minute."""
    result = store_processes.run(tmp_path, processes=3, seconds=3.0, kills=3)
    assert result["kept"] and result["removed"] and result["killed"] == 6
    assert [result[what] for what in ("lost", "back", "torn", "said")] == [0, 0, 0, 0]


def test_a_store_works_in_forked_processes_and_in_threads(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.put(ENTRY)
    others = [replace(ENTRY, key=f"{number:016x}") for number in range(40)]

    def keep(some: list[Entry]) -> bool:
        kept = all(store.put(one) for one in some)
        return kept and found(store) == ENTRY

    threads = [threading.Thread(target=keep, args=(others[start:20:4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for start in range(20, 24):
        assert in_a_child(lambda some=others[start:40:4]: keep(some))
    for thread in threads:
        thread.join()
    assert all(store.find(one.key, "sm_90", VERSIONS) == one for one in others)


class Slow:
    """What a thread of the process that made it takes long to compute."""

    def __init__(self) -> None:
        self.maker, self.begun, self.may_end = os.getpid(), threading.Event(), threading.Event()

    @once
    def number(self) -> int:
        """Six times seven."""
        self.begun.set()
        if os.getpid() == self.maker:
            self.may_end.wait()
        return 42


def test_what_another_thread_computes_is_not_waited_for_after_a_fork() -> None:
    slow = Slow()
    thread = threading.Thread(target=lambda: slow.number)
    thread.start()
    slow.begun.wait()

    def work() -> bool:
        signal.alarm(20)
        return slow.number == 42 and vars(slow)["number"] == 42

    try:
        assert in_a_child(work)
    finally:
        slow.may_end.set()
        thread.join()
    assert slow.number == 42 and Slow.number.__doc__ == "Six times seven."


# What is of no use -------------------------------------------------------------------------------------------


def aged(store: Store, entry: Entry, days: float) -> None:
    """Let an entry be one that was last found some days ago."""
    with sqlite3.connect(store.folder / "index-3.db") as connection:
        connection.execute("UPDATE entries SET used = used - ? WHERE digest = ?", (days * 86400, entry.digest))


def test_gc_removes_what_has_been_of_no_use_for_a_month(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    of_another_torch = replace(ENTRY, versions=replace(VERSIONS, torch="2.11.0"))
    replaced, last = replace(ENTRY, replacement="# first"), replace(ENTRY, replacement="# last")
    for one in (of_another_torch, replaced, last):
        store.put(one)
        aged(store, one, 31)
    assert store.gc(VERSIONS, days=32) == (0, 0)
    removed, size = store.gc(VERSIONS)
    assert removed == 2 and size == len(of_another_torch.text) + len(replaced.text)
    assert list(store.entries()) == [last]


def test_gc_keeps_entries_that_were_made_at_different_sizes(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    made = [replace(ENTRY, sizes=(("x", sizes),), replacement=f"# {sizes}") for sizes in ((8, 9), (64, 65), (8, 12))]
    for one in made:
        store.put(one)
        aged(store, one, 31)
    assert store.gc(VERSIONS)[0] == 1 and list(store.entries()) == made[1:]


@pytest.mark.parametrize("by_lock", [True, False], ids=["by a lock", "among candidates"])
def test_what_is_still_found_is_of_use(tmp_path: Path, by_lock: bool) -> None:
    store = Store.open(tmp_path)
    replaced = replace(ENTRY, replacement="# first")
    for one in (replaced, ENTRY):
        store.put(one)
        aged(store, one, 31)
    if by_lock:
        assert store.find(ENTRY.key, "sm_90", VERSIONS, pick=replaced.pick) == replaced
    else:
        assert store.candidates(ENTRY.key, "sm_90", VERSIONS) == [ENTRY, replaced]
    assert store.gc(VERSIONS) == (0, 0)


def test_gc_removes_what_killed_processes_left_and_old_files_in_quarantine(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.put(ENTRY)
    (tmp_path / "quarantine").mkdir()
    for name, hours in (("partial/new", 0), ("partial/old", 2), ("quarantine/new", 24), ("quarantine/old", 24 * 31)):
        path = tmp_path / name
        path.write_text("some")
        moment = path.stat().st_mtime - hours * 3600
        os.utime(path, (moment, moment))
    assert store.gc(VERSIONS) == (2, 8)
    assert sorted(path.name for path in tmp_path.glob("[pq]*/*")) == ["new", "new"]


def test_a_file_without_a_row_comes_back(tmp_path: Path) -> None:
    """A process was killed after it had written the file."""
    store = Store.open(tmp_path)
    store.put(ENTRY)
    store.put(other := replace(ENTRY, key="ff" * 8))
    with sqlite3.connect(tmp_path / "index-3.db") as connection:
        connection.execute("DELETE FROM entries WHERE digest = ?", (ENTRY.digest,))
    assert found(store) is None
    assert {one.digest for one in store.verify().sound} == {ENTRY.digest, other.digest}
    assert found(store) == ENTRY


# What others made --------------------------------------------------------------------------------------------


def test_entries_of_others_are_judged_and_trusted_or_removed(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    right, wrong = (replace(ENTRY, key=key * 8, origin="shared.zip", trusted=False) for key in ("aa", "bb"))
    for one in (ENTRY, right, wrong):
        store.put(one)
    assert store.verify().untrusted == [right, wrong]
    judged: list[Entry] = []

    def judge(entry: Entry) -> Entry | str:
        judged.append(entry)
        return "mismatch" if entry == wrong else replace(entry, trusted=True, certificate={"seeds": 5})

    checked = store.verify(judge)
    trusted = replace(right, trusted=True, certificate={"seeds": 5})
    assert judged == [right, wrong] and checked.refused == {wrong.digest: "mismatch"}
    assert checked.sound == [ENTRY, trusted] and list(store.entries()) == [ENTRY, trusted]
    assert store.find(right.key, "sm_90", VERSIONS) == trusted
