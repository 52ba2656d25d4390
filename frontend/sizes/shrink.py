"""Make a KernelBench-format program small enough for a CPU, changing nothing but sizes.

Benchmarks are sized for a GPU. The interpreter needs a program of the same structure with fewer elements, so
the integers that say how big things are get halved, and every step is checked by running the program on
meta tensors: shapes must still fit, no size above one may become one, and what is split into groups or heads
keeps several elements in each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.flop_counter import FlopCounterMode

from kernelwright.frontend.problem import SHRUNKEN, Problem
from kernelwright.frontend.sizes.literals import find_sites, rewrite
from kernelwright.ir.errors import UserError

#: Elements a program may produce in one forward to count as small.
BUDGET = 2**18
#: Multiply-adds that weigh as much as one element.
FLOPS_PER_ELEMENT = 128
#: No size shrinks below this.
SMALLEST = 7
#: How far above the budget a program may still be run for real.
_SLACK = 64
#: Elements and multiply-adds that the smallest program found may have beyond that: no size makes its layers smaller.
_MOST_ELEMENTS, _MOST_FLOPS = 2**28, 2**37


@dataclass(frozen=True)
class Cost:
    """What one forward takes: elements of every tensor it reads or makes, multiply-adds, and shapes."""

    elements: int
    flops: int
    shapes: tuple[tuple[int, ...], ...]
    ends: tuple[tuple[int, ...], ...]

    @property
    def total(self) -> int:
        """In elements."""
        return self.elements + self.flops // FLOPS_PER_ELEMENT

    def keeps_structure_of(self, other: "Cost") -> bool:
        """Whether ranks agree and no size above one became one or zero."""
        mine, theirs = self.shapes + self.ends, other.shapes + other.ends
        if len(self.shapes) != len(other.shapes):  # loops over a size unroll less often
            mine, theirs = self.ends, other.ends
        return len(mine) == len(theirs) and all(
            len(a) == len(b) and all(x == y or x > 1 for x, y in zip(a, b, strict=True))
            for a, b in zip(mine, theirs, strict=True)
        )


def half(size: int) -> int:
    """About half: odd stays odd, a multiple of eight stays one; the same number where it cannot shrink."""
    step = 8 if size % 8 == 0 else 2
    smaller = size // 2
    smaller -= (smaller - size) % step
    return smaller if smaller >= SMALLEST else size


class _Tally(TorchFunctionMode):
    """Records the shape of every tensor that a torch function returns."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes: list[tuple[int, ...]] = []

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.shapes += [tuple(tensor.shape) for tensor in _tensors(result)]
        return result


def _tensors(value: object) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)


def _numel(shapes: Sequence[tuple[int, ...]]) -> int:
    return sum(torch.Size(shape).numel() for shape in shapes)


def measure(source: str, name: str, device: str = "meta") -> Cost:
    """Run one forward on `device` (on "meta" nothing is computed or allocated) and count.

    Raises UserError where the program does not run there.
    """
    return measure_problem(Problem.load(source, name), device)


