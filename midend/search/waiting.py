"""Candidates that wait to be measured while others are made yet: what is promising goes first."""

import math
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.space import Candidate, in_turn

#: How many times the least estimate a candidate may be estimated at, to be measured.
HOPEFUL = 10.0


@dataclass
class Waiting:
    """A queue between the thread that makes candidates and the one that measures them.

    `price` is the cost model's microseconds. Those that are put in `first` are taken in the order in which they came,
    before all others; of these the cheapest are, but kinds take turns, and specs in `last` come last.
    """

    price: Callable[[KernelModule], float]
    last: Collection[str] = ()
    first: list[Candidate] = field(default_factory=list)
    others: list[Candidate] = field(default_factory=list)
    taken: list[Candidate] = field(default_factory=list)
    _over: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def put(self, candidate: Candidate, first: bool = False) -> None:
        """Have a candidate wait."""
        with self._changed:
            (self.first if first else self.others).append(candidate)
            self._changed.notify()

    def end(self, drop: bool = False) -> None:
        """No more will come; with `drop`, those that wait are not wanted any more either."""
        with self._changed:
            self._over = True
            if drop:
                self.first, self.others = [], []
            self._changed.notify()

    def take(self, until: float) -> Candidate | None:
        """The next, once there is one; None when no more come that are worth it, or at `until` by time.monotonic."""
        with self._changed:
            while (left := until - time.monotonic()) > 0:
                if (found := self._next()) is not None:
                    self.taken.append(found)
                    return found
                if self._over:
                    return None
                self._changed.wait(min(left, 1.0))
        return None

    @property
    def pruned(self) -> int:
        """Those that wait in vain: the cost model has no hopes of them."""
        return sum(self.price(one.module) > self._bound for one in self.others)

    @property
    def left(self) -> int:
        """Those that wait."""
        return len(self.first) + len(self.others) - self.pruned

    @property
    def _bound(self) -> float:
        prices = (self.price(one.module) for one in (*self.taken, *self.first, *self.others))
        return HOPEFUL * min(filter(math.isfinite, prices), default=0.0)

    def _next(self) -> Candidate | None:
        if self.first:
            return self.first.pop(0)
        bound = self._bound
        hopeful = [one for one in self.others if self.price(one.module) <= bound]
        if not hopeful:
            return None
        ranked = in_turn(hopeful, self.price)
        found = min(ranked, key=lambda one: (one.spec in self.last, self._turns(one)))
        self.others.remove(found)
        return found

    def _turns(self, candidate: Candidate) -> int:
        """How many of its kind were taken: kinds take turns over all that is taken, too."""
        return sum(one.templates == candidate.templates for one in self.taken)
