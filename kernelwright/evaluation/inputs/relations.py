"""Draws of several inputs at once: one that alone is not zero, two that are the same, and inputs that depend on each
other, or elements on their neighbours, so that what goes step by step goes far.

Random inputs let algorithms end early: paths are short, brackets shallow, divisors found soon, and two texts have
nothing in common.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.tensors import Value, copy_of, each_once
from kernelwright.evaluation.inputs.patterns import is_square
from kernelwright.evaluation.inputs.traits import Trait, is_integer
from kernelwright.ir.layout import shares_elements
from kernelwright.ir.values import ScalarSpec, TensorSpec

#: How much cheaper the ways of a chain are than others.
_CHEAPER = 2.0**-20
#: So wide rows at most are points or boxes; how many times as far as evenly over their range they lie apart.
_WIDEST_POINT, _TRAIN_STEPS = 8, 2.0
#: How many times as high as a row's range a step is.
_HIGHER = 64.0


def may_relate(specs: Sequence[TensorSpec | ScalarSpec]) -> bool:
    """Whether there are integers or truth values, two inputs of one shape, points, or a square matrix."""
    tensors = [(spec.dtype, spec.shape) for spec in specs if isinstance(spec, TensorSpec) and spec.shape]
    some = any(is_square(shape) or _is_of_points(shape) for _, shape in tensors)
    return some or len(set(tensors)) < len(tensors) or not all(dtype.startswith(("f", "bf")) for dtype, _ in tensors)


def _is_of_points(shape: Sequence[int]) -> bool:
    """Whether rows are short and many, as those of points and boxes are."""
    return len(shape) > 1 and 1 < shape[-1] <= _WIDEST_POINT < shape[-2]


def related(values: Sequence[Value], traits: Sequence[Trait]) -> list[Value] | None:
    """Inputs of which those of one shape and dtype depend on each other, and others on their neighbours; None where
    there are no such. Inputs of which draws keep something stay as they are."""
    groups: dict[tuple[torch.dtype, torch.Size], list[int]] = {}
    for index, (value, trait) in enumerate(zip(values, traits, strict=True)):
        if isinstance(value, Tensor) and _is_free(value, trait):
            groups.setdefault((value.dtype, value.shape), []).append(index)
    result, changed = list(values), False
    for places in groups.values():
        given = [one for place in places if isinstance(one := values[place], Tensor)]
        made: Sequence[Tensor | None] | None = _together(given, min(_highest(traits[place]) for place in places))
        made = [_alone(given[0], traits[places[0]])] if made is None else made
        for place, old, new in zip(places, given, made, strict=False):
            if new is not None:
                result[place], changed = copy_of(old).copy_(new), True
    free = [place for places in groups.values() for place in places if result[place] is values[place]]
    _put_in_order(result, free)
    return result if changed else None


def _put_in_order(values: list[Value], free: Sequence[int]) -> None:
    """Let numbers that stand beside points, one for each, such as scores of boxes, fall from the first on."""
    shapes = [one.shape for one in values if isinstance(one, Tensor)]
    for place in free:
        one = values[place]
        assert isinstance(one, Tensor)
        if one.is_floating_point() and any(_is_of_points(shape) and shape[:-1] == one.shape for shape in shapes):
            values[place] = copy_of(one).copy_(one.sort(-1, descending=True).values)


def _is_free(value: Tensor, trait: Trait) -> bool:
    plain = not value.is_complex() and not shares_elements(value.shape, value.stride())
    return bool(value.ndim) and bool(value.numel()) and plain and (value.dtype == torch.bool or not trait.kept)


def _highest(trait: Trait) -> float:
    """The highest integer that an input may be."""
    return max(2.0, trait.high, *trait.taken)


def _together(given: Sequence[Tensor], highest: float) -> list[Tensor] | None:
    """The first two of several. In every second row the second is the first, moved on by less than half. Other rows of
    integers have neighbours in Fibonacci's sequence, from the highest down, for which Euclid's algorithm takes its most
    steps; those of floating numbers have a step, which comes late in the first and early in the second. None for truth
    values, of which the first is made as if it were alone."""
    if len(given) < 2 or given[0].dtype == torch.bool:
        return None
    first, size = given[0], given[0].shape[-1]
    rows = torch.arange(first.numel() // size, device=first.device).reshape((*first.shape[:-1], 1)) % 2 == 0
    moved = first.roll(max(1, size // 2 - 1), -1)
    pair = _neighbours(first, highest) if is_integer(first) else _steps(first)
    return [torch.where(rows, pair[0], first), torch.where(rows, pair[1], moved)]


def _neighbours(like: Tensor, highest: float) -> tuple[Tensor, Tensor]:
    numbers = [1, 2]
    while numbers[-1] + numbers[-2] <= highest:
        numbers.append(numbers[-1] + numbers[-2])
    falling = torch.tensor(numbers[::-1], device=like.device).to(like.dtype)
    at = torch.arange(like.numel(), device=like.device).reshape(like.shape) % (len(numbers) - 1)
    return falling[at], falling[at + 1]


def _steps(like: Tensor) -> tuple[Tensor, Tensor]:
    place = torch.arange(like.shape[-1], device=like.device)
    low = like.amin(-1, keepdim=True)
    high = low + _HIGHER * (like.amax(-1, keepdim=True) - low)
    return torch.where(place < len(place) - 1, low, high), torch.where(place < 1, low, high)


def _alone(value: Tensor, trait: Trait) -> Tensor | None:
    """Integers that refer to their predecessors, and in every second row go down Fibonacci's sequence; square matrices
    with a chain; and truth values up to the middle of the second of several dimensions, or of a row.
    """
    size = value.shape[-1]
    chain = _chains_of(value) if is_square(value.shape) else None
    if is_integer(value):
        places = (torch.arange(size, device=value.device) - 1).clamp(int(trait.low), int(trait.high))
        rows = torch.arange(value.numel() // size, device=value.device).reshape((*value.shape[:-1], 1)) % 2 == 0
        return torch.where(rows, places.to(value.dtype), _neighbours(value, _highest(trait))[0])
    if value.is_floating_point():
        if chain is None:
            return _train(value) if _is_of_points(value.shape) else None
        return torch.where(chain, value * _CHEAPER, value)
    if chain is not None:
        return chain.expand(value.shape)
    dimension = 1 if value.ndim > 2 else value.ndim - 1
    up = torch.arange(value.shape[dimension], device=value.device) < value.shape[dimension] / 2
    return up.reshape(-1, *(1,) * (value.ndim - 1 - dimension)).expand(value.shape)


def _chains_of(value: Tensor) -> Tensor:
    """Where square matrices have the ways of a chain: above the diagonal, and in every second one from the first place
    over all even ones up and over all odd ones down, which no order of places follows in one go."""
    size, device = value.shape[-1], value.device
    plain, zigzag = (torch.zeros(size, size, dtype=torch.bool, device=device) for _ in range(2))
    plain.diagonal(1).fill_(True)
    order = [*range(0, size, 2), *range(size - 1 - size % 2, 0, -2)]
    zigzag[order[:-1], order[1:]] = True
    second = torch.arange(value[..., 0, 0].numel(), device=device).reshape((*value.shape[:-2], 1, 1)) % 2 > 0
    return torch.where(second, zigzag, plain)


def _train(points: Tensor) -> Tensor:
    """Points or boxes one after another on a line, all of one size, each near enough to the next to overlap it."""
    count = points.shape[-2]
    middle = points.double().mean(-2, keepdim=True)
    first = points.double()[..., :1]
    step = _TRAIN_STEPS * (first.amax(-2, keepdim=True) - first.amin(-2, keepdim=True)) / count
    places = torch.arange(count, dtype=torch.float64, device=points.device)[:, None]
    result = middle.expand(points.shape).clone()
    result[..., :1] += step * (places - count / 2)
    return result


def one_alone(values: Sequence[Value], number: int, bound: Sequence[bool]) -> list[Value]:
    """Inputs of which one, counted from the last, has its values, and all other floating ones are zero, but those that
    are `bound`, see `with_one_twice`."""
    floating = [place for place, one in enumerate(values) if isinstance(one, Tensor) and one.is_floating_point()]
    kept = floating[-1 - number]
    changed = list(values)
    for at in floating:
        one = values[at]
        if at != kept and isinstance(one, Tensor) and not bound[at]:
            changed[at] = zero = copy_of(one)
            each_once(zero).zero_()
    return changed


def with_one_twice(values: Sequence[Value], bound: Sequence[bool]) -> list[Value] | None:
    """Inputs of which two, the first that can, are the same; None where all differ in kind. Those that are `bound` have
    something that draws keep, and stay as they are."""
    known: dict[Any, Tensor] = {}
    for index, one in enumerate(values):
        if isinstance(one, Tensor) and one.is_floating_point() and one.numel() and not bound[index]:
            other = known.setdefault((one.dtype, one.shape, one.stride()), one)
            if other is not one:
                return [*values[:index], copy_of(other), *values[index + 1 :]]
    return None
