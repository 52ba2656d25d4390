"""Whether one of two kernels, or of two sets of kernels, is faster: decided by times that were taken in pairs.

Each pair of times is of two calls that follow one another, so that clocks and temperature are the same for both. Chance
decides which of them comes first: a running model has rhythms, such as buffers that take turns over some calls, and in
a fixed order one side would always have the faster buffers. What counts is the median of the pairs' ratios. Its
interval is that of the order statistics (a sign test turned round), which is exact for whatever distribution the ratios
have. The pairs are looked at a few times while they come, and the looks share the probability of an error.
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

#: Numbers of pairs at which the times are looked at.
LOOKS = (12, 24, 48, 96)
#: With what confidence one of the intervals of all looks holds the true ratio.
CONFIDENCE = 0.99
#: A median below this after half of the looks is given up: no interval that begins above 1 can come of it soon.
HOPELESS = 1.002

#: Microseconds of Inductor's side and of ours, taken one right after the other.
Pair = tuple[float, float]


@dataclass(frozen=True)
class Comparison:
    """Inductor's time over ours: the median of `pairs` ratios, its interval of a confidence, and the medians of both
    times in microseconds."""

    ratio: float
    low: float
    high: float
    pairs: int
    own_us: float
    ours_us: float
    confidence: float = CONFIDENCE

    @property
    def wins(self) -> bool:
        """Whether ours is faster beyond doubt."""
        return self.low > 1.0

    def __str__(self) -> str:
        return f"{self.ratio:.3f}x [{self.low:.3f}, {self.high:.3f}]"

    def told(self) -> dict[str, Any]:
        """As JSON, for a certificate; rounded to four digits after the point, and None for an end without a bound."""
        return {key: round(value, 4) if math.isfinite(value) else None for key, value in asdict(self).items()}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Comparison":
        """What `told` gave."""
        known = {name: math.inf if told[name] is None else told[name] for name in cls.__dataclass_fields__}
        return cls(**dict[str, Any](known))


def compared(take: Callable[[bool], Pair], looks: Sequence[int] = LOOKS, late: Callable[[], bool] = bool) -> Comparison:
    """Compare by pairs that `take` gives; it is told whether ours comes first, which chance decides for each pair.

    Ends at the look that shows one side to be the faster, at one that leaves no hope, at the last one, and once the
    time is over (`late`), but not before the first look.
    """
    pairs: list[Pair] = []
    order = orders()
    for number, look in enumerate(looks):
        while len(pairs) < look and not (number and late()):
            pairs.append(take(next(order)))
        found = replace(summary(pairs, 1 - (1 - CONFIDENCE) / len(looks)), confidence=CONFIDENCE)
        hopeless = 2 * (number + 1) >= len(looks) and found.ratio < HOPELESS
        if found.low > 1 or found.high < 1 or hopeless or late():
            break
    return found


def orders() -> Iterator[bool]:
    """Whether ours comes first, for one pair after another: by chance, which no caller's seed decides."""
    chance = random.Random()
    while True:
        yield chance.random() < 0.5


def summary(pairs: Sequence[Pair], confidence: float) -> Comparison:
    """What pairs say with a confidence; an interval that so few pairs cannot bound ends at 0 or infinity."""
    ratios = sorted(own / ours for own, ours in pairs)
    cut = outside(len(ratios), confidence)
    low, high = (ratios[cut - 1], ratios[-cut]) if cut else (0.0, math.inf)
    sides = [median(pair[side] for pair in pairs) for side in (0, 1)]
    return Comparison(median(ratios), low, high, len(ratios), sides[0], sides[1], confidence)


def outside(count: int, confidence: float) -> int:
    """The largest r for which the r-th smallest and the r-th largest of so many values hold the median with that
    confidence; 0 where there are too few."""
    tail, error, found = 0.0, 1 - confidence, 0
    for rank in range(count // 2):
        tail += math.comb(count, rank) / 2**count
        if 2 * tail > error:
            break
        found = rank + 1
    return found


def largest_that_holds(ranked: Sequence[str], holds: Callable[[Sequence[str]], bool]) -> Sequence[str]:
    """All that is ranked, if that holds; else the better half, if that does, and so on; nothing where none does."""
    kept = ranked
    while kept and not holds(kept):
        kept = kept[: len(kept) // 2]
    return kept
