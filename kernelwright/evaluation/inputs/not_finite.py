"""Inputs on which results are not finite: where infinities and NaN then stand is part of what a program does."""

import math
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

#: The kinds: finite inputs, such as 0 and 100, of which logarithms, quotients and exponentials are infinite; and inputs
#: that hold infinities.
EXTREME, UNBOUNDED = NOT_FINITE = ("extreme", "unbounded")


def extreme(value: Tensor, more: Sequence[float]) -> Tensor:
    """Rows as they were, zeros, rows that hold some of 0, 100 and -100, and rows of 100, of -100, of 1e4 and of `more`
    in turn; those of all inputs lie beside each other. Of one dimension, elements."""
    lines = _lines(value)
    some = torch.tensor([0.0, 100.0, -100.0], dtype=torch.float64, device=value.device)
    places = torch.randint(0, 3, lines.shape, device=value.device)
    mixed = torch.where(torch.rand_like(lines) < 1 / 4, some[places], lines)
    wholes = [torch.full_like(lines, number) for number in (0.0, 100.0, -100.0, 1e4, *more)]
    return _in_turn(value, [lines, wholes[0], mixed, *wholes[1:]])


def unbounded(value: Tensor, names: Sequence[str]) -> Tensor:
    """Rows as they were, and what the names say, in turn. Of one dimension, elements."""
    lines = _lines(value)
    return _in_turn(value, [lines, *(INFINITE_ROWS[name](lines) for name in names)])


def _half(lines: Tensor, number: float) -> Tensor:
    """The first half of each row is infinite, as padding on the left makes it."""
    first = torch.arange(lines.shape[1], device=lines.device) < max(lines.shape[1] // 2, 1)
    return torch.where(first, number, lines)


def _some(lines: Tensor) -> Tensor:
    """Some elements are infinite, each with its sign."""
    return torch.where(torch.rand_like(lines) < 1 / 8, torch.where(lines < 0, -math.inf, math.inf), lines)


#: What rows are made of that hold infinities.
INFINITE_ROWS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "least": lambda lines: torch.full_like(lines, -math.inf),
    "half of the most": lambda lines: _half(lines, math.inf),
    "most": lambda lines: torch.full_like(lines, math.inf),
    "some": _some,
    "half of the least": lambda lines: _half(lines, -math.inf),
}


def _lines(value: Tensor) -> Tensor:
    """An input's rows in fp64."""
    wide = value.double()
    return wide.reshape(-1, wide.shape[-1]) if wide.ndim > 1 else wide.reshape(-1, 1)


def _in_turn(value: Tensor, kinds: Sequence[Tensor]) -> Tensor:
    result = kinds[0].clone()
    for number, one in enumerate(kinds):
        result[number :: len(kinds)] = one[number :: len(kinds)]
    return result.reshape(value.shape)
