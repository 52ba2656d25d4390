"""How tensors lie in memory, and which elements a kernel of Inductor's works on, in the letters of axes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from kernelwright.frontend.notation.fitting import Domain
from kernelwright.frontend.notation.words import GRID_AXES, REDUCED_AXES, NotExpressibleError


@dataclass(frozen=True)
class Frame:
    """A tensor in memory that its name stands for; offsets and strides in elements."""

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: str

    def offsets(self) -> Tensor:
        """Where its elements lie, row by row: (elements,) int64."""
        found = torch.full((1,), self.offset)
        for size, stride in zip(self.shape, self.strides, strict=True):
            found = (found[:, None] + torch.arange(size) * stride).reshape(-1)
        return found

    def coordinates(self, offsets: Tensor, where: Tensor) -> list[Tensor] | None:
        """The coordinates, one for each dimension, of places in memory; None where some of them are none of its
        elements, though `where` holds."""
        left, found = offsets - self.offset, [torch.zeros_like(offsets) for _ in self.shape]
        for dim in sorted(range(len(self.shape)), key=lambda dim: -self.strides[dim]):
            if self.shape[dim] > 1 and self.strides[dim] > 0:
                found[dim] = torch.div(left, self.strides[dim], rounding_mode="floor")
                left = left - found[dim] * self.strides[dim]
        inside = left == 0
        for size, coordinate in zip(self.shape, found, strict=True):
            inside &= (coordinate >= 0) & (coordinate < size)
        return found if bool(inside[where].all()) else None

    def covered(self, stored: Tensor) -> "Frame":
        """The block of it at these places in memory, where they are fewer than it has and make up a block; else all."""
        places = torch.unique(stored)
        found = self.coordinates(places, torch.ones_like(places, dtype=torch.bool))
        if len(places) >= len(torch.unique(self.offsets())) or not found:
            return self
        low = [int(one.min()) for one in found]
        shape = tuple(int(one.max()) + 1 - least for one, least in zip(found, low, strict=True))
        if math.prod(shape) != len(places):
            return self
        offset = sum((least * stride for least, stride in zip(low, self.strides, strict=True)), self.offset)
        return replace(self, shape=shape, offset=offset)


@dataclass(frozen=True)
class Elements:
    """What a kernel works on: its domain, and for each element of it the kernel's own flat indices."""

    sizes: Mapping[str, int]
    domain: Domain
    grid: Tensor
    reduced: Tensor


def over_grid(frame: Frame, stored: Tensor) -> tuple[dict[str, int], Tensor]:
    """The axes of a tensor of which element `stored[x]` (programs,) is stored for x, and the x of each element."""
    sizes = {GRID_AXES[dim]: size for dim, size in enumerate(frame.shape) if size > 1}
    return sizes, _inverse(stored, frame.offsets())


def _inverse(stored: Tensor, wanted: Tensor) -> Tensor:
    """For each place in memory the element that stores there."""
    if not len(stored) or not len(wanted):
        raise NotExpressibleError("there are no elements")
    top = int(max(stored.max(), wanted.max())) + 1
    if int(min(stored.min(), wanted.min())) < 0 or len(torch.unique(stored)) != len(stored):
        raise NotExpressibleError("elements are stored to more than once")
    table = torch.full((top,), -1)
    table[stored] = torch.arange(len(stored))
    if bool((table[wanted] < 0).any()):
        raise NotExpressibleError("a kernel stores only a part of the elements that it computes")
    return table[wanted]


def elements_of_grid(frame: Frame, stored: Tensor, reduced: Mapping[str, int]) -> Elements:
    """The elements where results lie on the grid alone; `reduced` are the axes that a program goes through."""
    sizes, grid = over_grid(frame, stored)
    going = math.prod(reduced.values())
    domain = Domain.of({**sizes, **reduced})
    return Elements(
        {**sizes, **reduced},
        domain,
        grid.repeat_interleave(going),
        torch.arange(going).repeat(len(grid)),
    )


def elements_of_rows(frame: Frame, stored: Tensor, going: int) -> Elements:
    """The elements where a program stores all that it goes through: `stored` is (programs * going,)."""
    place = _inverse(stored, frame.offsets())
    grid, reduced = place // going, place % going
    shaped = [grid.reshape(frame.shape), reduced.reshape(frame.shape)]
    sizes: dict[str, int] = {}
    letters = iter(REDUCED_AXES)
    for dim, size in enumerate(frame.shape):
        if size == 1:
            continue
        moves = [bool((part != part.narrow(dim, 0, 1)).any()) for part in shaped]
        if moves[0] == moves[1]:
            raise NotExpressibleError("a kernel loops over a part of a dimension of the result")
        sizes[GRID_AXES[dim] if moves[0] else next(letters)] = size
    if math.prod(size for letter, size in sizes.items() if letter in REDUCED_AXES) != going:
        raise NotExpressibleError("a kernel stores only a part of the elements that it loops over")
    return Elements(sizes, Domain.of(sizes), grid, reduced)


def reduced_axes(going: int, frames: Sequence[tuple[Frame, Tensor]]) -> dict[str, int]:
    """The axes of what a program goes through, as the dimensions of the first tensor of `frames` that it goes along,
    the last ones as one where there are too many; offsets (going,) are those of one program."""
    for frame, offsets in frames:
        found = frame.coordinates(offsets, torch.ones_like(offsets, dtype=torch.bool))
        if found is None or bool((offsets == offsets[0]).all()):
            continue
        dims = [dim for dim, one in enumerate(found) if bool((one != one[0]).any())]
        sizes = [len(torch.unique(found[dim])) for dim in dims]
        if math.prod(sizes) == going:
            last = len(REDUCED_AXES) - 1
            sizes = [*sizes[:last], math.prod(sizes[last:])] if len(sizes) > last else sizes
            return dict(zip(REDUCED_AXES, sizes, strict=False))
    return {"r": going} if going > 1 else {}
