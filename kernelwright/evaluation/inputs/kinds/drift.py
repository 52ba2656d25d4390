"""Inputs whose rows rise or fall slowly and far: steps are small, and add up to more than exponentials in fp32 hold.

A running maximum that follows none of the small steps is wrong in the end.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from kernelwright.backend.tensors import Value, copy_of
from kernelwright.evaluation.inputs.kinds.free import is_free

#: The kind; and how far from zero rows begin and end: exponentials of twice as much overflow.
DRIFT, _FAR = "drift", 66.0
#: How rows of one input rise, in turn.
_SLOPES = (1.0, 0.8, -1.0)


def drifting(values: Sequence[Value], bound: Sequence[bool]) -> list[Value] | None:
    """Inputs of which rows drift. Of several with rows as wide, as attention has them, products of two rows drift along
    either; None where no input can. Those that are `bound` stay as they are."""
    free = [
        place for place, value in enumerate(values) if not bound[place] and is_free(value) and value.shape[-1:] > (1,)
    ]
    result = list(values)
    for place in free:
        value = result[place]
        assert isinstance(value, Tensor)
        others = [one for at in free if at != place and isinstance(one := values[at], Tensor)]
        if value.ndim > 1 and _are_multiplied(value, others):
            result[place] = copy_of(value).copy_(_in_one_direction(value))
        elif place == free[0]:
            result[place] = copy_of(value).copy_(_along(value))
    return result if free else None


def _are_multiplied(value: Tensor, others: Sequence[Tensor]) -> bool:
    """Whether rows are as wide as those of another input; two inputs of one shape are more often added."""
    wide = [one for one in others if one.ndim > 1 and one.shape[-1] == value.shape[-1]]
    return len(wide) > 1 or any(one.shape != value.shape for one in wide)


def _rising(size: int, like: Tensor) -> Tensor:
    return torch.linspace(-1, 1, size, dtype=torch.float64, device=like.device)


def _along(value: Tensor) -> Tensor:
    lines = value.double().reshape(-1, value.shape[-1])
    slopes = torch.tensor(_SLOPES, dtype=torch.float64, device=value.device)
    slope = slopes[torch.arange(len(lines), device=value.device) % len(slopes), None]
    return (_FAR * slope * _rising(value.shape[-1], lines) + 0.01 * lines).reshape(value.shape)


def _in_one_direction(value: Tensor) -> Tensor:
    """Rows that differ by a factor, which rises from row to row; the end of that if there is one row."""
    size, rows = value.shape[-1], value.shape[-2]
    factor = _rising(max(2, rows), value)[-rows:, None] * math.sqrt(_FAR * math.sqrt(size)) / math.sqrt(size)
    return factor + 0.01 * value.double()
