"""What a search on a GPU has verified: one candidate at a time in a thread beside the measuring, and each waited for no
longer than the search has time. Of what was measured, the fastest that is right is kept."""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from threading import Thread
from typing import TypeVar

from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.measures import is_correct
from kernelwright.backend.tuning.fitting import WORTH
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.values import KernelModule, Reference
from kernelwright.midend.search.search_run import SearchError, first_line
from kernelwright.midend.search.tuning import Entry

#: Bytes of a program's tensors above which nothing is verified beside what is measured.
BESIDE_BYTES = 4 << 30
#: Candidates that are timed again, and verified at most.
FINALISTS = 4
#: Others may come late by this share of the seconds that the first verdict took. That found out what is right as well,
#: but running a candidate beside measuring and comparing takes longer, too, where there is more of it.
LATER = 1.0
#: How many times as long as the plain one takes what is verified beside the best may take: where kernels run among
#: others, with their inputs in a cache, another one may be the fastest.
RIVAL = 1.1

_Value = TypeVar("_Value")


def beside(call: Callable[[], _Value]) -> Future[_Value]:
    """The outcome of a call in a thread of its own, which ends with Python, and for which nobody waits unasked."""
    outcome: Future[_Value] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # noqa: BLE001 - whoever asks is told
            outcome.set_exception(error)

    Thread(target=run, daemon=True).start()
    return outcome


@dataclass
class Verifying:
    """Verdicts by the modules' digests, and the one that is under way.

    `judge` gives the verdict on a module. A judging that is not waited for any more goes on in its thread. `first` is
    when the first that gave a verdict began and ended, by time.monotonic.
    """

    judge: Callable[[KernelModule], Verdict]
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    first: tuple[float, float] | None = None
    _digest: str = ""
    _under_way: "Future[Verdict] | None" = None

    def begin(self, module: KernelModule) -> None:
        """Have a module judged beside what else is done, unless another one is or its verdict is known."""
        self._collect(raises="")
        if self._under_way is None and module.digest not in self.verdicts:
            self._digest, self._under_way = module.digest, beside(lambda: self._judged(module))

    def begin_beside(self, module: KernelModule) -> None:
        """The same, if the device has room for it beside what is measured. An evaluator has started then, and knows
        what is right, by the time the winner is to be verified."""
        if _has_room(module.reference):
            self.begin(module)

    def verdict(self, module: KernelModule, until: float = math.inf) -> Verdict | None:
        """The verdict on a module; None where it is not there at `until` by time.monotonic. Raises what judging it
        raises; what was begun before and raised is judged again."""
        while module.digest not in self.verdicts:
            asked = self._under_way is None
            if asked:
                if time.monotonic() >= until:
                    return None
                self.begin(module)
            assert self._under_way is not None
            wait([self._under_way], None if until == math.inf else max(until - time.monotonic(), 0.0))
            if not self._under_way.done():
                return None
            self._collect(raises=module.digest if asked else "")
        return self.verdicts[module.digest]

    def settle(self) -> None:
        """Wait for the judging that is under way, where one is, however long it takes."""
        if self._under_way is not None:
            wait([self._under_way])
            self._collect(raises="")

    def under_way(self) -> str:
        """The digest of the module that is being judged; empty where none is."""
        self._collect(raises="")
        return self._digest if self._under_way is not None else ""

    def _judged(self, module: KernelModule) -> Verdict:
        began = time.monotonic()
        verdict = self.judge(module)
        self.first = self.first or (began, time.monotonic())
        return verdict

    def _collect(self, raises: str) -> None:
        """Take the verdict of a judging that is over. Its error is raised for the module `raises` alone."""
        if self._under_way is None or not self._under_way.done():
            return
        done, self._under_way = self._under_way, None
        error = done.exception()
        if error is None:
            self.verdicts[self._digest] = done.result()
        elif raises == self._digest:
            raise error


def prepare_beside(reference: Reference, prepare: Callable[[Reference], None]) -> None:
    """Have an evaluator find out what is right before there is a module to judge, if the device has room for it."""
    if _has_room(reference):
        beside(lambda: prepare(reference))


def _has_room(reference: Reference) -> bool:
    return sum(spec.nbytes for spec in (*reference.tensors, *reference.outputs)) <= BESIDE_BYTES


