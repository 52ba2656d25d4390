"""What answers turned out to be, for as long as somebody asks: none is read or judged a second time."""

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

from kernelwright.agent.evaluating import fault
from kernelwright.agent.evaluator import Verdict, repeats
from kernelwright.ir.values import KernelModule

Found = TypeVar("Found")


class Latest(Generic[Found]):
    """The `most` values that were used last, or all, by key. Threads may share it."""

    def __init__(self, most: int | None) -> None:
        self._most, self._lock = most, threading.Lock()
        self._kept: OrderedDict[object, Found] = OrderedDict()

    def get(self, key: object) -> Found | None:
        """The value; None where there is none, or none any more."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: object, value: Found) -> None:
        """Keep a value, in the place of the one that nobody has asked for longest where there are too many."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while self._most is not None and len(self._kept) > self._most:
                self._kept.popitem(last=False)


class AnswerCache:
    """Of the `most` answers that came last, or of all: what each was read as, and its verdict, times included.

    For one agent, and one evaluator with the same rungs. A fault, and what a busy machine may have brought about, is
    not remembered. Times that were taken once stand for all later answers that make the same module.
    """

    def __init__(self, most: int | None = None) -> None:
        self._readings: Latest[KernelModule | Verdict] = Latest(most)
        self._verdicts: Latest[Verdict] = Latest(most)

    def reading(self, given: str, text: str) -> KernelModule | Verdict | None:
        """What an answer about a module, by its digest, was read as."""
        return self._readings.get((given, text))

    def read(self, given: str, text: str, found: KernelModule | Verdict) -> None:
        """Remember a reading."""
        if isinstance(found, KernelModule) or not fault(found):
            self._readings.put((given, text), found)

    def verdict(self, candidate: str) -> Verdict | None:
        """That on a candidate, by its digest."""
        return self._verdicts.get(candidate)

    def judged(self, candidate: str, verdict: Verdict) -> None:
        """Remember a verdict, if another evaluation would give it as well."""
        if repeats(verdict) and not fault(verdict):
            self._verdicts.put(candidate, verdict)
