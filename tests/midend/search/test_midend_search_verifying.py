"""What a search on a GPU keeps of what it measured, by verdicts that come early, late or never."""

import math
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from programs import lowered

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.backend.measure.bench import WHOLE
from kernelwright.backend.measure.stopwatch import Measured
from kernelwright.ir.values import KernelModule, Reference, TensorSpec
from kernelwright.midend.search.search_run import SearchError
from kernelwright.midend.search.space import Candidate
from kernelwright.midend.search.tuning import Entry
from kernelwright.midend.search.verifying import Keeping, Verifying, prepare_beside

#: Seconds that nothing waits for that ends well.
LONG = 600.0


class Judge:
    """Finds all right but the `wrong`. What it is asked for is in `asked`; the verdicts on those in `held` come once
    `released` is set."""

    def __init__(self, us: dict[str, float], wrong: set[str] = frozenset(), held: set[str] = frozenset()) -> None:  # type: ignore[assignment]
        candidates = [Candidate(spec, lowered(f"a + {number}", [(4, 4)])) for number, spec in enumerate(us)]
        times = zip(candidates, us.values(), strict=True)
        self.entries = [Entry(one, one, Measured({WHOLE: time} if math.isfinite(time) else {})) for one, time in times]
        self.wrong, self.held, self.asked, self.released = wrong, held, list[str](), threading.Event()
        self.verifying = Verifying(self.judge)

    def judge(self, module: KernelModule) -> Verdict:
        spec = next(one.candidate.spec for one in self.entries if one.candidate.digest == module.digest)
        self.asked.append(spec)
        assert spec not in self.held or self.released.wait(LONG)
        return Verdict(Status.MISMATCH if spec in self.wrong else Status.OK, Rung.RUN, rungs=(Rung.RUN,))

    def entry(self, spec: str) -> Entry:
        return next(one for one in self.entries if one.candidate.spec == spec)

    def begin(self, spec: str) -> None:
        self.verifying.begin(self.entry(spec).candidate.module)

    def kept(self, late_s: float = LONG, say: Callable[[str], None] = lambda _line: None) -> tuple[str, str]:
        """What is kept where the search's seconds were over long ago, and why it stopped."""
        keeping = Keeping(self.verifying, self.entries, say, time.monotonic() - LONG, late_s)
        return keeping.best().candidate.spec, keeping.stopped


@contextmanager
def released_soon(judge: Judge) -> Iterator[None]:
    timer = threading.Timer(0.2, judge.released.set)
    timer.start()
    yield
    timer.join()


def test_the_fastest_have_their_time_from_the_first_verdict_on() -> None:
    judge = Judge({"plain": 10.0, "a": 5.0, "b": 6.0}, held={"plain"})
    judge.begin("plain")
    with released_soon(judge):
        assert judge.kept() == ("a", "")
    assert judge.asked == ["plain", "a"]


def test_what_does_not_come_in_its_time_after_the_first_verdict_is_not_waited_for() -> None:
    judge = Judge({"plain": 10.0, "a": 5.0, "b": 6.0}, held={"a"})
    judge.begin("plain")
    assert judge.kept(0.1) == ("plain", "out of time") and judge.asked == ["plain", "a"]
    judge.released.set()


@pytest.mark.parametrize(("seconds", "kept"), [(3 * LONG, "a"), (0.0, "plain")])
def test_the_longer_the_first_verdict_took_the_longer_others_may_take(seconds: float, kept: str) -> None:
    judge = Judge({"plain": 10.0, "a": 5.0})
    assert judge.verifying.verdict(judge.entry("plain").candidate.module) is not None
    now = time.monotonic()
    judge.verifying.first = (now - seconds, now)
    assert judge.kept(late_s=0.0)[0] == kept


def test_without_a_verdict_and_none_under_way_the_fastest_is_judged_and_waited_for() -> None:
    judge = Judge({"plain": 10.0, "a": 5.0}, held={"a"})
    with released_soon(judge):
        assert judge.kept(late_s=0.0) == ("a", "")
    assert judge.asked == ["a"]  # the plain one is needed where nothing else is right


def test_once_the_first_is_wrong_the_next_have_their_time() -> None:
    judge = Judge({"plain": 10.0, "a": 5.0, "b": 6.0}, wrong={"a"}, held={"a"})
    judge.begin("a")
    with released_soon(judge):
        assert judge.kept() == ("b", "")
    assert judge.asked == ["a", "b"]


def test_an_interrupt_keeps_the_fastest_that_is_verified() -> None:
    def interrupt(line: str) -> None:
        if line == "verifying a":
            raise KeyboardInterrupt

    judge = Judge({"plain": 10.0, "a": 5.0, "b": 6.0})
    for spec in ("plain", "b"):
        judge.verifying.verdict(judge.entry(spec).candidate.module)
    assert judge.kept(say=interrupt) == ("b", "interrupted") and judge.asked == ["plain", "b"]


@pytest.mark.parametrize("plain_us", [10.0, math.inf])
def test_where_the_plain_lowering_is_wrong_a_slower_one_is_kept(plain_us: float) -> None:
    judge = Judge({"plain": plain_us, "a": 5.0, "b": 11.0}, wrong={"plain", "a"})
    judge.begin("plain")
    assert judge.kept() == ("b", "") and judge.asked == ["plain", "a", "b"]


def test_what_is_right_is_found_out_beside_where_there_is_room() -> None:
    prepared: queue.SimpleQueue[Reference] = queue.SimpleQueue()
    small = lowered("a + 1", [(4, 4)]).reference
    large = replace(small, inputs=(TensorSpec.contiguous("a", "f32", (1 << 31,)),))
    for reference in (large, small):
        prepare_beside(reference, prepared.put)
    assert prepared.get(timeout=LONG) == small and prepared.empty()


def test_no_more_than_the_finalists_are_judged() -> None:
    us = {"plain": 10.0, "a": 5.0, "b": 6.0, "c": 7.0, "d": 8.0, "e": 9.0}
    judge = Judge(us, wrong=set(us))
    with pytest.raises(SearchError, match="none of 5 is verified: mismatch"):
        judge.kept()
    assert judge.asked == ["a", "b", "c", "d", "plain"]