@dataclass
class Keeping:
    """Chooses of what was measured what is kept; the first of `entries` is the plain lowering.

    `ends` is when the search's time is over, by time.monotonic, and `late_s` how many seconds later, or later than the
    first verdict, one on a candidate may come yet. `stopped` tells why the search ended early, where it did.
    """

    verifying: Verifying
    entries: Sequence[Entry]
    say: Callable[[str], None]
    ends: float
    late_s: float
    stopped: str = ""

    def best(self) -> Entry:
        """The fastest that the evaluator finds right in time; the plain one where no other is faster by more than
        noise. Raises SearchError where nothing is right.

        A first verdict is waited for in any case, as there is nothing to keep without one. With it the evaluator knows
        what is right, and those on the fastest have their time from then on."""
        plain = self.entries[0]
        ranked = [entry for entry in sorted(self.entries, key=attrgetter("us")) if math.isfinite(entry.us)]
        fastest = [entry for entry in ranked if entry.us < WORTH["gpu"] * plain.us]
        try:
            self._await_first((*fastest, plain)[0])
            self._try_in_turn(fastest)
            if self._is_wrong(plain):
                self._try_in_turn(ranked)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        under_way = self.verifying.under_way()
        if (found := self._found((*fastest, plain, *ranked))) is not None:
            return found
        begun = [one for one in ranked if one.candidate.digest == under_way and self.stopped != "interrupted"]
        if begun and self._is_right(begun[0]):
            return begun[0]
        if plain.candidate.digest not in self._verdicts:
            self.say(f"verifying {plain.candidate.spec}")
            self.verifying.verdict(plain.candidate.module)
        if self._right(plain):
            return plain
        told = "; ".join(f"{first_line(verdict)}" for verdict in self._verdicts.values())
        name = plain.candidate.module.name
        raise SearchError(f"search on @{name}: none of {len(self._verdicts)} is verified: {told}")

    def _await_first(self, entry: Entry) -> None:
        """Wait for a first verdict: the one that is under way, else that on this entry."""
        if self._verdicts:
            return
        if self.verifying.under_way():
            self.verifying.settle()
        elif not self._verdicts:
            self._is_right(entry)

    def _try_in_turn(self, entries: Sequence[Entry]) -> None:
        """Have the evaluator judge so many of these as count as finalists, until one is right or the time is over."""
        began, ended = self.verifying.first or (self.ends, self.ends)
        until = max(self.ends, ended) + max(self.late_s, LATER * (ended - began))
        for entry in entries:
            judged = [one for one in entries if one.candidate.digest in self._verdicts]
            if (len(judged) < FINALISTS or entry in judged) and self._is_right(entry, until):
                return

    def verify_rivals(self, best: Entry, count: int) -> None:
        """While there is time, verify so many of the next fastest: other kernels first, then other launch options. An
        interrupt ends it."""
        near = [one for one in sorted(self.entries, key=attrgetter("us")) if one.us <= RIVAL * self.entries[0].us]
        heads: dict[str, Entry] = {}
        for entry in near:
            heads.setdefault(entry.base.digest, entry)
        ranked = {one.candidate.digest: one for one in (*heads.values(), *near)}
        known = {best.candidate.digest, self.entries[0].candidate.digest}
        try:
            for entry in [one for digest, one in ranked.items() if digest not in known][:count]:
                if time.monotonic() >= self.ends or self.stopped == "interrupted":
                    return
                if not self._known_wrong(entry):
                    self.say(f"verifying {entry.candidate.spec}")
                    with suppress(KernelwrightError):  # the best is there all the same
                        self.verifying.verdict(entry.candidate.module, self.ends)
        except KeyboardInterrupt:
            self.stopped = "interrupted"

    @property
    def _verdicts(self) -> dict[str, Verdict]:
        return self.verifying.verdicts

    def _is_right(self, entry: Entry, until: float = math.inf) -> bool:
        """Whether the evaluator finds a candidate right, by `until`."""
        if self._known_wrong(entry):
            return False
        if entry.candidate.digest not in self._verdicts:
            self.say(f"verifying {entry.candidate.spec}")
        verdict = self.verifying.verdict(entry.candidate.module, until)
        if verdict is None:
            self.stopped = self.stopped or "out of time"
        return verdict is not None and is_correct(verdict)

    def _found(self, entries: Sequence[Entry]) -> Entry | None:
        """The first of these that is known to be right."""
        return next(filter(self._right, entries), None)

    def _is_wrong(self, entry: Entry) -> bool:
        return entry.candidate.digest in self._verdicts and not self._right(entry)

    def _right(self, entry: Entry) -> bool:
        verdict = self._verdicts.get(entry.candidate.digest)
        return verdict is not None and is_correct(verdict)

    def _known_wrong(self, entry: Entry) -> bool:
        """Whether the same kernels with other launch options were found wrong before."""
        wrong = {digest for digest, verdict in self._verdicts.items() if not is_correct(verdict)}
        return any(one.candidate.digest in wrong and one.base is entry.base for one in self.entries)
