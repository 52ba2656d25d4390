"""Weights and inputs that are special in the same place: both zero, a whole exponent and a negative base, a point that
lies on a centre."""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor, nn

from kernelwright.backend.tensors import Value, copy_of, each_once
from kernelwright.evaluation.inputs.kinds.free import is_free
from kernelwright.evaluation.inputs.trial import Trial

#: By what rows of weights are multiplied that become rows of an input, first all of these, then some.
_MULTIPLES = ((1.0, -1.0, 3.0, -0.7, 1.0, 1.3), (1.0, -1.0), (1.0,), (-1.0, -2.0), (3.0, 0.7))
#: What a weight that stands alone becomes, and whole numbers that inputs are then.
_ALONE = (
    (-63.0, (-3, -2, -1, 1, 2, 3)),
    (-3.0, (-3, -2, -1, 1, 2, 3)),
    (3.0, (-3, -2, -1, 0, 1, 2, 3)),
    (-3.0, (1, 2, 3)),
)
#: Of so many rows of a weight at most an input has some.
_MOST_ROWS = 1024
#: Whole numbers for vectors.
_WHOLE = (1.0, 2.0, 3.0, 4.0)


def make_special(trial: Trial, model: nn.Module, values: Sequence[Value], bound: Sequence[bool]) -> list[Value] | None:
    """Inputs that are special where weights are, which change in place; of each kind as far as the program takes it.
    None if it takes nothing. Inputs that are `bound` stay as they are."""
    free = [place for place, value in enumerate(values) if not bound[place] and is_free(value) and value.ndim]
    state, parameters = (
        [each_once(one) for one in found if one.is_floating_point()]
        for found in (model.state_dict(keep_vars=True).values(), model.parameters())
    )
    vectors = [one for one in parameters if one.numel() > 2 and one.squeeze().ndim == 1]
    alone = [one for one in parameters if one.numel() == 1]
    result, found = list(values), False
    with torch.no_grad():
        for ways, of in ((_zeros, vectors), (_whole, vectors), (_numbers, alone), (_rows_of, state)):
            before = [one.clone() for one in of]
            for way in ways(of) if free and of else ():
                changed = _changed(result, free, way)
                # Noise makes whole numbers others, and of points that lie nearly on a centre rounding may decide.
                takes = trial.takes(model, changed) and (ways is not _rows_of or trial.steady(model, changed, 0))
                if takes and not all(map(_same, changed, result)):
                    result, found = changed, True
                    break
                for one, old in zip(of, before, strict=True):
                    one.copy_(old)
    return result if found else None


def _changed(values: Sequence[Value], places: Sequence[int], way: Callable[[Tensor], Tensor]) -> list[Value]:
    result = list(values)
    for place in places:
        value = values[place]
        assert isinstance(value, Tensor)
        result[place] = copy_of(value).copy_(way(value))
    return result


def _same(first: Value, second: Value) -> bool:
    return first is second or (isinstance(first, Tensor) and isinstance(second, Tensor) and torch.equal(first, second))


def _turned(value: Tensor, size: int) -> tuple[Tensor, Callable[[Tensor], Tensor]] | None:
    """An input with a dimension of a size as the last one, and what turns it back: the last or the second, or the
    first."""
    for dimension in dict.fromkeys((value.ndim - 1, min(1, value.ndim - 1), 0)):
        if value.shape[dimension] == size:
            return value.movedim(dimension, -1), lambda turned, at=dimension: turned.movedim(-1, at)
    return None


def _at_columns(value: Tensor, size: int, columns: Tensor, new: Callable[[Tensor], Tensor]) -> Tensor:
    """An input that has something else in some columns of every second row."""
    turned = _turned(value, size)
    if turned is None:
        return value
    lines = turned[0].reshape(-1, size).clone()
    lines[::2] = torch.where(columns, new(lines[::2]), lines[::2])
    return turned[1](lines.reshape(turned[0].shape))


def _column_masks(vectors: Sequence[Tensor], part: int) -> dict[int, Tensor]:
    """By size of vectors, one in four columns, others for another part."""
    sizes = {one.numel(): one.device for one in vectors}
    return {size: torch.arange(size, device=device) % 4 == part for size, device in sizes.items()}


def _zeros(vectors: Sequence[Tensor]) -> Iterator[Callable[[Tensor], Tensor]]:
    """Zeros in the same columns of vectors and of inputs."""
    masks = _column_masks(vectors, 1)
    for one in vectors:
        one.masked_fill_(masks[one.numel()].reshape(one.shape), 0.0)
    yield lambda value: _in_columns(value, masks, torch.zeros_like)


def _whole(vectors: Sequence[Tensor]) -> Iterator[Callable[[Tensor], Tensor]]:
    """Whole numbers in columns of vectors, and negative numbers in those of inputs."""
    masks = _column_masks(vectors, 2)
    for one in vectors:
        numbers = torch.tensor(_WHOLE, device=one.device).to(one.dtype)
        drawn = numbers[torch.randint(0, len(numbers), one.shape, device=one.device)]
        one.copy_(torch.where(masks[one.numel()].reshape(one.shape), drawn, one))
    yield lambda value: _in_columns(value, masks, lambda lines: -lines.abs())


def _in_columns(value: Tensor, masks: dict[int, Tensor], new: Callable[[Tensor], Tensor]) -> Tensor:
    for size, columns in masks.items():
        value = _at_columns(value, size, columns, new)
    return value


def _numbers(alone: Sequence[Tensor]) -> Iterator[Callable[[Tensor], Tensor]]:
    """Weights that stand alone are negative or whole numbers, and inputs whole numbers."""
    for number, whole in _ALONE:
        for one in alone:
            one.fill_(number)

        def made(value: Tensor, whole: Sequence[int] = whole) -> Tensor:
            numbers = torch.tensor(whole, device=value.device).to(value.dtype)
            return numbers[torch.randint(0, len(numbers), value.shape, device=value.device)]

        yield made


def _rows_of(state: Sequence[Tensor]) -> Iterator[Callable[[Tensor], Tensor]]:
    """Of every four rows of an input three are multiples of rows of a weight as wide."""
    tables: dict[int, list[Tensor]] = {}
    for one in state:
        if one.ndim > 1 and one.shape[-1] > 1:
            tables.setdefault(one.shape[-1], []).append(one.reshape(-1, one.shape[-1])[:_MOST_ROWS])
    for multiples in _MULTIPLES if tables else ():

        def made(value: Tensor, multiples: Sequence[float] = multiples) -> Tensor:
            if value.shape[-1] not in tables:
                return value
            table = torch.cat([one.to(value.dtype) for one in tables[value.shape[-1]]])
            lines = value.reshape(-1, value.shape[-1]).clone()
            by = torch.tensor(multiples, device=value.device).to(value.dtype)
            by = by[torch.arange(len(lines), device=value.device) % len(multiples), None]
            rows = torch.randint(0, len(table), (len(lines),), device=value.device)
            kept = torch.arange(len(lines), device=value.device)[:, None] % 4 == 0
            return torch.where(kept, lines, table[rows] * by).reshape(value.shape)

        yield made
