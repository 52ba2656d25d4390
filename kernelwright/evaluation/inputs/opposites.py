"""Large terms that cancel each other out in sums of programs in 16 bits.

Among the terms of a sum, a large one is followed by its opposite. What adds up in fp32 keeps the small terms beside
them; what adds up in 16 bits loses these, in sums of few terms as well. One tensor has the large elements and their
opposites, two neighbours along one dimension. All other tensors are alike in the same two places, so that products
with them are opposites too, whatever is computed of each first. Pairs lie inside of every four places: a block of a
split sum has both or neither.
"""

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from kernelwright.backend.tensors import each_once

#: How many times as large. Beside it a sum in fp32 keeps 2**-16 of the small terms, and one in bf16 nothing.
_LARGE = 2.0**8
#: The size of the small elements, so that what else is added to the sum does not hide it.
_SMALL = 4.0
#: By how many units of rounding outputs may change with terms that cancel out.
_UNITS = 2.0
#: The least size of a dimension that has pairs.
_LEAST = 4
#: In how many places of inputs and of weights they are tried. A kernel alone has its weights among its inputs, and one
#: sum in one place.
_MOST_OF_INPUTS, _MOST_OF_WEIGHTS = 48, 12


def opposites(value: Tensor, dimension: int, first: float = 1.0, second: float = -1.0) -> Tensor:
    """Of every four places the second and the third have so many times one large number."""
    size = float(value.double().square().mean().sqrt()) or 1.0
    result = value.double() * 2.0 ** round(torch.log2(torch.tensor(_SMALL / size)).item())
    places = _places(result.shape[dimension], value.device)
    large = result.index_select(dimension, places) * _LARGE
    result.index_copy_(dimension, places, large * first)
    result.index_copy_(dimension, places + 1, large * second)
    return result


def alike(value: Tensor) -> Tensor:
    """Of every four places the third has what the second has, along all dimensions."""
    result = value.clone()
    for dimension, size in enumerate(value.shape):
        places = _places(size, value.device)
        result.index_copy_(dimension, places + 1, result.index_select(dimension, places))
    return result


def _places(size: int, device: torch.device) -> Tensor:
    return torch.arange(1, max(size - 1, 1), 4, device=device)


def make_alike(tensors: Iterable[Tensor]) -> None:
    """Change them in place."""
    for tensor in tensors:
        if tensor.is_floating_point() and tensor.numel():
            once = each_once(tensor)
            once.copy_(alike(once))


def places_of(inputs: Sequence[Tensor], weights: Sequence[Tensor], first: int) -> list[tuple[Tensor, int]]:
    """Tensors and dimensions that may have opposites; not all of them if there are many. Which one is the first of the
    inputs, and which of the weights, is told by `first`."""
    return [*_in_turn(inputs, first, _MOST_OF_INPUTS), *_in_turn(weights, first, _MOST_OF_WEIGHTS)]


def _in_turn(tensors: Sequence[Tensor], first: int, most: int) -> list[tuple[Tensor, int]]:
    found = [
        (tensor, dimension)
        for tensor in tensors
        if tensor.is_floating_point() and tensor.numel()
        for dimension, size in enumerate(each_once(tensor).shape)
        if size >= _LEAST
    ]
    first = first % len(found) if found else 0
    return [*found[first:], *found[:first]][:most]


def put_opposites(tensor: Tensor, dimension: int, run: Callable[[], tuple[Tensor, ...] | None]) -> bool:
    """Give a tensor opposites, in place, if they cancel out in what `run` computes of it; else leave it as it is."""
    once = each_once(tensor)
    before, outputs = once.clone(), []
    for signs in ((0.0, 0.0), (1.0, 0.0), (1.0, -1.0)):
        once.copy_(opposites(before, dimension, *signs))
        outputs.append(run())
    without, alone, both = outputs
    if without is not None and alone is not None and both is not None and _cancel_out(both, without, alone):
        return True
    once.copy_(before)
    return False


def _cancel_out(outputs: Sequence[Tensor], without: Sequence[Tensor], alone: Sequence[Tensor]) -> bool:
    """Whether large terms show in an output where they are alone, and in none where they have their opposites."""
    pairs = list(zip(outputs, without, strict=True))
    return all(_apart(*pair) <= _UNITS * torch.finfo(pair[0].dtype).eps for pair in pairs) and any(
        _apart(*pair) > 1.0 for pair in zip(alone, without, strict=True)
    )


def _apart(first: Tensor, second: Tensor) -> float:
    """How far two outputs lie apart, relative to the second; infinite where either is no number."""
    apart = float((first.double() - second.double()).norm() / (float(second.double().norm()) or 1.0))
    return apart if apart == apart else float("inf")
