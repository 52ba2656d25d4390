"""Processes at work on one store, some of them killed in the middle, and a count of what is lost or torn after that.

python tests/backend/store/store_processes.py PROCESSES SECONDS
"""

import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from random import Random

from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.index import Index
from kernelwright.backend.store.store import Store

VERSIONS = Versions("2.13.0", "3.7.1")


def entry(process: int, count: int) -> Entry:
    """An entry that no other process keeps; its length differs from that of others."""
    text = f"# {process} {count}\n" * (1 + count * 37 % 400)
    key = f"{process:08x}{count:08x}"
    return Entry(key, "sm_90", VERSIONS, "replacement", "# module", text, "host", certificate={"count": count})


def work(folder: Path, journal: Path, process: int) -> None:
    """Keep, find, replace and remove entries for ever; note in the journal what is sure to be there, or gone."""
    random, store = Random(process), Store.open(folder)
    with journal.open("a") as file:

        def note(what: str, one: Entry) -> None:
            file.write(json.dumps([what, one.key, one.digest]) + "\n")
            file.flush()

        for count in range(sys.maxsize):
            if count % 50 == 0:
                store = Store.open(folder)
            one = entry(process, count)
            assert store.put(one), "an entry was not kept"
            note("kept", one)
            other = entry(process, random.randrange(count + 1))
            found = store.find(other.key, "sm_90", VERSIONS)
            assert found is None or found.key == other.key
            if count % 7 == 0:
                again = replace(one, certificate={"count": count, "again": True})
                assert store.put(again)
                note("kept", again)
            if count % 11 == 0:
                note("removing", one)
                store.remove(one)
                note("removed", one)
            if count % 97 == 0:
                store.gc(VERSIONS, days=1)
            if count % 101 == 0:
                assert not store.verify().damaged


def run(folder: Path, processes: int, seconds: float, kills: int) -> dict[str, int]:
    """Let processes work, kill some of them and start others in their place; returns counts of what came of it."""
    journals: list[Path] = []

    def start() -> subprocess.Popen[str]:
        number = len(journals)
        journals.append(folder / f"journal-{number}")
        command = [sys.executable, __file__, "work", str(folder / "store"), str(journals[-1]), str(number)]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    random, said, deadline = Random(0), "", time.monotonic() + seconds
    running = [start() for _ in range(processes)]
    for left in range(kills, 0, -1):
        time.sleep(max(0.0, (deadline - time.monotonic()) / (left + 1)) * random.uniform(0.5, 1.0))
        wait_for_work(running, journals)
        said += ended(running.pop(random.randrange(len(running))))
        running.append(start())
    time.sleep(max(0.0, deadline - time.monotonic()))
    wait_for_work(running, journals)
    for one in running:
        said += ended(one)
    return counts(folder / "store", journals) | {"killed": kills + processes, "said": len(said.splitlines())}


def wait_for_work(running: list[subprocess.Popen[str]], journals: list[Path]) -> None:
    """Wait until every process that was started has kept something."""
    while not all(journal.exists() and journal.stat().st_size for journal in journals):
        for one in running:
            assert one.poll() is None, one.communicate()[1]
        time.sleep(0.02)


def ended(process: subprocess.Popen[str]) -> str:
    """Kill a process; returns what it has said. A process that ended by itself has failed."""
    assert process.poll() is None, process.communicate()[1]
    os.kill(process.pid, signal.SIGKILL)
    return process.communicate()[1]


def counts(folder: Path, journals: list[Path]) -> dict[str, int]:
    """How many entries were kept and removed for sure, and how many of them are lost, torn or there again."""
    sure: dict[str, bool] = {}
    for journal in journals:
        for line in journal.read_text().splitlines():
            try:
                what, _, digest = json.loads(line)
            except ValueError:  # the last line of a process that was killed
                continue
            if what == "removing":
                sure.pop(digest)
            else:
                sure[digest] = what == "kept"
    Index(folder / "index-3.db").check()
    store = Store.open(folder)
    checked = store.verify()
    there = {one.digest for one in checked.sound}
    found = {one.digest for one in checked.sound if store.find(one.key, "sm_90", VERSIONS, pick=one.pick) is not None}
    aside = folder / "quarantine"
    return {
        "kept": sum(sure.values()),
        "lost": sum(kept and digest not in there & found for digest, kept in sure.items()),
        "removed": len(sure) - sum(sure.values()),
        "back": sum(not kept and digest in there for digest, kept in sure.items()),
        "torn": len(checked.damaged) + (len(list(aside.iterdir())) if aside.exists() else 0),
    }


if __name__ == "__main__":
    logging.basicConfig()
    if sys.argv[1] == "work":
        work(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
    else:
        with tempfile.TemporaryDirectory() as place:
            result = run(Path(place), int(sys.argv[1]), float(sys.argv[2]), kills=int(float(sys.argv[2]) / 2))
        print(json.dumps(result))  # noqa: T201
        sys.exit(bool(result["lost"] or result["back"] or result["torn"] or result["said"]))
