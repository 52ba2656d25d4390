"""Rows and matrices with a structure that random numbers never have."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

#: After how many elements a periodic row repeats.
_PERIOD = 8


def _mirrored(value: Tensor) -> Tensor:
    first_half = torch.arange(value.shape[-1], device=value.device) < value.shape[-1] / 2
    return torch.where(first_half, value, value.flip(-1))


def _periodic(value: Tensor) -> Tensor:
    return value[..., torch.arange(value.shape[-1], device=value.device) % _PERIOD]


#: What may be made of a row besides `draws.ROWS`: the same from both ends, repeating, pixels of 8 bits, and numbers of
#: bf16.
PATTERNS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "mirrored": _mirrored,
    "periodic": _periodic,
    "pixels": lambda value: value.sigmoid().mul(255).round().div(255),
    "narrow": lambda value: value.to(torch.bfloat16).to(value.dtype),
}


def is_square(shape: Sequence[int]) -> bool:
    """Whether the last two of several dimensions are those of square matrices, larger than one element."""
    return len(shape) > 1 and shape[-1] == shape[-2] > 1


def _units(value: Tensor) -> Tensor:
    """Unit matrices where matrices are square, else unit vectors along the axes in turn."""
    lines = torch.zeros(value.shape, dtype=value.dtype, device=value.device).reshape(-1, value.shape[-1])
    places = torch.arange(len(lines), device=value.device) % value.shape[-1]
    return lines.scatter_(1, places[:, None], 1.0).reshape(value.shape)


def _chains(value: Tensor) -> Tensor:
    """Square matrices with a diagonal of ones and minus a half on both sides: positive definite, hard to invert."""
    if not is_square(value.shape):
        return value
    one = torch.eye(value.shape[-1], dtype=value.dtype, device=value.device)
    return (one - 0.5 * (one.roll(1, 0).tril() + one.roll(1, 0).tril().mT)).expand(value.shape)


def _same_along(value: Tensor) -> Tensor:
    """What lies along the second dimension is all the same."""
    return value[:, :1].expand(value.shape) if value.ndim > 2 else value


#: What inputs that a program checks may be all the same: a unit, nearly singular, or equal to each other.
DEGENERATE: Mapping[str, Callable[[Tensor], Tensor]] = {"units": _units, "chains": _chains, "equal": _same_along}


def degenerate(value: Tensor, names: Sequence[str]) -> Tensor:
    """Each place of the first dimension of several is what the names say in turn."""
    result = value.double()
    if value.ndim > 1 and value.shape[-1]:
        made = [DEGENERATE[name](result) for name in names]
        result = result.clone()
        for number, one in enumerate(made):
            result[number :: len(names)] = one[number :: len(names)]
    return result
