"""The candidates of a search on a GPU, as children make them: the plain lowering, and beside it what needs it not."""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import cast

from kernelwright.ir.values import KernelModule
from kernelwright.midend.search.frontier import Frontier
from kernelwright.midend.search.making import Makers
from kernelwright.midend.search.space import PLAIN, Candidate, Made, Space


@dataclass
class Supply:
    """Has candidates made, and gives them as they come: first the `plain` one, then all others by `candidates`.

    While the plain lowering is made, so are those in `early`, other lowerings. `score` is a time, by which some are
    made longer. Close it before its children do anything else.
    """

    space: Space
    makers: Makers
    score: Callable[[KernelModule], float]
    width: int
    early: Sequence[str] = ()
    _frontier: Frontier | None = None
    _coming: "Generator[tuple[int, Made]] | None" = None
    _held: list[tuple[int, Made]] = field(default_factory=list)

    def plain(self) -> Candidate:
        """The module's own kernels, else the plain lowering: by a child, or here where that fails, as it does without
        shapes alone. Raises what the lowering raises."""
        if self.space.module.launcher is not None:
            return self.space.plain()
        for number, made in self._begin(Frontier(self.space, None, self.score, self.width, early=self.early)):
            if number == 0 and made.module is not None:
                self.space.made += 1
                return Candidate(PLAIN, self.space.fitted(made.module))
            if number == 0:
                break
            self._held.append((number, made))
        return self.space.plain()

    def candidates(self, plain: Candidate, first: Sequence[str]) -> Iterator[Candidate]:
        """All others, those that pipelines in `first` make before what is not begun yet."""
        if self._frontier is not None and self._coming is not None:
            self._frontier.begin(plain, first)
            coming = self._coming
        else:
            coming = self._begin(Frontier(self.space, plain, self.score, self.width, first))
        assert self._frontier is not None
        for number, made in chain(self._held, coming):
            yield from self._frontier.came(number, made)

    @property
    def own(self) -> Sequence[Candidate]:
        """Of the candidates the plain ones with launch options that Inductor would measure."""
        return self._frontier.own if self._frontier is not None else ()

    @property
    def owed(self) -> bool:
        """Whether what was to come first is being made."""
        return self._frontier is not None and self._frontier.owed

    def close(self) -> None:
        """What is being made is not wanted any more; idempotent."""
        if self._coming is not None:
            self._coming.close()

    def _begin(self, frontier: Frontier) -> Generator[tuple[int, Made]]:
        self._frontier = frontier
        self._coming = cast("Generator[tuple[int, Made]]", self.makers.making(self.space.fitted)(frontier))
        return self._coming
