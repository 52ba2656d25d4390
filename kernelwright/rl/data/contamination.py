"""Keeps evaluation problems out of training data: by normal form, by what is computed, and by near-duplicates."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from kernelwright.ir.errors import UserError
from kernelwright.rl.data.normal_form import normal_digest, shingles
from kernelwright.rl.data.rows import Problem

#: One normal form in so many is held out of the generated programs that are learnt from.
HELD_OUT_FORMS = 5
#: Jaccard similarity of shingles from which on two programs count as one.
SIMILARITY = 0.8


class _Sourced(Protocol):
    @property
    def source(self) -> str: ...


_Program = TypeVar("_Program", bound=_Sourced)


@dataclass(frozen=True)
class Match:
    """The evaluation problem that a text repeats; `similarity` is 1 for an equal normal form or computation."""

    id: str
    similarity: float


@dataclass(frozen=True)
class Decontaminated:
    """Rows that repeat nothing, and those that do, each with what it repeats."""

    kept: tuple[Problem, ...]
    dropped: tuple[tuple[Problem, Match], ...]


class Screen:
    """Finds the problem that a text is a copy of.

    A copy has the same normal form without sizes (names, comments and sizes may differ, see `normal_form`), computes
    the same, or shares at least `similarity` of its shingles with the problem: |both| / |either|. `computed` gives what
    a text computes, None where that is not known; without it texts alone are compared.
    """

    def __init__(
        self,
        against: Iterable[Problem],
        similarity: float = SIMILARITY,
        computed: Callable[[str], str | None] = lambda _source: None,
    ) -> None:
        if not 0 < similarity <= 1:
            raise UserError(f"similarity={similarity}: give a number above 0 and up to 1")
        self.similarity, self._computed = similarity, computed
        self._digests: dict[str, str] = {}
        self._computations: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        self._holders: dict[str, list[str]] = {}
        for problem in against:
            self._add(problem)

    def _add(self, problem: Problem) -> None:
        self._digests.setdefault(normal_digest(problem.source), problem.id)
        if (computation := self._computed(problem.source)) is not None:
            self._computations.setdefault(computation, problem.id)
        found = shingles(problem.source)
        self._sizes[problem.id] = len(found)
        for shingle in found:
            self._holders.setdefault(shingle, []).append(problem.id)

    def match(self, source: str) -> Match | None:
        """The problem that the text repeats, the most similar one; None where there is none."""
        known = self._digests.get(normal_digest(source))
        if known is None and (computation := self._computed(source)) is not None:
            known = self._computations.get(computation)
        if known is not None:
            return Match(known, 1.0)
        found = shingles(source)
        shared = Counter(name for shingle in found for name in self._holders.get(shingle, ()))
        alike = [(both / (len(found) + self._sizes[name] - both), name) for name, both in shared.items()]
        best, name = max(alike, default=(0.0, ""))
        return Match(name, round(best, 4)) if best >= self.similarity else None


def form_is_held_out(source: str) -> bool:
    """Whether generated programs of this normal form (without sizes) are for measuring alone.

    The form's digest decides, so that every run leaves the same ones out, and what is measured with is a sample of
    what is learnt from: frequent forms are on both sides.
    """
    return int(normal_digest(source), 16) % HELD_OUT_FORMS == 0


def first_of_held_out_forms(programs: Iterable[_Program]) -> Iterator[_Program]:
    """The programs to measure with, each the first of its held-out form: how often one is drawn does not count."""
    seen: set[str] = set()
    for program in programs:
        form = normal_digest(program.source)
        if form not in seen and form_is_held_out(program.source):
            seen.add(form)
            yield program


def decontaminate(
    rows: Iterable[Problem], against: Iterable[Problem], similarity: float = SIMILARITY
) -> Decontaminated:
    """Drop the rows that repeat a problem of `against`."""
    screen = Screen(against, similarity)
    kept: list[Problem] = []
    dropped: list[tuple[Problem, Match]] = []
    for row in rows:
        match = screen.match(row.source)
        if match is None:
            kept.append(row)
        else:
            dropped.append((row, match))
    return Decontaminated(tuple(kept), tuple(dropped))
