"""What a draw of a kind is mixed from, such as the numbers that a program names."""

import math
from collections.abc import Sequence
from typing import Any

import torch

from kernelwright.evaluation.inputs.contract import Contract
from kernelwright.evaluation.inputs.draws import COLUMNS, FAR_OUT, NAMED, SPECIAL_CASES, STRUCTURED, Draw
from kernelwright.evaluation.inputs.kinds.lines import COLUMN_KINDS, ORDERS, ROWS
from kernelwright.evaluation.inputs.kinds.near import SPECIAL
from kernelwright.evaluation.inputs.kinds.spikes import SPIKE, SPIKES
from kernelwright.evaluation.inputs.patchwork.rows import OF_ROWS, SHAPES
from kernelwright.evaluation.inputs.patterns import DEGENERATE, PATTERNS

#: Sums of squares of larger numbers overflow.
_LARGEST_SUMMED = 1e16
#: Of so many steps from 0 to 1 the halves are drawn around as well, if a program names their number.
_STEPS_OF_ONE = (2.0, 4.0, 8.0, 10.0, 16.0)


def parts_of(draw: Draw, contract: Contract) -> tuple[Any, ...]:
    """The parts of a draw of a kind that is mixed; nothing for others."""
    halves = [half / number for number in contract.numbers if number in _STEPS_OF_ONE for half in (0.5, 1.5)]
    parts: dict[str, tuple[Any, ...]] = {"rows": tuple(ROWS), COLUMNS: COLUMN_KINDS, "nan": (True, False)}
    named = contract.numbers
    parts["literals"] = (*named, *SPECIAL, *halves, *draw.numbers, *_roots(named))
    parts["infinite"] = (-math.inf, math.inf)
    parts |= {kind: (size,) for kind, size in FAR_OUT.items()} | dict.fromkeys(OF_ROWS, tuple(SHAPES))
    parts[SPIKES] = (SPIKE,)
    around = tuple(number for number in draw.numbers if contract.elementwise or number <= _LARGEST_SUMMED)
    parts |= {STRUCTURED: tuple(PATTERNS), SPECIAL_CASES: tuple(DEGENERATE), "orders": tuple(ORDERS), NAMED: around}
    return parts.get(draw.kind, ())


def _roots(numbers: Sequence[float]) -> list[float]:
    """Where a square is just a number that a program names."""
    single = torch.tensor([number for number in numbers if 0 < number < _LARGEST_SUMMED], dtype=torch.float32)
    roots = single.sqrt()
    found: list[float] = roots[(roots * roots == single) & (single != 1)].tolist()
    return found
