"""The order in which a search on a GPU makes candidates: what is promising first, without waiting for the others."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.space import (
    MOST_REWRITES,
    PLAIN,
    Candidate,
    Made,
    Space,
    Step,
    explored,
    followers,
    in_turn,
    lowerings,
    needing,
    simplifying,
)

#: Configurations of the author's that are made, at most.
MOST_CHOICES = 16


@dataclass
class Frontier:
    """The steps that are due, as an iterator: it ends while none is due, and goes on once `came` was told of more.

    Pipelines in `first` come first. Then three kinds take turns: the plain lowering with launch options that Inductor
    would measure (these candidates are in `own`), other lowerings, and rewrites of what was made so far. Of chains of
    one length the `width` most promising may be made longer, by `score`, a time; those with other prospects take turns.
    """

    space: Space
    plain: Candidate
    score: Callable[[KernelModule], float]
    width: int
    first: Sequence[str] = ()
    own: list[Candidate] = field(default_factory=list)
    _begun: list[tuple[str, Step]] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _parents: list[Candidate] = field(default_factory=list)
    _followers: dict[str, "deque[str]"] = field(default_factory=dict)
    _taken: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _ranked: tuple[int, list[Candidate]] = (0, [])
    _turn: int = 0

    def __post_init__(self) -> None:
        self._seen.add(self.plain.digest)
        self._open(self.plain)
        general, option = self.space.general, explored(PLAIN).choice
        is_plain = self.plain.spec == PLAIN and bool(option) and not general
        self._own = deque(f"{PLAIN}{{{option}={number}}}" for number in range(1, MOST_CHOICES + 1) if is_plain)
        self._lowerings = deque(spec for spec in lowerings() if not general and spec != self.plain.spec)
        self._given = deque(spec for spec in self.first if not general and spec != self.plain.spec)
        self._simplified = deque(simplifying())

    def __iter__(self) -> "Frontier":
        return self

    def __next__(self) -> Step:
        kinds = (self._next_own, self._next_lowering, self._next_rewrite)
        found = self._next_given()
        for _ in kinds:
            if found is not None:
                break
            found = kinds[self._turn % len(kinds)]()
            self._turn += 1
        if found is None:
            raise StopIteration
        self._begun.append(found)
        return found[1]

    def came(self, number: int, made: Made) -> Iterator[Candidate]:
        """The candidate that the step of that number gave, if it is a new one."""
        whole, step = self._begun[number]
        is_own = whole.startswith(f"{PLAIN}{{{explored(PLAIN).choice}=")
        if is_own and made.module is None:
            self._own.clear()  # Inductor has no more
        if made.module is not None:
            self._lowerings.extend(needing(whole))
        for candidate in self.space.found(whole, step, made, self._seen):
            if is_own:
                self.own.append(candidate)
            elif whole not in self.first:
                self._open(candidate)
            yield candidate

    def _open(self, candidate: Candidate) -> None:
        """Have a candidate made longer, once it is its turn."""
        if len(candidate.passes) - 1 < MOST_REWRITES:
            self._parents.append(candidate)

    def _next_given(self) -> tuple[str, Step] | None:
        if self._simplified:
            spec = self._simplified.popleft()
            return f"{self.plain.spec},{spec}", Step(self.plain.module, spec)
        return self._from(self._given, simplify=False)

    def _next_own(self) -> tuple[str, Step] | None:
        return self._from(self._own, simplify=False)

    def _next_lowering(self) -> tuple[str, Step] | None:
        return self._from(self._lowerings, simplify=True)

    def _from(self, specs: "deque[str]", simplify: bool) -> tuple[str, Step] | None:
        if not specs:
            return None
        spec = specs.popleft()
        return spec, Step(self.space.bare, spec, simplify)

    def _next_rewrite(self) -> tuple[str, Step] | None:
        open_ones = [one for one in self._hopeful() if self._left(one)]
        if not open_ones:
            return None
        best = min(open_ones, key=lambda one: (self._taken[one.prospects], self.score(one.module)))
        self._taken[best.prospects] += 1
        return best.longer(self._left(best).popleft())

    def _hopeful(self) -> list[Candidate]:
        """Those that may be made longer; ranked anew when there are more of them."""
        if self._ranked[0] != len(self._parents):
            lengths: dict[int, list[Candidate]] = {}
            for one in self._parents:
                lengths.setdefault(len(one.passes), []).append(one)
            ranked = [in_turn(some, self.score, lambda one: one.prospects)[: self.width] for some in lengths.values()]
            self._ranked = len(self._parents), [one for some in ranked for one in some]
        return self._ranked[1]

    def _left(self, candidate: Candidate) -> "deque[str]":
        """The passes that may make a chain longer, and did not yet."""
        if candidate.spec not in self._followers:
            self._followers[candidate.spec] = deque(
                spec for spec in followers(candidate) if not (self.space.general and explored(spec).sizes)
            )
        return self._followers[candidate.spec]
