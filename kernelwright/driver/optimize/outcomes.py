"""What became of a model's kernels: in this run, in the store that `torch.compile` reads, and for later runs in a
journal."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kernelwright.backend.compile.compiled import cache_folder
from kernelwright.backend.store.entry import OTHER_SIZES, Entry, Versions
from kernelwright.backend.store.store import Store
from kernelwright.driver.extraction.filling import stored_as
from kernelwright.driver.extraction.ranges import without
from kernelwright.driver.optimize.ranking import Recording
from kernelwright.driver.optimize.result import Kernel
from kernelwright.driver.run.journal import Journal
from kernelwright.frontend.swap.running import for_sizes, side_by_side

#: A kernel that was searched before is searched again with more than so many times the seconds.
AGAIN = 2.0
#: Where the journal keeps how many seconds a search could have taken, and whether there was a second one.
OFFERED, SEARCHED_TWICE = "offered_s", "searched twice"

#: What the journal keeps of a kernel beside what became of it.
Kept = Mapping[str, Any]
NOTHING: Kept = MappingProxyType({})


@dataclass(frozen=True)
class Outcomes:
    """Kernels by key, those with most to gain first, with what became of each; `done` gets each one that is decided.
    `recorded` has each kernel as it was recorded, by key."""

    kernels: dict[str, Kernel]
    store: Store
    journal: Journal
    target: str
    done: Callable[[Kernel], None]
    recorded: Mapping[str, Recording]

    def decided(self, kernel: Kernel) -> None:
        """Take down what became of a kernel, for this run."""
        self.kernels[kernel.key] = kernel
        self.done(kernel)

    def noted(self, kernel: Kernel, kept: Kept) -> None:
        """Take it down for later runs, too. The journal also keeps what was made and not admitted, and what is known of
        searches that `kept` says nothing of."""
        known = self.journal.results.get(kernel.key, {})
        searches = {name: known[name] for name in (OFFERED, SEARCHED_TWICE) if name in known}
        self.kernels[kernel.key] = kernel
        self.journal.add(kernel.key, {**kernel.told(), **searches, **kept})
        self.done(kernel)

    @property
    def admitted(self) -> list[str]:
        """The keys of the kernels that run in the place of Inductor's."""
        return [key for key, one in self.kernels.items() if one.became == "admitted"]

    def entry(self, key: str) -> Entry | None:
        """What the store has for a kernel at its sizes."""
        kernel = self.recorded[key][0]
        found = self.store.candidates(kernel.key, stored_as(self.target), Versions.installed())
        return for_sizes(found, kernel.numbers)

    def beside(self, entry: Entry) -> list[Mapping[str, int]]:
        """The sizes at which other entries for a kernel were admitted."""
        found = side_by_side(self.store.candidates(entry.key, entry.target, entry.versions))
        return [one.own_sizes for one in found if one.own_sizes and one.own_sizes != entry.own_sizes]

    def before(self, kernel: Kernel, seconds: float) -> Kernel | None:
        """What became of a kernel in an earlier run; None where a search of so many seconds may find more."""
        if kernel.key not in self.journal.results:
            return None
        before = Kernel.read(self.journal.results[kernel.key])
        offered = float(self.journal.results[kernel.key].get(OFFERED, before.seconds))
        if before.became in ("admitted", "left out") or seconds > AGAIN * offered:
            return None
        return replace(before, launches=kernel.launches, us=kernel.us, gain_us=kernel.gain_us)

    def certified(self, entry: Entry, made: Entry) -> None:
        """Keep an entry in the place of the one with less of a certificate, for all kernels that have it. One for fewer
        sizes stays behind it, for locks that name it."""
        if made.digest == entry.digest or not self.store.put(made):
            return
        if made.pick == entry.pick:
            self.store.remove(entry)
        for key, kernel in self.kernels.items():
            if kernel.digest == entry.digest:
                self.kernels[key] = replace(kernel, digest=made.digest)

    def given_up(self, key: str, why: str) -> None:
        """Inductor's kernel runs at the sizes of a kernel from now on, for a reason: entries that are for them go, or
        lose these sizes where they were admitted at others."""
        numbers = self.recorded[key][0].numbers
        while (entry := self.entry(key)) is not None and entry.kind == "replacement":
            left = without(entry, numbers)
            if left is None:
                self.store.remove(entry)
                continue
            told = [one for one in entry.certificate.get(OTHER_SIZES, ()) if one["sizes"] != numbers]
            told.append({"sizes": dict(numbers), "became": why})
            # Behind it the entry stays, for locks that name it.
            if not self.store.put(replace(left, certificate={**entry.certificate, OTHER_SIZES: told})):
                return


def journal_of(keys: Sequence[str], mode: str, target: str, store: Store, folder: Path | None) -> Journal:
    """The journal of a model's kernels on this target, in this mode; in `optimize` in the cache folder if no other
    folder is given."""
    made_with = {"keys": sorted(keys), "mode": mode, "versions": str(Versions.installed())}
    made_with |= {"target": target, "store": str(store.folder)}
    digest = hashlib.sha256(json.dumps(made_with).encode()).hexdigest()[:24]
    return Journal((folder or cache_folder() / "optimize") / f"{digest}.jsonl", made_with)
