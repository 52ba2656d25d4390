"""Infinities where a program leaves elements out: behind a mask, a length or a bound.

What is left out may hold anything, as padding does. A kernel that multiplies it by zero makes NaN of an infinity.
"""

import copy
import math
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn

from kernelwright.backend.reference.program import flatten_outputs
from kernelwright.backend.tensors import Value, copy_of
from kernelwright.evaluation.inputs.kinds.free import is_free
from kernelwright.evaluation.inputs.kinds.infinite import any_of
from kernelwright.evaluation.inputs.trial import REFUSALS, Trial

#: Infinities that are tried at elements on which nothing depends: of both signs, then of one.
_SIGNS = ((-math.inf, math.inf), (math.inf,), (-math.inf,))
#: What else an element might be: of the other sign, a tenth, ten times as much, and one chosen at random.
_CHANGES: tuple[Callable[[Tensor], Tensor], ...] = (
    torch.neg,
    lambda value: 0.1 * value,
    lambda value: 10.0 * value,
    lambda value: torch.randn_like(value, dtype=torch.float32).to(value),
)


def with_infinities(
    trial: Trial, model: nn.Module, values: Sequence[Value], bound: Sequence[bool], anywhere: bool
) -> list[Value]:
    """Inputs with infinities where no output depends on an element, and perhaps `anywhere`, as far as outputs stay
    numbers, tried one input after another; those that are `bound` stay as they are."""
    places = [place for place, value in enumerate(values) if not bound[place] and is_free(value)]
    apart, result = _independent(model, values, places), list(values)
    for place in places:
        value = result[place]
        assert isinstance(value, Tensor)
        tried = [(apart[place], signs) for signs in _SIGNS] if place in apart else []
        tried += [(torch.rand(value.shape, device=value.device) < 1 / 8, _SIGNS[0])] if anywhere else []
        for chosen, signs in tried:
            changed = copy_of(value).copy_(
                torch.where(chosen & value.isfinite(), any_of(signs, value).to(value), value)
            )
            taken = _taken(trial, model, result, place, changed)
            if taken is not None:
                result[place] = taken
                break
    return result


def _independent(model: nn.Module, values: Sequence[Value], places: Sequence[int]) -> Mapping[int, Tensor]:
    """Elements of the inputs at these places that no output depends on whatever they are, where there are such: in
    every second row all of them, and else half."""
    found = _without_slope(model, values, places)
    for change in _CHANGES if found else ():  # what an element's own size leaves out, as relu does, is read
        other = list(values)
        for place, apart in found.items():
            value = values[place]
            assert isinstance(value, Tensor)
            other[place] = copy_of(value).copy_(torch.where(apart, change(value), value))
        still = _without_slope(model, other, list(found))
        found = {place: apart & still[place] for place, apart in found.items() if place in still}
    for apart in found.values():
        rows = torch.arange(len(apart), device=apart.device) if apart.ndim else torch.zeros(())
        whole = (rows % 2 == 1).reshape(-1, *(1,) * (apart.ndim - 1)) if apart.ndim > 1 else False
        apart &= whole | (torch.rand(apart.shape, device=apart.device) < 1 / 2)
    return {place: apart for place, apart in found.items() if bool(apart.any())}


def _without_slope(model: nn.Module, values: Sequence[Value], places: Sequence[int]) -> Mapping[int, Tensor]:
    """By place, the elements of inputs whose slopes are zero in all outputs, where there are such."""
    given = [copy_of(value) if isinstance(value, Tensor) else value for value in values]
    wanted = [one.requires_grad_() for place in places if isinstance(one := given[place], Tensor)]
    try:
        with torch.no_grad():
            own = copy.deepcopy(model)
        with torch.enable_grad():
            outputs = [one for one in flatten_outputs(own(*given)) if one.requires_grad]
            ways = [torch.rand_like(output) + 0.5 for output in outputs]
            slopes = torch.autograd.grad(outputs, wanted, ways, allow_unused=True) if outputs else ()
    except (*REFUSALS, TypeError):  # it computes without gradients, or in ways that have none
        return {}
    found = {
        place: torch.ones_like(given[place], dtype=torch.bool) if slope is None else slope == 0
        for place, slope in zip(places, slopes, strict=False)
    }
    return {place: apart for place, apart in found.items() if bool(apart.any())}


def _taken(trial: Trial, model: nn.Module, values: Sequence[Value], place: int, changed: Tensor) -> Tensor | None:
    """The changed input, or what is left of its changes where outputs stay numbers; None if nothing is."""
    before = values[place]
    assert isinstance(before, Tensor)
    for _ in range(2):
        if bool(changed.isfinite().all()):
            return None
        inputs = [*values[:place], changed, *values[place + 1 :]]
        if trial.takes_plainly(model, inputs):
            return changed
        changed = copy_of(before).copy_(_undone(trial.run(model, inputs) or (), before, changed))
    return None


def _undone(outputs: Sequence[Tensor], before: Tensor, changed: Tensor) -> Tensor:
    """The input without changes that lie where an output of its shape is no number; of other outputs that have its
    first dimension, without those at the same places along it."""
    for output in outputs:
        wrong = ~output.isfinite()
        if output.shape == before.shape:
            changed = torch.where(wrong, before, changed)
        elif output.ndim and before.ndim and len(output) == len(before):
            wrong = wrong.flatten(1).any(1) if wrong.ndim > 1 else wrong
            changed = torch.where(wrong.reshape(-1, *(1,) * (before.ndim - 1)), before, changed)
    return changed
