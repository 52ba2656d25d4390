"""Inputs that are zero but for one element of each sample, for programs whose outputs are proportional to an input.

Beside a large element small ones drown in rounding, and a term that is left out with them. Alone, an element shows all
that comes of it, however small: nothing is added to it, and nothing cancels.
"""

import torch
from torch import Tensor


def impulses(value: Tensor) -> Tensor:
    """One normal number in each sample, which is a place of the first dimension. In every second sample it is the
    first along all dimensions but the last, from where recurrences and windows reach farthest. Each sample has it in
    another part of its places, so that all together reach everywhere. Signs alternate by two: outputs of which one sign
    is lost are not all zero."""
    result = torch.zeros(value.shape, dtype=torch.float64, device=value.device)
    samples = result.reshape(value.shape[0], -1) if value.ndim > 1 else result.reshape(1, -1)
    count, size = samples.shape
    numbers, parts = torch.arange(count, device=value.device), (count + 1) // 2
    part = torch.randperm(parts, device=value.device)[numbers // 2]  # of every two samples one is at the beginning
    places = ((part + torch.rand(count, device=value.device)) * (size / parts)).long().clamp(max=size - 1)
    beginning = numbers % 2 == int(torch.randint(0, 2, ()))
    last = value.shape[-1] if value.ndim > 2 else 1
    places = torch.where(beginning, places % last, places)
    signs = 1.0 - numbers % 4 // 2 * 2
    sizes = torch.randn(count, dtype=torch.float64, device=value.device).abs()
    samples[numbers, places] = signs * sizes
    return samples.reshape(value.shape)
