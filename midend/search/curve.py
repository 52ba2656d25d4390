"""How a search came to its best: after how many seconds and evaluations which time was reached."""

import math
import time
from dataclasses import dataclass, field


@dataclass
class Curve:
    """The best so far, by seconds since the search began and by evaluations: measured on a GPU, else judged."""

    began: float = field(default_factory=time.monotonic)
    evaluations: int = 0
    points: list[tuple[float, int, float]] = field(default_factory=list)

    def add(self, us: float) -> None:
        """One more evaluation, and its microseconds: infinite where it has none."""
        self.evaluations += 1
        if us < (self.points[-1][2] if self.points else math.inf):
            self.points.append((time.monotonic() - self.began, self.evaluations, us))

    def told(self) -> list[list[float]]:
        """For notes: seconds, evaluations and microseconds of each step down."""
        return [[round(seconds, 2), evaluations, round(us, 3)] for seconds, evaluations, us in self.points]
