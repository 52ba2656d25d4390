"""What a search of one kernel is asked for, and the passes that do it."""

from collections.abc import Sequence
from dataclasses import dataclass

from kernelwright.driver.extraction.filling import ANSWER

#: Seconds that a search takes at least and at most. Short ones of many kernels find more than long ones of a few, and
#: what is left of the time is for second searches.
LEAST_S, MOST_S = 5.0, 15.0
#: How many of a search's next fastest are verified and tried in the model beside its best.
RIVALS = 3
#: What a second search has more of than a first one, which ended before its time was over.
WIDE = "width=16,most=96,trials=32"


@dataclass(frozen=True)
class Wanted:
    """A search of so many seconds. `general`: for sizes that may change. `hot`: times are those with all data in the
    cache. `wide`: among more candidates, after a first search."""

    seconds: float
    general: bool = False
    hot: bool = False
    wide: bool = False


def searching(target: str, wanted: Wanted, searchers: int = 0) -> str:
    """The passes that look for a faster kernel, or for one at all where Triton is interpreted, whose times say nothing.
    `searchers`: how many processes make candidates."""
    if target == "interpreter":
        return ANSWER
    options = f"seconds={wanted.seconds:.1f},timed=false,workers={searchers},rivals={RIVALS}"
    options += f",general={str(wanted.general).lower()},cache={'hot' if wanted.hot else 'cold'}"
    return f"search{{{options}{',' + WIDE if wanted.wide else ''}}}"


def share_s(gains: Sequence[float], left_s: float) -> float:
    """The seconds of the first of some searches, by what each could gain, where so many are left for all of them."""
    return min(max(LEAST_S, gains[0] / (sum(gains) or 1.0) * left_s), MOST_S)
