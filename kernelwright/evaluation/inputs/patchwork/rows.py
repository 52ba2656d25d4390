"""Floating inputs of which each row has a shape and a size of its own.

Other kinds of draws have one size and one shape for a whole input, and leave gaps between: rows of twenty numbers
that are not zero, logits of about thirty, a recorded signal. Here both are drawn for each row.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from kernelwright.evaluation.inputs.traits import Trait

#: From which to which size rows are drawn, by kind, each size as likely as ten times it. What is allowed for rounding
#: goes by the largest rows of a draw, so that none has both small and large ones.
FAINT, OF_ALL_SIZES, LOUD = "faint rows", "rows of all sizes", "loud rows"
PATCHES: Mapping[str, tuple[float, float]] = {FAINT: (1e-6, 1.0), OF_ALL_SIZES: (1e-2, 64.0), LOUD: (4.0, 4096.0)}
#: The kind of rows far below what programs add to sizes and clamp them at, and their sizes: their squares are above the
#: smallest numbers.
LEAST, LEAST_SIZES = "least rows", (1e-14, 1e-9)
#: All kinds of rows.
OF_ROWS: Mapping[str, tuple[float, float]] = {**PATCHES, LEAST: LEAST_SIZES}
#: How many times as large rows of fp64 may be.
_DOUBLE = 2.0**20
#: Of one dimension, an input is cut into so many parts, or into fewer if they would be shorter than the second number.
_SEGMENTS, _SHORTEST = 8, 4
#: How many times as large as its row a spike is, and by what share of their size elements differ that are nearly alike.
#: Numbers of fp64 may be more so, as times are.
_SPIKE, _ALIKE, _MORE_ALIKE = 32.0, 2.0**-6, 2.0**-16
#: From which to which power of two the elements of a row spread.
_SPREAD = (-10.0, 3.0)


def few_places(lines: Tensor) -> Tensor:
    """True at random places of each row, at one in a quarter of the rows, else at any number of them, small ones as
    likely; the first or the last place is often among them."""
    (rows, size), device = lines.shape, lines.device
    share = size ** -torch.rand(rows, 1, device=device)
    share[torch.rand(rows, device=device) < 1 / 4] = 0.0
    keys, end = torch.rand(lines.shape, device=device), torch.rand(rows, device=device)
    keys[end < 1 / 3, :1] = -1.0
    keys[end > 2 / 3, -1:] = -1.0
    return (keys < share) & (share > 0) | (keys == keys.amin(-1, keepdim=True))


def some_places(lines: Tensor) -> Tensor:
    """True at few places of each row, or at all others."""
    return few_places(lines) ^ (torch.rand(len(lines), 1, device=lines.device) < 1 / 2)


def signs(shape: Sequence[int], share: float, device: torch.device) -> Tensor:
    """Minus one in a share of places, else one."""
    return 1.0 - 2.0 * (torch.rand(list(shape), device=device) < share).double()


def _of_two_signs(lines: Tensor) -> Tensor:
    """Numbers of one sign at some places, and of the other everywhere else."""
    sign = signs((len(lines), 1), 1 / 2, lines.device)
    return torch.where(some_places(lines), sign, -sign) * lines.abs()


def _along(lines: Tensor) -> Tensor:
    """The places of a row, from 0 to nearly 1."""
    return torch.arange(lines.shape[-1], dtype=torch.float64, device=lines.device) / lines.shape[-1]


def _smooth(lines: Tensor) -> Tensor:
    """A wave or two, that begins anywhere."""
    shape = (len(lines), 1)
    waves = torch.randint(1, 3, shape, device=lines.device)
    return torch.sin(2 * math.pi * (waves * _along(lines) + torch.rand(shape, device=lines.device)))


def _ramp(lines: Tensor) -> Tensor:
    """From one end to the other, up or down."""
    up = torch.rand(len(lines), 1, device=lines.device) < 0.5
    ramp = 2 * _along(lines) - 1 + 1 / lines.shape[-1]
    return torch.where(up, ramp, -ramp) + 0.1 * (torch.rand(len(lines), 1, device=lines.device) - 0.5)


def _stepped(lines: Tensor) -> Tensor:
    """Two numbers, that change at one place."""
    cut = torch.rand(len(lines), 1, device=lines.device) > _along(lines)
    return torch.where(cut, lines[:, :1], lines[:, -1:])


def _levels(lines: Tensor) -> Tensor:
    """Few numbers, each at many places: a row's largest one is so as well."""
    return lines.mul(2).round().div(2).clamp(-1.5, 1.5)


