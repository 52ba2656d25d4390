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
    """Inputs of which a sixteenth of the elements is what the model holds for their column, or its negative; where it
    holds nothing for columns, any numbers of its buffers."""
    state = [one for one in model.state_dict(keep_vars=True).values() if one.is_floating_point() and one.numel() > 1]
    columns: dict[int, list[Tensor]] = {}
    for one in state:
        columns.setdefault(one.shape[-1], []).append(one.detach().reshape(-1, one.shape[-1]))
    buffers = [one.flatten() for one in state if not one.requires_grad]

    def changed(value: Value) -> Value:
        if not (isinstance(value, Tensor) and value.is_floating_point() and value.ndim):
            return value
        if value.shape[-1] in columns:
            table = torch.cat(columns[value.shape[-1]])
            rows = torch.randint(0, len(table), value.shape, device=table.device)
            return _at(value, table[rows, torch.arange(value.shape[-1], device=table.device)])
        if not buffers:
            return value
        table = torch.cat(buffers)
        return _at(value, table[torch.randint(0, len(table), value.shape, device=table.device)])

    return [changed(value) for value in values]


def _at(value: Tensor, other: Tensor) -> Tensor:
    """A tensor with some elements of another one; one whose elements share memory stays as it is."""
    result = copy_of(value)
    once = each_once(result)
    if once.shape == value.shape:
        signs = torch.where(torch.rand_like(once, dtype=torch.float32) < 0.5, -1.0, 1.0)
        here = torch.rand_like(once, dtype=torch.float32) < 1 / 16
        once.copy_(torch.where(here, other.to(once) * signs.to(once.dtype), once))
    return result
