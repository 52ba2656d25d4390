"""Elements that are infinite or NaN."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def infinite(value: Tensor, signs: Sequence[float]) -> Tensor:
    """Some elements are infinite, but none that is the first along a dimension: a running maximum that starts from
    -inf, as in online softmax, is a number after its first step. See `padded` for where it is not."""
    chosen = torch.rand(value.shape, device=value.device) < 1 / 16
    for dimension, size in enumerate(value.shape):
        if size > 1:
            chosen.narrow(dimension, 0, 1).fill_(False)
    return torch.where(chosen, any_of(signs, value), value.double())


def padded(value: Tensor) -> Tensor:
    """Every fourth row begins with -inf, up to its middle, as masks for padding on the left make it, and every fourth
    ends with -inf from there on; so do lines along the second of several dimensions."""
    size = value.shape[-1] if value.ndim > 1 else 0
    if size < 2:
        return value
    lines = value.reshape(-1, size).clone()
    lines[1::4, : size // 2] = -math.inf
    lines[3::4, -(size // 2) :] = -math.inf
    result = lines.reshape(value.shape)
    if value.ndim > 2 and value.shape[1] > 1:
        half = value.shape[1] // 2
        result[:, :half, ..., 1::8] = result[:, -half:, ..., 3::8] = -math.inf
    return result


def not_numbers(value: Tensor, rows: Sequence[bool]) -> Tensor:
    """Some elements are NaN, and all of every fourth row if `rows` says so."""
    result = torch.where(torch.rand(value.shape, device=value.device) < 1 / 16, torch.nan, value.double())
    if any(rows) and result.ndim > 1:
        result.reshape(-1, result.shape[-1])[1::4] = torch.nan
    return result


def any_of(numbers: Sequence[float], like: Tensor) -> Tensor:
    given = torch.tensor(list(numbers), dtype=torch.float64, device=like.device)
    return given[torch.randint(0, len(given), like.shape, device=like.device)]