def measure_problem(problem: Problem, device: str = "meta") -> Cost:
    """`measure` for a program that is loaded already."""
    with torch.device(device), torch.no_grad():
        model, inputs = problem.build(), problem.inputs()
        held = [tuple(t.shape) for t in (*model.parameters(), *model.buffers())]
        ends = [tuple(t.shape) for t in _tensors(inputs)]
        with FlopCounterMode(display=False) as flops, _Tally() as tally:
            try:
                outputs = model(*inputs)
            except Exception as error:  # the user's forward may raise anything
                raise UserError(f"{problem.name}: forward fails on {device} tensors: {error}") from error
    ends += [tuple(t.shape) for t in _tensors(outputs)]
    elements = _numel(held) + _numel(ends) + _numel(tally.shapes)
    return Cost(elements, flops.get_total_flops() // 2, tuple(tally.shapes), tuple(ends))


class Search:
    """The greedy search over sizes of one program. A state is a tuple of sizes, one a site."""

    def __init__(self, source: str, name: str, budget: int, loaded: Problem | None = None) -> None:
        self.loaded, self.source, self.name, self.budget = loaded, source, name, budget
        self.sites = find_sites(source, name)
        self.start = tuple(site.value for site in self.sites)
        self.groups = [
            (i, j) for i, site in enumerate(self.sites) for j, by in enumerate(self.sites) if by.splits(site)
        ]
        self.costs: dict[tuple[int, ...], Cost | None] = {}
        self.reason = ""
        self.original = self._measure(self.start)

    def _measure(self, sizes: tuple[int, ...]) -> Cost | None:
        if sizes not in self.costs:
            try:
                known = self.loaded if sizes == self.start else None
                problem = known or Problem.load(rewrite(self.source, self.sites, sizes), self.name)
                self.costs[sizes] = measure_problem(problem)
            except UserError as error:
                self.costs[sizes] = None
                self.reason = str(error)
        return self.costs[sizes]

    def cost(self, sizes: tuple[int, ...]) -> Cost | None:
        """The cost, or None where these sizes are not allowed or the program does not run with them."""
        if any(sizes[i] % sizes[j] or sizes[i] <= sizes[j] for i, j in self.groups):
            return None
        found = self._measure(sizes)
        if found is None or self.original is None or not found.keeps_structure_of(self.original):
            return None
        return found

    def moves(self) -> list[tuple[int, ...]]:
        """Sets of sites that are halved together: each alone, those of equal value, all."""
        free = [index for index, site in enumerate(self.sites) if not site.kept]
        alone = [(index,) for index in free]
        equal = [tuple(i for i in free if self.start[i] == value) for value in {self.start[i]: 0 for i in free}]
        return list(dict.fromkeys([*alone, *equal, tuple(free)]))

    def halved(self, sizes: tuple[int, ...], move: tuple[int, ...]) -> tuple[int, ...]:
        """The state after a move."""
        return tuple(half(size) if index in move else size for index, size in enumerate(sizes))

    def text(self, sizes: tuple[int, ...]) -> str:
        """The program with these sizes, below a comment that lists what changed."""
        changed = [(s.name, s.value, n) for s, n in zip(self.sites, sizes, strict=True) if s.value != n]
        listed = ", ".join(f"{label} {old} -> {new}" for label, old, new in dict.fromkeys(changed))
        return f"{SHRUNKEN}{listed}\n{rewrite(self.source, self.sites, sizes)}"

    def sizes_in(self, text: str) -> tuple[int, ...]:
        """The state that `text` gave."""
        return tuple(site.value for site in find_sites(text, self.name))

    def path(self) -> list[tuple[int, ...]]:
        """States from the original to the smallest found, each smaller than the one before."""
        path = self._bulk()
        while (cost := self.cost(path[-1])) is not None and cost.total > self.budget:
            step = self.best(path[-1], cost, self.moves())
            if step is None:
                break
            path.append(step)
        return path

    def _bulk(self) -> list[tuple[int, ...]]:
        """All sizes halved again and again, which keeps proportions, as far as that does not overshoot the
        budget. Tried from the small end, where running the program is quick."""
        original = self.cost(self.start)
        chain = [self.start]
        if original is None or original.total <= self.budget:
            return chain
        while (smaller := self.halved(chain[-1], self.moves()[-1])) != chain[-1]:
            chain.append(smaller)
        while len(chain) > 1:
            cost = self.cost(chain[-1])
            if cost is not None and cost.total > self.budget // 2:
                break
            chain.pop()
        return chain

    def best(self, sizes: tuple[int, ...], before: Cost, moves: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
        """The state after the move that saves most; of equals, the one on the largest size."""
        best, best_key = None, (before.total, 0)
        for move in moves:
            smaller = self.halved(sizes, move)
            cost = None if smaller == sizes else self.cost(smaller)
            if cost is not None and cost.total < before.total:
                key = (max(cost.total, self.budget // 2), -max(sizes[i] for i in move))
                if key < best_key:
                    best, best_key = smaller, key
        return best


def shrink_source(source: str, budget: int = BUDGET, name: str = "program", loaded: Problem | None = None) -> str:
    """The program with sizes small enough that one forward costs about `budget` elements.

    The same text comes back where it is small already. Where it cannot reach the budget, the smallest found
    comes back. A header comment lists the sizes that changed. Raises UserError where the program does not run.
    `loaded` is the program where it is loaded already: its text then runs once less.
    """
    search = Search(source, name, budget, loaded)
    if search.original is None:
        raise UserError(
            f"{name}: cannot be shrunk, as it does not run on meta tensors ({search.reason}); "
            "make its sizes small and import it with shrink=never"
        )
    path = search.path()
    for sizes in reversed(path):
        if sizes == search.start:
            return source
        cost = search.cost(sizes)
        assert cost is not None
        least = sizes == path[-1] and cost.elements <= _MOST_ELEMENTS and cost.flops <= _MOST_FLOPS
        if (least or cost.total <= budget * _SLACK) and _runs(text := search.text(sizes), name):
            return text
    return source


def _runs(source: str, name: str) -> bool:
    """Whether the program runs on the CPU with values (which meta tensors do not have)."""
    try:
        measure(source, name, device="cpu")
    except UserError:
        return False
    return True
