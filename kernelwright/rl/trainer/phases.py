"""Who works when: seconds by phase, and the share of a step that each of the parties to it is idle."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: The policy draws answers, evaluators judge them, the learner scores and updates.
PARTIES = ("policy", "learner", "evaluator")


class Phases:
    """A clock that several threads tell what is going on; `now` is in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._began = now()
        self._seconds: dict[str, float] = {}
        self._at_work = dict.fromkeys(PARTIES, 0)  # how many of a party work
        self._since: dict[str, float] = {}
        self._busy = dict.fromkeys(PARTIES, 0.0)

    @contextmanager
    def timed(self, phase: str, party: str | None = None) -> Iterator[None]:
        """Add the block's time to a phase of this step, and count it as work of a party."""
        began = self._now()
        try:
            with self.work(party):
                yield
        finally:
            self.add(phase, self._now() - began)

    def add(self, phase: str, seconds: float) -> None:
        """Add to a phase of this step what was timed elsewhere."""
        with self._lock:
            self._seconds[phase] = self._seconds.get(phase, 0.0) + seconds

    @contextmanager
    def work(self, party: str | None) -> Iterator[None]:
        """Count the block as work of a party, which is idle while nothing of its is going on."""
        if party is not None:
            self.count(party, 1)
        try:
            yield
        finally:
            if party is not None:
                self.count(party, -1)

    def count(self, party: str, more: int) -> None:
        """So many more of a party are at work than before."""
        with self._lock:
            before, self._at_work[party] = self._at_work[party], self._at_work[party] + more
            if not before and self._at_work[party]:
                self._since[party] = self._now()
            elif before and not self._at_work[party]:
                self._busy[party] += self._now() - self._since.pop(party)

    def lap(self) -> dict[str, float]:
        """End a step: `step_seconds` since the one before, `seconds/PHASE`, `idle/PARTY` as shares of the step."""
        with self._lock:
            now = self._now()
            step = max(now - self._began, 1e-9)
            for party, since in self._since.items():
                self._busy[party] += now - since
                self._since[party] = now
            found = {"step_seconds": round(step, 3)}
            found |= {f"seconds/{phase}": round(seconds, 3) for phase, seconds in self._seconds.items()}
            found |= {f"idle/{party}": round(max(0.0, 1 - busy / step), 4) for party, busy in self._busy.items()}
            self._began, self._seconds, self._busy = now, {}, dict.fromkeys(PARTIES, 0.0)
            return found
