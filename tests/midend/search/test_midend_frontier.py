"""In what order a search on a GPU makes candidates: best first, and nothing waits for anything else."""

from collections import Counter
from dataclasses import replace

import pytest
from programs import lowered

from kernelwright.driver.config.discovery import discover
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.frontier import MOST_CHOICES, Frontier
from kernelwright.midend.search.space import PLAIN, Candidate, Made, Space, Step, explored, lowerings, rewrites


@pytest.fixture(scope="module")
def module() -> KernelModule:
    discover()
    return lowered("torch.softmax(a, 1)", [(40, 80)], "pass")


def frontier_of(module: KernelModule, times: dict[str, float], width: int = 8, first: tuple[str, ...] = ()) -> Frontier:
    """A frontier in which a module takes the microseconds that its name stands for."""
    space = Space(module, Context("h200"))
    return Frontier(space, Candidate(PLAIN, module), lambda one: times.get(one.name, 100.0), width, first)


def kind(step: Step) -> str:
    if step.spec.startswith(f"{PLAIN}{{{explored(PLAIN).choice}="):
        return "own"
    if not step.spec:
        return "price"
    return "rewrite" if step.spec.partition("{")[0] in rewrites() else "lowering"


def test_three_kinds_take_turns_and_a_step_that_takes_long_keeps_none_waiting(module: KernelModule) -> None:
    frontier = frontier_of(module, {}, first=("lower-inductor,cache-hints",))
    begun = [next(frontier) for _ in range(15)]  # of none is known what came of it
    # The plain one's price, what simplifies it, and what is given.
    assert [kind(step) for step in begun[:3]] == ["price", "rewrite", "rewrite"]
    assert begun[0].module == module and begun[2] == Step(module, "cache-hints")
    assert set(Counter(map(kind, begun[3:])).values()) == {4}
    whole = list(frontier)
    assert len({(step.spec, step.module.digest, step.simplify) for step in begun + whole}) == len(begun + whole)
    assert next(frontier, None) is None
    new = replace(module, kernels=module.kernels[:0])
    assert not list(frontier.came(0, Made(module)))
    assert [one.spec for one in frontier.came(4, Made(new))] and next(frontier, None) is not None


def test_what_inductor_has_no_more_of_is_not_asked_for(module: KernelModule) -> None:
    frontier = frontier_of(module, {})
    asked = []
    for number, step in enumerate(frontier):
        asked.append(step.spec)
        enough = sum(kind(Step(module, one)) == "own" for one in asked) > 3
        list(frontier.came(number, Made(failed="there are three") if enough else Made(step.module)))
    own = [spec for spec in asked if kind(Step(module, spec)) == "own"]
    assert len(own) == 4 < MOST_CHOICES
    assert set(lowerings()[1:]) < set(asked)


def test_the_most_promising_of_a_length_are_made_longer(module: KernelModule) -> None:
    """Each lowering gives a module of its own; one is far faster than all others."""
    times: dict[str, float] = {}
    frontier = frontier_of(module, times, width=1)
    longer = Counter[str]()
    for number, step in enumerate(frontier):
        if kind(step) == "rewrite":
            longer[step.module.name] += 1
            list(frontier.came(number, Made(step.module)))
            continue
        name = step.spec.partition("{")[2].strip("}").replace("=", "_").replace(",", "_")
        times[name] = 1.0 if name == "persistent_false" else 200.0
        made = replace(module, name=name, kernels=module.kernels[: 1 + len(times) % 2])
        list(frontier.came(number, Made(made)))
    assert longer["persistent_false"] and longer[module.name]
    assert len(longer) <= 3  # the plain one was it before others were there


def test_before_the_plain_one_is_there_it_and_early_lowerings_are_made(module: KernelModule) -> None:
    space, early = Space(module, Context("h200")), lowerings()[3:5]
    frontier = Frontier(space, None, lambda _module: 100.0, 8, early=early)
    begun = list(frontier)
    assert [step.priced for step in begun] == [False, True, True]  # all others wait for the plain one
    assert [step.spec for step in begun] == [PLAIN, *early] and {step.module.digest for step in begun} == {
        space.bare.digest
    }
    frontier.begin(Candidate(PLAIN, module), (f"{early[0]},cache-hints", f"{early[1]},cache-hints"))
    assert kind(next(frontier)) == "price" and next(frontier).module == module  # what simplifies it
    assert kind(next(frontier)) == "own"  # what is given waits for its lowerings
    other = replace(module, kernels=module.kernels[:0])
    assert [one.spec for one in frontier.came(1, Made(other))] == [early[0]]
    assert next(frontier) == Step(space.fitted(other), "cache-hints")
    assert list(frontier.came(2, Made(failed="there is no such choice"))) == []
    rest = [step for step in frontier if step.spec in early or step.spec.startswith(early[1])]
    assert rest == []  # nothing is made twice, and nothing goes on from what failed


def test_pipelines_with_one_lowering_share_it_but_for_the_first(module: KernelModule) -> None:
    lowering = lowerings()[3]
    first = (f"{lowering},reverse-loops", f"{lowering},cache-hints,reverse-loops", f"{lowering},cache-hints", lowering)
    frontier = frontier_of(module, {}, first=first)
    begun = [next(frontier) for _ in range(5)]
    # Who waits for the lowering alone, and goes on then, is later than who makes all of it.
    assert begun[2] == Step(frontier.space.bare, first[0])
    assert begun[3].spec == lowering and kind(begun[4]) == "own"
    simple, complex_ = (replace(module, name=name, kernels=()) for name in ("simple", "complex"))
    assert [*frontier.came(3, Made(simple, simplified=("exp-identities",), unsimplified=complex_))]
    made = frontier.space.fitted(complex_)
    longer = [next(frontier), next(frontier)]
    assert longer == [Step(made, "cache-hints,reverse-loops"), Step(made, "cache-hints")]
    # Though it is given, it is made longer like other lowerings.
    assert any(step.module == made and step.simplify for step in frontier)
