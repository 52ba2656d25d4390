"""Which problems a step works on: new ones in the cursor's order, and some of before, where there is most to learn.

A problem of which all answers are worth the same teaches nothing, neither a solved one nor one out of reach. A share of
each batch is therefore drawn from problems that were worked on before, by the variance of their latest rewards; for
rewards of 0 and 1 that is p (1 - p). This is prioritized level replay (Jiang, Grefenstette, Rocktäschel, 2021) with the
score of sampling for learnability (Rutherford et al., 2024).
"""

import math
import random
import statistics
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from kernelwright.agent.trajectory import Trajectory
from kernelwright.ir.errors import UserError
from kernelwright.rl.data.rows import Cursor


class Curriculum:
    """The problems of each step, as places 0 to `count` - 1: `problems` to a step, a share `replay` of them replayed.

    The batch of step k follows from the seed and from what became of the steps before k - `ahead`, so that as many
    batches may be under way; with 0 it is that of 1, drawn after the step before instead of beside it. Where too few
    problems are worth a replay, new ones take their places.
    """

    def __init__(self, count: int, problems: int, replay: float, seed: int, ahead: int = 0) -> None:
        self._problems, self._replayed, self._seed = problems, round(problems * replay), seed
        self._places = range(count)
        self._new = {0: 0}  # step -> how many new problems the steps before it took
        self._known: dict[int, float] = {}  # place -> variance of rewards, up to the steps that are among the latest
        self._latest: deque[dict[int, float]] = deque()
        self._ahead = max(1, ahead)

    @property
    def _done(self) -> int:
        return min(self._new)

    @cached_property
    def _cursor(self) -> Cursor[int]:
        return Cursor(self._places, 1, self._seed)

    def batch_of(self, step: int) -> list[int]:
        """Places of a step's problems; it is the first that is not recorded yet, or one of the `ahead` after it."""
        known = dict(self._known)
        for latest in list(self._latest)[: max(0, step - self._done + len(self._latest) - self._ahead)]:
            known |= latest
        again = self._drawn(known, step)
        first, new = self._new[step], self._problems - len(again)
        self._new[step + 1] = first + new
        return [*(self._cursor.batch_of(first + offset)[0] for offset in range(new)), *again]

    def spare(self, step: int, batch: Sequence[int], most: int) -> list[int]:
        """Up to so many places that are not in a step's batch, drawn by the seed and the step alone."""
        others = sorted(set(self._places) - set(batch))
        return random.Random(f"{self._seed}/spare/{step}").sample(others, min(most, len(others)))

    def new(self, step: int) -> int:
        """How many of the problems of a step that is not recorded yet are no replayed ones; they are its first."""
        return self._new[step + 1] - self._new[step]

    def _drawn(self, known: Mapping[int, float], step: int) -> list[int]:
        """Some of the places whose rewards differed, without replacement (Efraimidis and Spirakis, 2006)."""
        draw = random.Random(f"{self._seed}/replay/{step}").random
        keys = {place: math.log(1 - draw()) / value for place, value in sorted(known.items()) if value > 0}
        return sorted(keys, key=lambda place: -keys[place])[: self._replayed]

    def record(self, batch: Sequence[int], trajectories: Sequence[Trajectory]) -> None:
        """What became of the first step that is not recorded yet."""
        rewards: dict[int, list[float]] = {place: [] for place in batch}
        for made in trajectories:
            rewards[batch[made.problem]] += [turn.reward for turn in made.turns if turn.valid]
        self._latest.append({place: statistics.pvariance(some) for place, some in rewards.items() if some})
        if len(self._latest) > self._ahead:
            self._known |= self._latest.popleft()
        del self._new[self._done]

    @property
    def state(self) -> dict[str, Any]:
        """Where it stands, as JSON values; batches that were drawn and not recorded are drawn again."""
        known, *latest = ([[place, value] for place, value in one.items()] for one in (self._known, *self._latest))
        counted = {"problems": len(self._places), "step": self._done, "new": self._new[self._done]}
        return {**counted, "known": known, "latest": latest}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go to where another one stood; UserError where there were more problems, or fewer."""
        if state["problems"] != len(self._places):
            raise UserError(f"the run had {state['problems']} problems, but now there are {len(self._places)}")
        self._new = {int(state["step"]): int(state["new"])}
        self._known, self._latest = dict(state["known"]), deque(map(dict, state["latest"]))
