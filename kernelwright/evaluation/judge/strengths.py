"""Which kinds of inputs candidates are checked with."""

from collections.abc import Callable, Mapping

from kernelwright.evaluation.inputs.draws import (
    ALIKE,
    ALONE,
    COLUMNS,
    EVAL,
    FAR_OUT,
    HIGHEST,
    IMPULSES,
    INFINITE_WEIGHTS,
    LOADED,
    LOWEST,
    ONE,
    OPPOSITES,
    RELATED,
    SAME,
    SPECIAL_CASES,
    STRUCTURED,
    ZERO,
    Draw,
)
from kernelwright.evaluation.inputs.kinds.compared import COMPARED
from kernelwright.evaluation.inputs.kinds.drift import DRIFT
from kernelwright.evaluation.inputs.kinds.numbers import NUMBERS
from kernelwright.evaluation.inputs.kinds.spikes import SPIKES
from kernelwright.evaluation.inputs.kinds.ties import TIES
from kernelwright.evaluation.inputs.not_finite import EXTREME
from kernelwright.evaluation.inputs.patchwork.rows import LEAST, OF_ALL_SIZES, PATCHES

#: By the name of a strength, the kinds of inputs besides those given; the last is the last to be left out where memory
#: is short. `reward` leaves out what seldom finds a fault that other kinds do not.
STRENGTHS: Mapping[str, tuple[str, ...]] = {
    "default": (
        *(EVAL, "rows", "literals", "nan", "negative", "shifted", "small", "large", "unit", "integers", "infinite"),
        *("orders", "offset", COLUMNS, ZERO, ONE, EXTREME, *ALONE, LOWEST, HIGHEST, IMPULSES, SAME, RELATED),
        *(STRUCTURED, SPECIAL_CASES, *PATCHES, *FAR_OUT, ALIKE, OPPOSITES),
        *("huge", "tiny", "minute", LEAST, LOADED, INFINITE_WEIGHTS, DRIFT, NUMBERS, COMPARED, TIES, SPIKES),
        *("vast", "normal"),
    ),
    "reward": (EVAL, "rows", "literals", "nan", "negative", "large", "infinite", ALIKE, OPPOSITES, "normal"),
}
#: Those that are drawn in evaluation mode as well.
_IN_EVALUATION: Mapping[str, tuple[str, ...]] = {
    "default": ("negative", "literals", OF_ALL_SIZES, LOADED),
    "reward": ("negative",),
}
#: The index from which on these have their seeds.
_APART = 1000


def draws_of(strength: str, seeds: int, number: Callable[[int], int]) -> tuple[Draw, ...]:
    """Inputs as given, with the weights as built and then with others; and every other kind of inputs of a strength,
    some of them in evaluation mode. `number` gives the seed of an index."""
    given = [Draw(number(3 * i + 1), weights=number(3 * i + 2) if i else None) for i in range(seeds)]
    others = [
        Draw(number(3 * i + 1), kind, number(3 * i + 2), training=kind != EVAL)
        for i, kind in enumerate(STRENGTHS[strength], seeds)
    ]
    evaluating = [
        Draw(number(3 * i + 1), kind, number(3 * i + 2), training=False)
        for i, kind in enumerate(_IN_EVALUATION[strength], _APART)
    ]
    return (*given, *others[:1], *evaluating, *others[1:])
