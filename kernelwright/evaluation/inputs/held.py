"""Numbers that a model holds in its parameters and buffers, as thresholds and edges are."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from kernelwright.backend.tensors import Value, copy_of, each_once

#: Tensors of a model with at most so many elements may be thresholds of any element.
_FEW = 32


def held_numbers(model: nn.Module) -> tuple[float, ...]:
    """Numbers that a model holds in small tensors."""
    small = [one for one in model.state_dict().values() if one.is_floating_point() and one.numel() <= _FEW]
    finite = [float(number) for one in small for number in one.flatten().tolist() if math.isfinite(number)]
    return tuple(dict.fromkeys(finite))[:_FEW]


def at_thresholds(values: Sequence[Value], model: nn.Module) -> list[Value]:
    """Inputs of which a sixteenth of the elements is what the model holds for their column, or its negative."""
    state = [one for one in model.state_dict().values() if one.is_floating_point()]
    lines = {len(one): one for one in state if one.ndim == 1 and one.numel() > 1}

    def fits(value: Value) -> bool:
        return isinstance(value, Tensor) and value.is_floating_point() and value.ndim > 0 and value.shape[-1] in lines

    return [_at(one, lines[one.shape[-1]]) if isinstance(one, Tensor) and fits(one) else one for one in values]


def _at(value: Tensor, line: Tensor) -> Tensor:
    """A tensor with some elements of a line; one whose elements share memory stays as it is."""
    result = copy_of(value)
    once = each_once(result)
    if once.shape == value.shape:
        signs = torch.where(torch.rand_like(once, dtype=torch.float32) < 0.5, -1.0, 1.0)
        here = torch.rand_like(once, dtype=torch.float32) < 1 / 16
        once.copy_(torch.where(here, line.to(once) * signs.to(once.dtype), once))
    return result
