"""What holds of a program's inputs however often it draws them, so that what is drawn besides can keep to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

import torch
from torch import Tensor

from kernelwright.backend.tensors import Value

#: How far a row's sum may be from one.
_CLOSE = 1e-3
#: Elements of a tensor that are asked first, about so many.
_HEAD = 1 << 16
#: Sizes from which on equal halves or an order are no coincidence.
_FEWEST = 4


@dataclass(frozen=True)
class Trait:
    """Of one tensor input: the range of its finite values, and what held in every draw.

    `counted`: it holds 0, 1, 2 and so on, in order. `two`: the two values that it has, if it has no others; `between`:
    the program computes with the numbers between them as well. `ordered`, `permutation`, `halves` (both are equal) and
    `sums_to_one` speak of the last dimension, `symmetric` of the last two.
    `ends`: the first and last of ordered integers that every row of every draw has: where segments begin and end.
    `taken`: integers outside of the range that the program takes as well.
    """

    low: float = 0.0
    high: float = 0.0
    counted: bool = False
    two: tuple[float, ...] = ()
    between: bool = False
    ordered: bool = False
    permutation: bool = False
    symmetric: bool = False
    halves: bool = False
    sums_to_one: bool = False
    ends: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()

    @property
    def kept(self) -> tuple[str, ...]:
        """What draws keep, as calibers name it."""
        held = {name for name in _KEPT if getattr(self, name)} - ({"two"} if self.between else set())
        return tuple(text for name, text in _KEPT.items() if name in held)


#: What callers are told of traits that draws keep.
_KEPT = {
    "counted": "counts from 0",
    "two": "two values",
    "between": "between two values",
    "ordered": "in order",
    "permutation": "a permutation",
    "symmetric": "symmetric",
    "halves": "equal halves",
    "sums_to_one": "sums to 1",
    "ends": "the same ends",
}
NO_TRAIT = Trait()


def is_integer(value: Value) -> TypeGuard[Tensor]:
    """Whether it is a tensor of integers, which truth values are not."""
    return isinstance(value, Tensor) and not (
        value.is_floating_point() or value.is_complex() or value.dtype == torch.bool
    )


def has_integers_from(value: Value, size: float) -> bool:
    """Whether it is a tensor of integers, some of which are of a size or more."""
    return is_integer(value) and bool((value.double().abs() >= size).any())


def find_traits(samples: Sequence[Sequence[Value]]) -> tuple[Trait, ...]:
    """The traits of each input, from what several draws gave."""
    return tuple(_trait(values) for values in zip(*samples, strict=True))


def _trait(values: Sequence[Value]) -> Trait:
    tensors = [value for value in values if isinstance(value, Tensor)]
    if len(tensors) < len(values) or not tensors[0].numel() or len({tensor.shape for tensor in tensors}) > 1:
        return NO_TRAIT
    dtype = tensors[0].dtype
    low, high = _range(tensors)
    if dtype == torch.bool or any(_in_all([one], _constant) for one in tensors):
        return Trait(low, high)
    floating, ordered = dtype.is_floating_point, _in_all(tensors, _ordered)
    counted = not floating and _in_all(tensors, _counts)
    return Trait(
        low,
        high,
        counted,
        two=_two(tensors) if floating else (),
        ordered=not counted and ordered,
        ends=_ends(tensors) if ordered and not counted and not floating else (),
        permutation=not counted and not floating and _in_all(tensors, _permutes),
        symmetric=all(map(_symmetric, tensors)),
        halves=_in_all(tensors, _halves),
        sums_to_one=floating and _in_all(tensors, _sums_to_one),
    )


def _range(tensors: Sequence[Tensor]) -> tuple[float, float]:
    """The least and the largest finite number; zeros where there is none."""
    ends: list[float] = []
    for one in tensors:
        finite = one.isfinite() if one.is_floating_point() else None
        given = one if finite is None or bool(finite.all()) else one[finite]
        ends += [float(end) for end in given.aminmax()] if given.numel() else []
    return min(ends, default=0.0), max(ends, default=0.0)


def _in_all(tensors: Sequence[Tensor], check: Callable[[Tensor], bool]) -> bool:
    """Whether something holds of all rows: a few of each tensor are asked before, as one is enough to tell that it does
    not."""
    larger = [one for one in tensors if _head(one).numel() < one.numel()]
    return all(check(_wide(_head(one))) for one in tensors) and all(check(_wide(one)) for one in larger)


def _head(value: Tensor) -> Tensor:
    """The first places of a large tensor, rows as they are; of one dimension, all of it."""
    return value[: max(1, _HEAD * len(value) // value.numel())] if value.ndim > 1 else value


def _wide(value: Tensor) -> Tensor:
    return value.double() if value.is_floating_point() else value.long()


def _constant(value: Tensor) -> bool:
    return bool((value == value.flatten()[0]).all())


def _counts(value: Tensor) -> bool:
    last = value.shape[-1] if value.ndim else 1
    return bool((value == torch.arange(last, device=value.device)).all())


def _two(values: Sequence[Tensor]) -> tuple[float, ...]:
    """The two numbers, one of which may be infinite, that all elements are; of few elements that says nothing."""
    if values[0].numel() < _FEWEST or any(len(torch.unique(_head(value))) > 2 for value in values):
        return ()
    low, high = min(float(value.min()) for value in values), max(float(value.max()) for value in values)
    few = low < high and all(bool(((value == low) | (value == high)).all()) for value in values)
    return (low, high) if few else ()


def _ordered(value: Tensor) -> bool:
    return value.ndim > 0 and value.shape[-1] >= _FEWEST and bool((value.diff(dim=-1) >= 0).all())


def _ends(values: Sequence[Tensor]) -> tuple[int, ...]:
    ends = torch.unique(torch.cat([value[..., [0, -1]].reshape(-1, 2) for value in values]), dim=0)
    return tuple(ends[0].tolist()) if len(ends) == 1 else ()


def _permutes(value: Tensor) -> bool:
    return value.ndim > 0 and value.shape[-1] >= _FEWEST and _counts(value.sort(-1).values)


def _symmetric(value: Tensor) -> bool:
    square = value.ndim > 1 and value.shape[-1] == value.shape[-2] > 1
    return square and torch.equal(value, value.mT)


def _halves(value: Tensor) -> bool:
    size = value.shape[-1] if value.ndim else 1
    return size >= _FEWEST and size % 2 == 0 and torch.equal(value[..., : size // 2], value[..., size // 2 :])


def _sums_to_one(value: Tensor) -> bool:
    if value.ndim == 0 or value.shape[-1] < 2 or bool((value < 0).any()):
        return False
    return bool(((value.sum(-1) - 1).abs() < _CLOSE).all())


def kept(value: Tensor, trait: Trait) -> Tensor:
    """The values, changed as little as it takes to have what holds of an input."""
    if trait.two:
        either = torch.where(torch.rand(value.shape, device=value.device) < 0.5, trait.two[0], trait.two[1])
        if not trait.between:
            return either.to(value)
        share = torch.rand(value.shape, device=value.device, dtype=torch.float64)
        number = trait.two[0] + share * (trait.two[1] - trait.two[0])
        return torch.where(torch.rand(value.shape, device=value.device) < 0.5, either, number).to(value)
    if trait.sums_to_one:
        value = value.abs() + 1e-3
        value = value / value.sum(-1, keepdim=True)
    if trait.symmetric:
        value = (value + value.mT) / 2
    if trait.halves:
        half = value.shape[-1] // 2
        value = torch.cat([value[..., :half], value[..., :half]], -1)
    if trait.ordered:
        value = value.sort(-1).values
    if trait.ends:
        value[..., 0], value[..., -1] = trait.ends
    return value


def shares_with_zeros(value: Tensor) -> Tensor:
    """Rows that sum to one, with half of the elements 0; in every third row all but one are."""
    wide = value.double().reshape(-1, value.shape[-1])
    some = torch.rand_like(wide) < 0.5
    some[::3] = False
    some[torch.arange(len(wide)), torch.randint(0, wide.shape[-1], (len(wide),), device=value.device)] = True
    shares = torch.where(some, wide.abs() + 1e-3, 0.0)
    return (shares / shares.sum(-1, keepdim=True)).reshape(value.shape).to(value.dtype)


#: What share of a range its largest numbers are.
_TOP = 64
#: Numbers that an input of few elements is taken with are drawn up to this size: larger ones are seldom lengths.
_NEAR = 1000


def integers(like: Tensor, trait: Trait, *, outside: bool, end: int = 0, highest: bool = False) -> Tensor:
    """Whole numbers from the range of an input, and if `outside` some of what it is taken with besides. Few elements
    are all the largest of these if `end` is above zero, and the least if it is below. If `highest`, all are among the
    largest of the range: sums of them, and of products, are as large as they can be."""
    low, high = int(trait.low), int(trait.high)
    device = like.device
    if trait.permutation and like.ndim:
        return torch.rand(like.shape, device=device).argsort(-1)
    if low == high and trait.taken:  # one value tells nothing of the range: the nearest that are taken make it wider
        near = [number for number in trait.taken if abs(number - low) <= 2]
        low, high = min([low, *near]), max([high, *near])
    least = high - (high - low) // _TOP if highest else low
    drawn = torch.randint(least, high + 1, like.shape, device=device)
    if outside and trait.taken and not trait.ends:
        numbers = torch.tensor(trait.taken, device=device)
        chosen = torch.rand(like.shape, device=device) < 1 / 8
        near = [number for number in trait.taken if abs(number) <= _NEAR]
        if end and near and drawn.numel() < len(numbers):
            return kept(torch.full_like(drawn, max(near) if end > 0 else min(near)), trait)
        drawn = torch.where(chosen, numbers[torch.randint(0, len(numbers), like.shape, device=device)], drawn)
        some = torch.cat([numbers[[0, -1]], numbers[1:-1][torch.randperm(max(len(numbers) - 2, 0), device=device)]])
        some = some[: drawn.numel() // 2]  # each of them somewhere where there is room, the first and the last before
        drawn.view(-1)[torch.randperm(drawn.numel(), device=device)[: len(some)]] = some
    return kept(drawn, trait)


def near_alone(trait: Trait) -> Trait:
    """The trait without very large integers that the program takes outside of an input's range."""
    return replace(trait, taken=tuple(number for number in trait.taken if abs(number) <= _NEAR))


def probes(like: Tensor, trait: Trait, named: Sequence[float] = ()) -> list[int]:
    """Numbers outside of an integer input's range that a program may take or refuse; `named` are those of its text,
    which may be sizes of tables."""
    limits = torch.iinfo(like.dtype)
    low, high = int(trait.low), int(trait.high)
    wanted = {-100, -1, 0, 1, 2, low - 1, high + 1, -high, limits.max // 2 - 2, 200, (1 << 33) + 3, -(1 << 33) - 5}
    wanted |= {sign * (limits.max - limits.max // 16) for sign in (1, -1)} if like.dtype == torch.int32 else set()
    wanted |= {limits.min, limits.max} if like.dtype.itemsize < 4 else set()
    wanted |= {int(number) - 1 for number in named if number.is_integer() and abs(number) < 1 << 31}
    return sorted(number for number in wanted if limits.min <= number <= limits.max and not low <= number <= high)