def _spiked(lines: Tensor) -> Tensor:
    """One element far beyond all others, at any place, and often at the first or the last."""
    rows, size = lines.shape
    place = torch.randint(0, size, (rows,), device=lines.device)
    end = torch.randint(0, 4, (rows,), device=lines.device)
    place = torch.where(end == 0, 0, torch.where(end == 1, size - 1, place))
    spike = torch.nn.functional.one_hot(place, size).bool()
    sign = signs((rows, 1), 1 / 2, lines.device)
    return torch.where(spike, sign * _SPIKE, lines)


def _spread(lines: Tensor) -> Tensor:
    """Each element of a size of its own."""
    low, high = _SPREAD
    power = low + (high - low) * torch.rand_like(lines)
    return lines.sign() * 2.0**power


def _alike(lines: Tensor) -> Tensor:
    """Numbers that are nearly the same."""
    sign = signs((len(lines), 1), 1 / 2, lines.device)
    return sign * (1.0 + _ALIKE * lines)


def _again(lines: Tensor) -> Tensor:
    """The same as the row before, in every second row."""
    result = lines.clone()
    result[1::2] = lines[: len(lines) - 1 : 2]
    return result


#: What shapes rows have, of the size of 1.
SHAPES: Mapping[str, Callable[[Tensor], Tensor]] = {
    "full": torch.Tensor.clone,
    "few": lambda lines: torch.where(few_places(lines), lines, 0.0),
    "sparse": lambda lines: torch.where(some_places(lines), lines, 0.0),
    "of two signs": _of_two_signs,
    "smooth": _smooth,
    "ramp": _ramp,
    "stepped": _stepped,
    "levels": _levels,
    "spiked": _spiked,
    "spread": _spread,
    "alike": _alike,
}


def patched(value: Tensor, names: Sequence[str], sizes: tuple[float, float]) -> Tensor:
    """Rows of shapes that `names` has and of sizes between two; one pair of neighbours in eight is the same row.

    A number alone in its tensor, such as a step, becomes no smaller: little would be left in `1 - 0.9**step`."""
    if value.numel() == 1 and sizes[1] <= 1:
        return value.double()
    lines, restore = _lines(value.double())
    double = value.dtype == torch.float64
    order = torch.randperm(len(names), device=value.device)
    kind = order[torch.arange(len(lines), device=value.device) % len(names)]
    base = torch.randn_like(lines)
    result = base.clone()
    for number, name in enumerate(names):
        rows = (kind == number).nonzero().flatten()
        result[rows] = SHAPES[name](base[rows])
    low, high = (math.log(size) for size in sizes)
    high += math.log(_DOUBLE) if double else 0.0
    share = torch.rand(len(lines), 1, dtype=torch.float64, device=value.device)
    share += torch.randperm(len(lines), device=value.device)[:, None]  # sizes lie as far apart as they can
    size = torch.exp(low + (high - low) * share / max(1, len(lines)))
    if double and "alike" in names:
        nearer = torch.rand(len(lines), 1, device=value.device) < 1 / 8
        result = torch.where(nearer, 1.0 + _MORE_ALIKE * base, result)
    result = result * size
    same = torch.rand(-(-len(lines) // 2), 1, device=value.device).repeat_interleave(2, 0)[: len(lines)] < 1 / 8
    return restore(torch.where(same, _again(result), result))


def within(value: Tensor, trait: Trait) -> Tensor:
    """Numbers above zero where an input has no others, and below one where it has none above."""
    if trait.low < 0:
        return value
    return value.abs() / (1.0 + value.abs()) if trait.high <= 1 else value.abs()


def _lines(value: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """An input as rows, and what makes the input of them again: along its last dimension, along its last ones together
    as a picture has them, or along its second one."""
    if value.ndim < 2:
        return segments(value), lambda lines: lines.reshape(value.shape)
    way = int(torch.randint(0, 2 * (value.ndim - 1), ()))
    if value.ndim > 2 and way == 0:
        turned = value.movedim(1, -1)
        return turned.reshape(-1, turned.shape[-1]), lambda lines: lines.reshape(turned.shape).movedim(-1, 1)
    first = way if 0 < way < value.ndim else value.ndim - 1
    return value.flatten(first).flatten(0, first - 1), lambda lines: lines.reshape(value.shape)


def segments(value: Tensor) -> Tensor:
    """What has one dimension as rows, of at least a few elements each; as one row where no number of them fits."""
    count = next((n for n in range(_SEGMENTS, 1, -1) if value.numel() % n == 0), 1)
    return value.reshape(count if value.numel() >= count * _SHORTEST else 1, -1)
