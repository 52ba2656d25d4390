"""Inputs on which results are not finite: where infinities and NaN then stand is part of what a program does."""

from collections.abc import Sequence

import torch
from torch import Tensor

#: The kind: finite inputs, such as 0 and 100, of which logarithms, quotients and exponentials are infinite.
EXTREME = "extreme"


def extreme(value: Tensor, more: Sequence[float]) -> Tensor:
    """Rows as they were, zeros, rows that hold some of 0, 100 and -100, and rows of 100, of -100, of 1e4 and of `more`
    in turn; those of all inputs lie beside each other. Of one dimension, elements."""
    lines = lines_of(value.double())
    some = torch.tensor([0.0, 100.0, -100.0], dtype=torch.float64, device=value.device)
    places = torch.randint(0, 3, lines.shape, device=value.device)
    mixed = torch.where(torch.rand_like(lines) < 1 / 4, some[places], lines)
    wholes = [torch.full_like(lines, number) for number in (0.0, 100.0, -100.0, 1e4, *more)]
    kinds = [lines, wholes[0], mixed, *wholes[1:]]
    result = lines.clone()
    for number, one in enumerate(kinds):
        result[number :: len(kinds)] = one[number :: len(kinds)]
    return result.reshape(value.shape)


def lines_of(value: Tensor) -> Tensor:
    """An input's rows; of one dimension, its elements."""
    return value.reshape(-1, value.shape[-1]) if value.ndim > 1 else value.reshape(-1, 1)
