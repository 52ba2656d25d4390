"""The order in which a search on a GPU makes candidates: what is promising first, without waiting for the others."""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from kernelwright.ir.exploration import Phase
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
    parts,
    simplifying,
)

#: Configurations of the author's that are made, at most.
MOST_CHOICES = 16


@dataclass
class Frontier:
    """The steps that are due, as an iterator: it ends while none is due, and goes on once `came` was told of more.

    Without a `plain` candidate, PLAIN is the first step, and the lowerings in `early` follow, which need not wait for
    it; `begin` has all others follow, and `came` is told of nothing before. As all wait for the plain one, its price
    comes later. Pipelines in `first` come first then, each from as much of it as is made already, and one of each
    lowering that is not begun as a whole. Then three kinds take turns: the plain lowering with launch options that
    Inductor would measure (these candidates are in `own`), other lowerings, and rewrites of what was made so far. Of
    chains of one length the `width` most promising may be made longer, by `score`, a time; those with other prospects
    take turns.
    """

    space: Space
    plain: Candidate | None
    score: Callable[[KernelModule], float]
    width: int
    first: Sequence[str] = ()
    early: Sequence[str] = ()
    own: list[Candidate] = field(default_factory=list)
    _begun: list[tuple[str, Step]] = field(default_factory=list)
    _made: dict[str, KernelModule | None] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _parents: list[Candidate] = field(default_factory=list)
    _followers: dict[str, "deque[str]"] = field(default_factory=dict)
    _taken: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _ranked: tuple[int, list[Candidate]] = (0, [])
    _turn: int = 0

    def __post_init__(self) -> None:
        general, option = self.space.general, explored(PLAIN).choice
        is_plain = (self.plain is None or self.plain.spec == PLAIN) and bool(option) and not general
        self._own = deque(f"{PLAIN}{{{option}={number}}}" for number in range(1, MOST_CHOICES + 1) if is_plain)
        spec = PLAIN if self.plain is None else self.plain.spec
        self._lowerings = deque(one for one in lowerings() if not general and one != spec)
        self._early = deque(one for one in self.early if one in self._lowerings)
        self._of_plain = deque(("", *simplifying()))  # it is priced first
        self._given: deque[str] = deque()
        if self.plain is not None:
            self.begin(self.plain, self.first)

    def begin(self, plain: Candidate, first: Sequence[str]) -> None:
        """Go on with what the plain candidate is needed for."""
        self.plain, self.first = plain, first
        self._seen.add(plain.digest)
        self._made[plain.spec] = plain.module
        self._open(plain)
        self._given = deque(spec for spec in first if not self.space.general and spec != plain.spec)

    def __iter__(self) -> "Frontier":
        return self

    def __next__(self) -> Step:
        kinds = (self._next_own, self._next_lowering, self._next_rewrite) if self.plain is not None else ()
        found = self._next_given() if self.plain is not None else self._next_early()
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
        if not step.spec:
            return  # what it was made of is known
        is_own = self._is_own(whole)
        if is_own and made.module is None:
            self._own.clear()  # Inductor has no more
        if made.module is not None:
            begun = {spec for spec, _ in self._begun}
            self._lowerings.extend(spec for spec in needing(whole) if spec not in begun)
        self._remember(whole, made)
        for candidate in self.space.found(whole, step, made, self._seen):
            if is_own:
                self.own.append(candidate)
            elif whole not in self.first or len(parts(whole)) == 1:
                self._open(candidate)
            yield candidate

    @property
    def owed(self) -> bool:
        """Whether a pipeline in `first` is being made."""
        begun = {whole for whole, _ in self._begun}
        return any(spec in begun and spec not in self._made for spec in self.first)

    def _open(self, candidate: Candidate) -> None:
        """Have a candidate made longer, once it is its turn."""
        if len(candidate.passes) - 1 < MOST_REWRITES:
            self._parents.append(candidate)

    def _remember(self, whole: str, made: Made) -> None:
        """What was made, for pipelines that go on from it."""
        simplified = {",".join((whole, *made.simplified)): made.module}
        for spec, module in (simplified | {whole: made.unsimplified or made.module}).items():
            self._made[spec] = self.space.fitted(module) if module is not None else None

    def _is_own(self, whole: str) -> bool:
        return whole.startswith(f"{PLAIN}{{{explored(PLAIN).choice}=")

    def _next_early(self) -> tuple[str, Step] | None:
        """The plain lowering, to be simplified on its own account, and lowerings that need not wait for it."""
        if not self._begun:
            return PLAIN, Step(self.space.bare, PLAIN, priced=False)
        return self._begin_lowering(self._early.popleft()) if self._early else None

    def _next_given(self) -> tuple[str, Step] | None:
        """Price and simplify the plain candidate, then go on with a pipeline that is given, unless it waits for its
        lowering."""
        assert self.plain is not None
        if self._of_plain:
            spec = self._of_plain.popleft()
            return ",".join(filter(None, (self.plain.spec, spec))), Step(self.plain.module, spec)
        begun = {whole for whole, _ in self._begun}
        for spec in list(self._given):
            lowering = parts(spec)[0]
            if lowering in self._made:
                self._given.remove(spec)
                if (found := self._onward(spec)) is not None:
                    return found
            elif explored(lowering).phase is not Phase.LOWERING or self._may_be_whole(spec, begun):
                self._given.remove(spec)
                return self._from(deque([spec]), simplify=False)
            elif lowering not in begun:
                return self._begin_lowering(lowering)
        return None

    def _may_be_whole(self, spec: str, begun: Collection[str]) -> bool:
        """Whether a pipeline is the first of its lowering, which is not begun: others go on from what lowers alone."""
        lowering, *others = parts(spec)
        return bool(others) and not any(f"{whole},".startswith(f"{lowering},") for whole in begun)

    def _begin_lowering(self, spec: str) -> tuple[str, Step] | None:
        """A lowering before it is its turn."""
        for due in (self._own, self._lowerings):
            if spec in due:
                due.remove(spec)
        return self._from(deque([spec]), simplify=not self._is_own(spec))

    def _onward(self, spec: str) -> tuple[str, Step] | None:
        """The step from the longest part of a pipeline that is made to its end; None where there is no way."""
        passes = parts(spec)
        for length in range(len(passes), 0, -1):
            begun = ",".join(passes[:length])
            if begun in self._made:
                module, rest = self._made[begun], ",".join(passes[length:])
                return (spec, Step(module, rest)) if module is not None and rest else None
        return None

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
