"""Saved buffers that hold what they never begin with: a file may put zeros, negative numbers and any order there."""

import copy
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from kernelwright.backend.tensors import Value, each_once
from kernelwright.evaluation.inputs.traits import find_traits, is_integer
from kernelwright.evaluation.inputs.trial import REFUSALS, Trial
from kernelwright.evaluation.inputs.uses import PlacesWatch
from kernelwright.evaluation.inputs.weights import follows_from_code
from kernelwright.evaluation.protocol.tensors import same_bits

#: How often a model is run at most to find what it takes.
_MOST_TRIALS = 24
#: What norms count their batches in.
_BATCHES = "num_batches_tracked"
#: By what numbers that stand alone are multiplied, and how far integers lie from zero.
_ALONE, _WHOLE = (-64.0, -1.0, 0.0), (40, 3)
#: By what elements are multiplied, in turn.
_MIXED, _ZEROS, _SIGNED = (0.0, -1.0, 1.0, -2.0), (0.0, 1.0, 1.0, 1.0), (-1.0, 1.0)


def load(trial: Trial, model: nn.Module, inputs: list[Value]) -> bool:
    """Change saved buffers in place as far as the program takes it, each by itself if not all together; whether any
    is changed then."""
    with torch.no_grad():
        versions = [(tensor, made) for tensor, made in _versions(model, inputs, trial) if made]
        before = [tensor.clone() for tensor, _ in versions]
        for tensor, made in versions:
            tensor.copy_(made[0])
        if not versions or trial.steady(model, inputs, 0):
            return bool(versions)
        for (tensor, _), old in zip(versions, before, strict=True):
            tensor.copy_(old)
        left, found = _MOST_TRIALS, False
        for (tensor, made), old in zip(versions, before, strict=True):
            for one in made[: max(0, left)]:
                left -= 1
                tensor.copy_(one)
                if trial.steady(model, inputs, 0):
                    found = True
                    break
                tensor.copy_(old)
    return found


def _versions(model: nn.Module, inputs: list[Value], trial: Trial) -> Iterator[tuple[Tensor, list[Tensor]]]:
    """Saved buffers and what each may become, most first."""
    parameters = set(model.parameters())
    state = model.state_dict(keep_vars=True)
    saved = {one: name for name, one in state.items() if one not in parameters and not name.endswith(_BATCHES)}
    own = copy.deepcopy(model)
    given = own.state_dict(keep_vars=True)
    with PlacesWatch({number: given[name] for number, name in enumerate(saved.values())}) as watch:
        try:
            trial.program.run(own, inputs)
        except REFUSALS:
            return
    left = own.state_dict()
    for number, (tensor, name) in enumerate(saved.items()):
        places = number in watch.used - watch.others
        once = each_once(tensor)
        counts = is_integer(tensor) and not same_bits(left[name], tensor)  # nobody counts from below zero
        if once.numel() and not once.is_complex() and not counts:
            yield once, _whole(once) if is_integer(once) and not places else _floating(once, watch.searches)


def _whole(tensor: Tensor) -> list[Tensor]:
    """Negative integers too; not in tables that are in order, which say where parts begin."""
    trait = find_traits([[tensor]])[0]
    if torch.iinfo(tensor.dtype).min == 0 or trait.kept:
        return []
    if bool((tensor == tensor.flatten()[0]).all()):
        if tensor.numel() == 1:
            return [torch.full_like(tensor, -number) for number in (7, 1)]
        return [torch.randint_like(tensor, -most, most + 1) for most in _WHOLE]
    return [tensor * _in_turn(tensor, _SIGNED)]


def _floating(tensor: Tensor, searches: bool) -> list[Tensor]:
    alike = bool((tensor == tensor.flatten()[0]).all())
    if is_integer(tensor) or (tensor.dtype == torch.bool and alike):
        return []
    if not alike and torch.unique(tensor).numel() == 2:
        return [] if follows_from_code(tensor) else [_mask(tensor)]
    if tensor.numel() < 3:
        return [(tensor * number).round() for number in _ALONE]
    trait = find_traits([[tensor]])[0]
    if trait.ordered and searches:
        return []
    order = torch.randperm(tensor.numel(), device=tensor.device)
    some = tensor.flatten()[order].reshape(tensor.shape) if trait.ordered else tensor
    if alike or bool((tensor >= 0).all()):
        return [some * _in_turn(tensor, by) for by in (_MIXED, _ZEROS, _SIGNED)]
    if trait.ordered:
        return [some]
    return [tensor * torch.exp(torch.randn_like(tensor))] if trait.kept else []


def _mask(tensor: Tensor) -> Tensor:
    """The two values in other places and in another number, in one row all of the one, and in another all of the
    other."""
    low, high = tensor.min(), tensor.max()
    chosen = torch.rand(tensor.shape, device=tensor.device) < 1 / 3
    if tensor.ndim > 1:
        lines = chosen.view(-1, chosen.shape[-1])
        lines[::4], lines[1::4] = False, True
    return torch.where(chosen, high, low)


def _in_turn(tensor: Tensor, numbers: tuple[float, ...]) -> Tensor:
    """The numbers as often as each other, at random places."""
    places = torch.randperm(tensor.numel(), device=tensor.device) % len(numbers)
    return torch.tensor(numbers, device=tensor.device)[places].reshape(tensor.shape).to(tensor.dtype)
