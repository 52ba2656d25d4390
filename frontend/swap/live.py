"""The adapter for Inductor's programs in this process: their kernels, each of which may be exchanged between calls.

A program looks its kernels up among its module's globals whenever it launches one. `versions.TRIED` has the releases
that this was tried with.
"""

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.store.entry import Entry
from kernelwright.backend.versions import adapting
from kernelwright.frontend.swap.hooks import Launchable, one_of, parted
from kernelwright.frontend.swap.key import accesses, loaded_kernels, read
from kernelwright.frontend.swap.library import InPlace, Opened, Seen, calls, loaded, opened
from kernelwright.frontend.swap.running import in_place

with adapting("exchanging kernels", "torch", "triton"):
    from torch._inductor.codecache import PyCodeCache

    PyCodeCache.modules, PyCodeCache.modules_no_attr  # noqa: B018


@dataclass(frozen=True)
class Place:
    """Where a program has a kernel, or calls a library: its name there, the text that it was loaded from, the key of
    that text, and what was there when the place was found."""

    program: ModuleType
    name: str
    source: str
    key: str
    found: Launchable
    #: The library's call, for which the text stands.
    opened: Opened | None = None

    @property
    def sized_key(self) -> str:
        """The key, with the sizes of the first call where those may change."""
        return read(self.source).sized_key

    def put(self, kernel: Launchable) -> None:
        """Have the program launch this from its next launch on."""
        setattr(self.program, self.name, kernel)


def programs(besides: Collection[ModuleType] = ()) -> list[ModuleType]:
    """All programs of graphs that this process has loaded, besides some; kernels are loaded as modules, too."""
    found = {id(one): one for one in (*PyCodeCache.modules, *PyCodeCache.modules_no_attr.values())}
    known = set(map(id, besides))
    return [one for key, one in found.items() if key not in known and hasattr(one, "call") and one.__file__]


def places(besides: Collection[ModuleType] = ()) -> list[Place]:
    """The places of all kernels that may be replaced, in the programs that this process has loaded besides some."""
    return [place for program in programs(besides) for place in _places(program)]


def open_library_calls(seen: Seen, besides: Collection[ModuleType] = ()) -> int:
    """Have each call of a library go through a place of its own, in the programs that this process has loaded besides
    some; `seen` is told what it is given in the next call. Returns how many were opened."""
    return sum(len(opened(one, seen=seen)) for one in programs(besides) if not calls(one))


def _places(program: ModuleType) -> Iterator[Place]:
    for name, kernel in loaded_kernels(ast.parse(Path(str(program.__file__)).read_text("utf-8"))):
        if name in vars(program):
            yield Place(program, name, kernel.source, kernel.key, vars(program)[name])
    for one in calls(program):
        if one.call is not None:
            yield Place(program, one.name, one.source, one.key, vars(program)[one.name], one)


def replacing(entry: Entry, place: Place) -> Launchable:
    """The entry's kernel, ready to be launched at a place. Raises NotReplaceableError for one that does not fit there,
    and what Triton's compiler raises."""
    what, within = parted(in_place((entry,), read(place.source), place.name))
    made = [loaded(place.name, one) if isinstance(one, str) else one for one in what]
    ours: Launchable = one_of(made, place.found, within)
    return ours if place.opened is None else InPlace(ours, place.opened)


def own_kernel(place: Place) -> Launchable:
    """Inductor's own kernel for a place, loaded anew, or the library. Raises what Triton's compiler raises."""
    return place.opened or loaded(place.name, place.source)


def ready(entry: Entry) -> list[tuple[Place, Launchable]]:
    """All places of this process where an entry's kernel may run, with the kernel, loaded. Raises as `replacing`
    does."""
    found = [place for place in places() if place.key == entry.key]
    kernel = replacing(entry, found[0]) if found else None
    return [(place, kernel) for place in found if kernel is not None]


def exchange_all(entry: Entry) -> int:
    """Have all programs of this process launch the entry's kernel in the place of Inductor's from their next launch on;
    a call under way may launch either. Returns in how many places. Raises as `replacing` does."""
    found = ready(entry)
    for place, kernel in found:
        place.put(kernel)
    return len(found)


class Watched:
    """A kernel whose launches are told: `around` makes each of them."""

    def __init__(self, kernel: Launchable, around: Callable[[Callable[[], Any]], Any]) -> None:
        launch = kernel.run
        self.run: Callable[..., Any] = lambda *given, **options: around(lambda: launch(*given, **options))


class Rounded:
    """The kernel of a place whose results are off at random by up to `eps` of their size, as those of another right
    kernel are: it tells what of a model's outputs hangs on how values are rounded."""

    def __init__(self, place: Place, eps: float) -> None:
        launch = place.found.run
        text = read(place.source)
        written = [text.parameters.index(name) for name in sorted(accesses(text)[1])]

        def run(*given: Any, **options: Any) -> Any:
            result = launch(*given, **options)
            for one in [given[i] for i in written] if place.opened is None else [result]:
                _shake(one, eps)
            return result

        self.run: Callable[..., Any] = run


def _shake(value: Any, eps: float) -> None:
    if isinstance(value, Tensor) and value.is_floating_point():
        chance = torch.Generator(value.device).manual_seed(0)  # not the model's, which it draws from
        with torch.no_grad():
            off = torch.empty_like(value, dtype=torch.float32).uniform_(1 - eps, 1 + eps, generator=chance)
            value.copy_(value * off)


@contextmanager
def exchanged(kernels: Sequence[tuple[Place, Launchable]]) -> Iterator[None]:
    """Within it, programs launch these kernels; afterwards what they launched before."""
    before = [(place, vars(place.program)[place.name]) for place, _ in kernels]
    try:
        for place, kernel in kernels:
            place.put(kernel)
        yield
    finally:
        for place, kernel in before:
            place.put(kernel)
