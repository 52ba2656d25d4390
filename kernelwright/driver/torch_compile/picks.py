"""Which replacement runs for a kernel: what the store has, what a lock names, or what the first process of a job says.

Alone and without a lock, each kernel gets what the store has when it is loaded. With a lock, the lock decides; where
there is no such file yet, all that the store has now is written to it. In a job of several processes, the first one
decides once, and the others do as it says. A finding that Inductor's own kernel is wrong counts whatever a lock names.
"""

import hashlib
import json
import logging
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import torch

from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.lock import Lock, read_lock, write_lock
from kernelwright.backend.store.store import Store
from kernelwright.driver.torch_compile.options import Options
from kernelwright.frontend.inductor.plain import job_store
from kernelwright.frontend.swap.key import is_library
from kernelwright.frontend.swap.running import side_by_side
from kernelwright.ir.errors import UserError

log = logging.getLogger("kernelwright.torch_compile")
#: How long a process waits for the first one of its job to compile, in seconds. After it Inductor's kernels run in all.
PATIENCE_S = 30.0
#: How many times this process has asked its job with the same options: once more after each reset.
_asked = Counter[str]()


class Picks:
    """Entries for kernels, chosen as one set of options says. A damaged store or lock costs a warning, never a compile.

    Raises UserError where the lock's file is no lock.
    """

    def __init__(self, options: Options) -> None:
        self._options, self._store, self._versions = options, opened(options.store), Versions.installed()
        self._where = ""
        #: Keys that were looked at, and whether one of them is that of a library's call.
        self._libraries: tuple[frozenset[str], bool] = frozenset(), False
        self._fixed: Mapping[str, str] | None = None
        if (job := job_store()) is not None:
            self._where, self._fixed = "the first process of the job", self._of_job(job)
        elif options.lock is not None:
            self._where, self._fixed = str(options.lock), self._decided()

    def find(self, key: str, target: str) -> tuple[Entry, ...] | str:
        """The entry for a kernel, or several where its sizes may change, or why there is none."""
        if self._fixed is None:
            return self._chosen(key, target) or "the store has nothing for it"
        pick = self._fixed.get(key) if target == _here(self._options) else None
        if not pick:
            return f"{self._where} names {'nothing' if pick is None else 'that of Inductor'} for it"
        found = {one: self._store.find(key, target, self._versions, one) for one in pick.split()}
        if missing := [one for one, entry in found.items() if entry is None]:
            return f"the store lacks {missing[0][:12]}, which {self._where} names"
        return tuple(entry for entry in found.values() if entry is not None)

    @property
    def for_libraries(self) -> bool:
        """Whether there is a replacement of a library's call, or may be one soon."""
        if self._options.search or self._options.hot:
            return True
        target = _here(self._options)
        keys = frozenset(self._store.keys(target, self._versions) if self._fixed is None else self._fixed)
        if keys != self._libraries[0]:
            # All entries are read, as whoever finds one says that it is used.
            some = (one for one in self._store.entries() if one.target == target and one.key in keys)
            self._libraries = keys, any(is_library(one.source) for one in some)
        return self._libraries[1]

    def _chosen(self, key: str, target: str) -> tuple[Entry, ...]:
        """What the store has for a kernel now: of several replacements for the same sizes the last one, or the one of
        least cost."""
        last = self._store.find(key, target, self._versions)
        if last is None or not (last.sizes or self._options.deterministic):
            return () if last is None else (last,)
        found = self._store.candidates(key, target, self._versions)
        return side_by_side(sorted(found, key=_cost) if self._options.deterministic else found)

    def _of_job(self, job: Any) -> Mapping[str, str]:
        """What the first process decides. One that waits for it in vain decides for all that Inductor's kernels run."""
        words = [str(self._options.store), str(self._options.lock), str(self._options.deterministic)]
        name = f"kernelwright/{hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]}"
        _asked[name] += 1
        name += f"/{_asked[name]}"
        try:
            first = torch.distributed.get_rank() == 0
            if not first and not _arrives(job, name):
                log.warning("the first process of the job compiles nothing, and Inductor's kernels run in all of them")
            known = job.compare_set(name, "", json.dumps(dict(self._decided()) if first else {}))
            decided: dict[str, str] = json.loads(known)
            return decided
        except (RuntimeError, ValueError, NotImplementedError) as error:
            reason = ": ".join([type(error).__name__, *str(error).splitlines()[:1]])
            log.warning("the first process of the job names no kernels, and Inductor's run (%s)", reason)
            return {}

    def _decided(self) -> Mapping[str, str]:
        """The picks of the lock, or of the store for all kernels of this machine; by key."""
        target, path = _here(self._options), self._options.lock
        known = {key: self._chosen(key, target) for key in self._store.keys(target, self._versions)}
        now = {key: pick_of(entries) for key, entries in known.items() if entries}
        if path is None:
            return now
        if not path.exists():
            try:
                write_lock(path, Lock(target, self._versions, now))
            except UserError as error:
                log.warning("%s; this run chooses as the store is now", error)
            return now
        lock = read_lock(path)
        wrong = {key: pick_of(entries) for key, entries in known.items() if entries and entries[0].kind == "wrong"}
        if reason := lock.why_not(target, self._versions):
            log.warning("%s is not used, and Inductor's kernels run: %s", path, reason)
            return wrong
        return {**lock.picks, **wrong}


def pick_of(entries: Sequence[Entry]) -> str:
    """What a lock names for entries that run side by side."""
    return " ".join(entry.pick for entry in entries)


def _arrives(job: Any, name: str) -> bool:
    """Whether a name is in a job's store before patience ends."""
    try:
        job.wait([name], timedelta(seconds=PATIENCE_S))
    except RuntimeError:
        return False
    return True


def _cost(entry: Entry) -> tuple[float, str]:
    """Orders replacements by what the cost model said of them, and never by what a clock said."""
    predicted = entry.certificate.get("predicted_us")
    return float(predicted) if isinstance(predicted, int | float) else float("inf"), entry.pick


def _here(options: Options) -> str:
    """The target that this process's kernels are for."""
    if options.target != "auto":
        return options.target
    if os.environ.get("TRITON_INTERPRET") == "1" or not torch.cuda.is_available():
        return "interpreter"
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{10 * major + minor}"


@cache
def opened(folder: Path | None) -> Store:
    """A store, opened once in a process."""
    return Store.open(folder)
