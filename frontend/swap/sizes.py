"""Sizes that may change from call to call: what a graph and its kernels are for given ones, and which ones are tried.

A kernel's run-time sizes are parameters such as `xnumel` and `ks0`. Inductor computes them from symbols of the graph,
which Dynamo's guards restrict. `versions.TRIED` has the releases that this adapter was tried with.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any

import torch
from torch.fx import Graph, Node
from torch.fx.node import map_aggregate

from kernelwright.backend.torch_private import tree_map
from kernelwright.backend.versions import adapting

with adapting("recording kernels", "torch"):
    import sympy  # type: ignore[import-untyped]
    from torch._inductor.virtualized import V

#: Symbols of a graph with a value for each.
Sizes = Mapping[Any, Any]
#: By run-time parameter, its numbers at all sizes for which something is known; at the same place for the same sizes.
Numbers = Sequence[tuple[str, Sequence[int]]]
_SYMBOLIC = (torch.SymInt, torch.SymFloat, torch.SymBool)


def sizes_now() -> Sizes:
    """The sizes with which the graph that Inductor lowers now was called first; empty where all are fixed."""
    return dict(getattr(V.graph.sizevars.shape_env, "backed_var_to_val", {}))


def guards_now() -> Sequence[Any]:
    """What must hold for the sizes of the graph that Inductor lowers now, as expressions."""
    return [one.expr for one in V.graph.sizevars.shape_env.guards]


def number(value: Any, sizes: Sizes) -> int | None:
    """A size, or an expression of sizes, as a number; None where that depends on other things."""
    if isinstance(value, int):
        return value
    found = _expression(value, sizes)
    return int(found) if found.is_number else None


def real(value: Any, sizes: Sizes) -> float | None:
    """The same for what need not be an integer; None also where it is not finite."""
    found = _expression(value, sizes)
    return float(found) if found.is_number and found.is_finite else None


def ratio(shape: Sequence[Any], other: Sequence[Any]) -> Any:
    """How many elements a shape has for each one of another, as an expression of sizes."""
    return math.prod(map(_expression, shape), start=sympy.Integer(1)) / math.prod(map(_expression, other))


def _expression(value: Any, sizes: Sizes = MappingProxyType({})) -> Any:
    """A size or a number as an expression, with these sizes in the place of symbols."""
    return sympy.sympify(value.node.expr if isinstance(value, _SYMBOLIC) else value).xreplace(dict(sizes))


def numels(kernel: Any) -> Mapping[str, Any]:
    """The run-time sizes of a kernel of Inductor's, as expressions: by name, what its program passes for them. Symbols
    that the program computes once, before all launches, have what they stand for in their place."""
    found = {str(name): value for value, name in kernel.args.sizevars.items()}
    found |= {f"{tree.prefix}numel": tree.numel for tree in kernel.range_trees}
    return {name: V.graph.sizevars.remove_precomputed_replacements(_expression(value)) for name, value in found.items()}


def around(now: Sizes, used: Iterable[Any], guards: Sequence[Any]) -> Iterator[Sizes]:
    """Sizes around those of now that the guards allow, each once: all small, powers of two and their neighbours, and
    all large. Of one size the first two have no common factor. Symbols that are not used stay as they are."""
    names = sorted(used, key=str)
    near = [_near(int(now[name])) for name in names]
    turned = [[one[(turn + place) % len(one)] for place, one in enumerate(near)] for turn in range(4)]
    small, large = ([min(one) for one in near], [max(one) for one in near])
    for chosen in dict.fromkeys(map(tuple, (small, *turned, large))):
        sizes = dict(now) | {name: sympy.Integer(value) for name, value in zip(names, chosen, strict=True)}
        if sizes != now and all(guard.xreplace(sizes) != sympy.false for guard in guards):
            yield sizes


def _near(value: int) -> tuple[int, int, int, int]:
    """About half a size as a power of two; one above the next power of two; twice that power; and one below it."""
    above = 1 << max(value - 1, 1).bit_length()
    return max(2, above // 4), above + 1, 2 * above, max(2, above - 1)


def at_sizes(graph: Graph, sizes: Sizes) -> Mapping[Node, Node]:
    """By node of a graph, the node of a copy for fixed sizes; nodes that are numbers have none."""
    made, placed = Graph(), dict[Node, Any]()

    def fixed(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            shape, strides = ([_plain(one, sizes) for one in some] for some in (value.shape, value.stride()))
            return torch.empty_strided(shape, strides, dtype=value.dtype, device="meta")
        return _plain(value, sizes)

    for node in graph.nodes:
        value = node.meta.get("val")
        if node.op == "output":
            continue
        if isinstance(value, _SYMBOLIC):
            placed[node] = _plain(value, sizes)
            continue
        copied = made.node_copy(node, placed.__getitem__)
        given: Any = (copied.args, dict(copied.kwargs))
        copied.args, copied.kwargs = map_aggregate(given, lambda one: _plain(one, sizes))
        copied.meta = {**node.meta, "val": tree_map(fixed, value)}
        placed[node] = copied
    return {node: one for node, one in placed.items() if isinstance(one, Node)}


def _plain(value: Any, sizes: Sizes) -> Any:
    if not isinstance(value, _SYMBOLIC):
        return value
    kind = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}[type(value)]
    return kind(_expression(value, sizes))


def which_fits(ranges: Sequence[Numbers], parameters: Sequence[str]) -> Callable[[Sequence[Any]], int]:
    """The place of the first range that the arguments of a launch fit, or the number of ranges: their sizes lie between
    known ones, and all holds among them that holds among these: equal ones, products of two, multiples of a number.
    Arguments are in the order of the parameters."""
    # Numbers alone stand in the text: a launch must not wait for a loop.
    tests = "".join(f"{place} if {_fitting(one, parameters)} else " for place, one in enumerate(ranges))
    which: Callable[[Sequence[Any]], int] = eval(f"lambda a: {tests}{len(ranges)}")
    return which


def fits(numbers: Numbers, sizes: Mapping[str, int]) -> bool:
    """Whether sizes, by run-time parameter, fit a range."""
    return which_fits([numbers], list(sizes))(list(sizes.values())) == 0


def _fitting(numbers: Numbers, parameters: Sequence[str]) -> str:
    """Whether the arguments `a` of a launch fit a range, as an expression."""
    places = [(parameters.index(name), list(known)) for name, known in numbers]
    tests = list[str]()
    for place, known in places:
        tests.append(f"{min(known)} <= a[{place}] <= {max(known)}")
        if min(known) < max(known) and (every := math.gcd(*known)) > 1:
            tests.append(f"a[{place}] % {every} == 0")
    wide = [(place, known) for place, known in places if min(known) < max(known)]
    for (first, some), (second, others) in combinations(wide, 2):
        ratios = {(a // math.gcd(a, b), b // math.gcd(a, b)) for a, b in zip(some, others, strict=True)}
        if len(ratios) == 1:
            ((a, b),) = ratios
            tests.append(f"{b} * a[{first}] == {a} * a[{second}]")
    for result, products in wide:
        for (first, some), (second, others) in combinations(wide, 2):
            factors = zip(products, some, others, strict=True)
            ratios = {(c // math.gcd(c, a * b), a * b // math.gcd(c, a * b)) for c, a, b in factors}
            if result not in (first, second) and len(ratios) == 1:
                ((c, b),) = ratios
                tests.append(f"{b} * a[{result}] == {c} * a[{first}] * a[{second}]")
    return " and ".join(tests)
