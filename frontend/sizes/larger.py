"""Larger sizes of a program that was made small: one size after another as it was, the others as small as can be.

A program that is right at small sizes may be wrong at its own, where a row is longer than a block.
"""

from contextlib import suppress
from dataclasses import replace
from math import prod

from torch.cuda import is_available

from kernelwright.frontend.importers import import_source
from kernelwright.frontend.precision import in_bf16
from kernelwright.frontend.sizes.shrink import Search
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Numerics, Reference

#: Elements that a program of a larger size may produce in one forward.
LARGER_BUDGET = 2**20
#: A program with a tensor of so many elements has offsets that may leave 32 bits.
_LARGE = 2**30
#: Sizes that are made larger at most, the largest first.
_MOST = 3


def import_larger(
    source: str, small: Reference, name: str, numerics: Numerics = "ieee", allclose: float | None = None
) -> tuple[Reference, ...]:
    """What the program `source` computes at larger sizes than those that `import_source` made of it, which is `small`.

    In each of them one of the sizes that changed is as it was, or as large as the budget allows, and the others are
    small. Programs that do not run are left out. Of a program whose offsets may leave 32 bits the last is the program
    at its own sizes, which is not marked as shrunken and not computed.
    """
    if not small.shrunken:
        return ()
    search = Search(in_bf16(source) if numerics == "bf16" else source, name, LARGER_BUDGET)
    found = []
    for text in _texts(search, search.sizes_in(small.source)):
        with suppress(UserError):
            larger = import_source(text, name, shrink="never", numerics=numerics, allclose=allclose)
            found.append(replace(larger.reference, shrunken=True))
    if search.original is not None and not is_available():
        shapes = (*search.original.shapes, *search.original.ends)
        with suppress(UserError):
            if max(map(prod, shapes), default=0) >= _LARGE:
                own = import_source(source, name, shrink="never", numerics=numerics, allclose=allclose)
                found.append(own.reference)
    return tuple(found)


def _texts(search: Search, sizes: tuple[int, ...]) -> list[str]:
    changed = {was for was, now in zip(search.start, sizes, strict=True) if was != now}
    found = [_stretched(search, sizes, size) for size in sorted(changed, reverse=True)[:_MOST]]
    return [search.text(state) for state in dict.fromkeys(found) if state is not None]


def _stretched(search: Search, sizes: tuple[int, ...], size: int) -> tuple[int, ...] | None:
    """The state in which the sites of one size have it again, others halved until that is within the budget, and these
    sites too if it takes that; None where they would not be larger than before."""
    grown = tuple(place for place, was in enumerate(search.start) if was == size)
    state = tuple(size if place in grown else now for place, now in enumerate(sizes))
    others = [move for move in search.moves() if not set(move) & set(grown)]
    while (cost := search.cost(state)) is not None and cost.total > search.budget:
        smaller = search.best(state, cost, others) or search.halved(state, grown)
        if smaller == state:
            return None
        state = smaller
    larger = cost is not None and any(state[place] > sizes[place] for place in grown)
    return state if larger else None
