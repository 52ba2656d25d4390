"""Families of problems, one a file: programs of the kinds that real models and KernelBench are made of.

A file holds `@family("NAME")` over a function that grows a `Sketch`; it needs no list to be in. Other packages announce
theirs by an entry point of the group `kernelwright.families`. A family's programs follow from a seed alone.
"""

import pkgutil
from functools import cache
from importlib import import_module
from random import Random

import torch

from kernelwright.frontend.families.family import REGISTRY
from kernelwright.frontend.families.sketch import NotSaneError, Sketch
from kernelwright.ir.errors import UserError

#: Changes whenever a seed gives another program than before.
VERSION = 1
#: Drafts that are drawn for a seed before it is given up.
_DRAFTS = 200


@cache
def discover_families() -> None:
    """Import every file of this package, so that each registers its family."""
    for module in pkgutil.iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")


def family_names() -> tuple[str, ...]:
    """Every family, in order of name, those that packages announce included."""
    discover_families()
    return tuple(sorted(REGISTRY.names()))


def family_program(name: str, seed: int) -> str:
    """A program's source, the same for the same family and seed (and version of torch). It runs, and what it returns
    is finite, small and no noise. Raises UserError for an unknown family and for one that draws nothing sane."""
    discover_families()
    grow = REGISTRY.find(name)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        for draft in range(_DRAFTS):
            torch.manual_seed(seed)
            sketch = Sketch(Random(f"{name}/{seed}/{draft}"))
            try:
                grow(sketch)
                return sketch.text()
            except NotSaneError:
                continue
    raise UserError(f"family {name!r} draws no sane program for the seed {seed}; mend the family, or leave it out")
