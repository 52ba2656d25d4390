"""How a search on a GPU comes by its candidates: what needs not wait for the plain lowering does not."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from programs import lowered

from kernelwright.backend.measure.children import Outcome
from kernelwright.driver.config.discovery import discover
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.frontier import Frontier
from kernelwright.midend.search.making import Makers, Priced
from kernelwright.midend.search.space import PLAIN, Candidate, Made, Space, Step, lowerings
from kernelwright.midend.search.supply import Supply


@pytest.fixture(scope="module")
def module() -> KernelModule:
    discover()
    return lowered("a.sum(1)", [(8, 400)])


class Workers:
    """Children that do what `work` says, several steps at a time, the last one begun first; prices are 7."""

    count = 3

    def __init__(self, work: Callable[[Step], Priced | str]) -> None:
        self.work, self.asked, self.ends, self.closed = work, list[str](), list[float](), False

    def each(self, tasks: Any, _seconds: float, until: Any = math.inf) -> Iterator[tuple[int, Outcome]]:
        waiting: list[tuple[int, Any]] = []
        following = enumerate(tasks)
        try:
            while True:
                while len(waiting) < self.count and (task := next(following, None)) is not None:
                    waiting.append(task)
                if not waiting:
                    return
                number, (_, given) = waiting.pop()
                self.ends.append(until() if callable(until) else until)
                self.asked.append(given[0].spec)
                found = self.work(given[0]) if given[0].spec else Priced(Made(given[0].module), 7.0)
                yield number, Outcome(failure=found) if isinstance(found, str) else Outcome(found)
        finally:
            self.closed = True


def supply_of(given: KernelModule, workers: Workers, early: tuple[str, ...] = ()) -> Supply:
    space = Space(given, Context("h200"))
    return Supply(space, Makers(workers, "h200", 0), lambda _module: 1.0, 8, early)  # type: ignore[arg-type]


def test_what_came_before_the_plain_one_is_given_after_it(module: KernelModule) -> None:
    def work(step: Step) -> Priced:
        made = module if step.spec == PLAIN else replace(module, name=step.spec, kernels=module.kernels[:0])
        return Priced(Made(made), 5.0)

    workers, early = Workers(work), lowerings()[1:3]
    supply = supply_of(replace(module, kernels=(), launcher=None), workers, early)
    plain = supply.plain()
    assert plain.spec == PLAIN and plain.module.kernels == module.kernels
    assert workers.asked == [*reversed(early), PLAIN]  # they are begun beside it
    assert plain.digest not in supply.makers.us and set(workers.ends) == {math.inf}
    supply.makers.until = 1e12
    candidates = supply.candidates(plain, ())
    assert next(candidates).spec == early[1] and len(workers.asked) == 3  # nothing new was asked for
    assert supply.own == []
    list(candidates)
    assert all(workers.asked.count(spec) == 1 for spec in (PLAIN, "", *early)) and set(workers.ends[3:]) == {1e12}
    assert supply.makers.us[plain.digest] == 7.0


def test_what_is_being_made_is_let_go_of(module: KernelModule) -> None:
    workers = Workers(lambda _step: Priced(Made(module)))
    supply = supply_of(replace(module, kernels=(), launcher=None), workers)
    supply.close()  # nothing was begun
    supply.plain()
    assert not workers.closed
    supply.close()
    supply.close()
    assert workers.closed


def test_what_gives_outcomes_is_closed_even_while_something_refers_to_it(module: KernelModule) -> None:
    class Kept(Workers):
        def each(self, tasks: Any, _seconds: float, until: Any = math.inf) -> Iterator[tuple[int, Outcome]]:
            self.kept = super().each(tasks, _seconds, until)
            return self.kept

    workers = Kept(lambda _step: Priced(Made(module)))
    supply = supply_of(replace(module, kernels=(), launcher=None), workers)
    supply.plain()
    supply.close()
    assert workers.closed


def test_where_children_cannot_lower_it_it_is_lowered_here(module: KernelModule) -> None:
    workers = Workers(lambda _step: "not by shapes alone")
    supply = supply_of(replace(module, kernels=(), launcher=None), workers)
    plain = supply.plain()
    assert plain.spec == PLAIN and plain.module.kernels
    assert list(supply.candidates(plain, ())) == [] and supply.makers.us[plain.digest] == 7.0


def test_given_kernels_are_priced_by_a_child_and_nothing_is_early(module: KernelModule) -> None:
    workers = Workers(lambda step: Priced(Made(step.module)))
    supply = supply_of(module, workers, lowerings()[1:3])
    plain = supply.plain()
    assert plain.spec == "given" and workers.asked == []
    list(supply.candidates(plain, ()))
    assert workers.asked.count("") == 1 and supply.makers.us[plain.digest] == 7.0
    assert workers.asked.count(PLAIN) == 1  # the plain lowering is one candidate among others then


@pytest.mark.parametrize("owed", [True, False])
def test_what_is_owed_is_waited_for_and_nothing_else_is_begun(module: KernelModule, owed: bool) -> None:
    workers = Workers(lambda step: Priced(Made(step.module)))
    makers = Makers(workers, "h200", 0, longer=math.inf, owed=lambda: owed)  # type: ignore[arg-type]
    steps = iter([Step(module, str(number)) for number in range(9)])
    coming = makers.making(lambda one: one)(steps)
    assert next(coming)[0] == 2 and workers.ends == [math.inf]
    makers.until = 0.0
    assert [number for number, _ in coming] == [1, 0] and makers.over == (not owed)
    assert workers.ends[1:] == [math.inf if owed else 0.0] * 2
    assert makers.cut  # others were due


def test_a_pipeline_that_was_given_is_owed_while_it_is_being_made(module: KernelModule) -> None:
    given = ("lower-inductor{split=false},cache-hints", "lower-inductor,reverse-loops")
    bare = replace(module, kernels=(), launcher=None)
    supply = supply_of(bare, Workers(lambda _step: Priced(Made(module))))
    assert not supply.owed
    frontier = Frontier(supply.space, Candidate(PLAIN, module), lambda _module: 1.0, 8, given)
    asked, owed = [], []
    for _ in range(7):
        asked.append(next(frontier).spec)
        owed.append(frontier.owed)
    (whole, onward) = asked.index(given[0]), asked.index("reverse-loops")
    assert owed == [number >= min(whole, onward) for number in range(7)]
    list(frontier.came(whole, Made(failed="no")))
    assert frontier.owed
    list(frontier.came(onward, Made(failed="no")))
    assert not frontier.owed
