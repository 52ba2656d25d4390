"""Infinities among weights and saved buffers: they hide keys, switch units off, and are bounds that are none."""

import copy
import math

import torch
from torch import Tensor, nn

from kernelwright.backend.tensors import Value, each_once
from kernelwright.evaluation.inputs.trial import REFUSALS, Trial
from kernelwright.evaluation.protocol.tensors import same_bits

#: Of so many tensors of a model at most some elements become infinite, of vectors and saved buffers first.
_MOST = 12


def put_infinities(trial: Trial, model: nn.Module, inputs: list[Value]) -> bool:
    """Put infinities into tensors of a model, in place, where outputs stay numbers; whether there are any then."""
    found, hidden = False, tuple[float, ...]()
    with torch.no_grad():
        for tensor in _tensors(trial, model, inputs):
            for number in (-math.inf, math.inf):
                before = tensor.clone()
                tensor.copy_(torch.where(_places(tensor, number), number, tensor))
                # What -inf hides may be -inf in the end, as the logarithm of a share is that is zero.
                more = (number,) if number < 0 else hidden
                if trial.takes_plainly(model, inputs, more):
                    found, hidden = True, more
                else:
                    tensor.copy_(before)
    return found


def _tensors(trial: Trial, model: nn.Module, inputs: list[Value]) -> list[Tensor]:
    """The tensors to try, without those that a call changes, and without masks."""
    own = copy.deepcopy(model)
    try:
        trial.program.run(own, inputs)
    except REFUSALS:
        return []
    left, found = own.state_dict(), list[Tensor]()
    for name, tensor in model.state_dict(keep_vars=True).items():
        alike = left[name].shape == tensor.shape and same_bits(left[name], tensor)
        mask = not tensor.requires_grad and torch.unique(tensor).numel() == 2
        if tensor.is_floating_point() and tensor.numel() and alike and not mask:
            found.append(tensor)
    found = list(dict.fromkeys(found))
    return [each_once(one) for one in sorted(found, key=lambda one: one.requires_grad and one.ndim > 1)[:_MOST]]


def _places(tensor: Tensor, number: float) -> Tensor:
    """Where an infinity goes. Of a vector, -inf to its first half. Of two rows in four, to the first half and to the
    last half, as masks have it, which leave something of each row. The other infinity goes to some of other places.
    What is sorted stays so."""
    size = tensor.shape[-1] if tensor.ndim else 1
    if size < 2:
        return torch.ones_like(tensor, dtype=torch.bool)
    if bool((tensor.diff(dim=-1) > 0).all()):
        end = 0 if number < 0 else size - 1
        return (torch.arange(size, device=tensor.device) == end).expand(tensor.shape)
    lines = tensor.reshape(-1, size)
    place, row = torch.arange(size, device=tensor.device), torch.arange(len(lines), device=tensor.device)[:, None]
    kind = row % 4 if len(lines) > 1 else row + 1
    if number < 0:
        first, last = (kind == 1) & (place < size // 2), (kind == 3) & (place >= size - size // 2)
        return (first | last).reshape(tensor.shape)
    free = (kind % 2 == 0) | ((kind == 1) & (place >= size // 2))
    some = torch.rand(lines.shape, device=tensor.device) < 1 / 4
    some[:, -1] = True
    return (free & some).reshape(tensor.shape)
