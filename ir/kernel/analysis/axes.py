"""What a kernel runs over: for every `arange`, where its elements lie and what becomes of them.

What launches are known to pass, such as extents and strides, is taken for the number that it is.

An axis is *parallel* where programs take one block of it each, *looped* where a loop goes from block to block, *whole*
where one block holds all of it, *mixed* where programs and a loop come together, as in a loop over a share of a row.
"""

from dataclasses import dataclass
from typing import Literal

from kernelwright.ir.kernel.analysis.accesses import Accesses
from kernelwright.ir.kernel.analysis.forms import Form, Leaf, Product
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.analysis.shapes import Shapes
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Value

Placing = Literal["parallel", "looped", "whole", "mixed"]
_REDUCTIONS = frozenset({"sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce_or", "reduce", "softmax"})
SCANNING = frozenset({"associative_scan", "cumsum", "cumprod", "sort", "flip"})
#: Kinds that combine the elements of an axis.
COMBINING = _REDUCTIONS | SCANNING


@dataclass(frozen=True)
class Axis:
    """One `arange` (`lanes`) of `block` elements. `index` is the number of an element along the whole axis; `extent` is
    where masks end it, None where none does. `reduced` and `scanned`: something combines elements along it, or along
    another axis of the same lanes."""

    lanes: Value
    block: Operand
    placing: Placing
    index: Form
    extent: Form | None
    reduced: bool
    scanned: bool


@dataclass(frozen=True)
class GridAxis:
    """`program_id(axis)`, and whether its number is taken apart by `//` and `%` into several."""

    axis: int
    program: Value
    is_split: bool


class Axes:
    """The axes of a function."""

    def __init__(self, function: Function, launches: Launches | None = None) -> None:
        self.accesses = Accesses(function, launches)
        self.indices = self.accesses.indices
        self._lanes = _Lanes(function, self.indices.shapes)
        operations = list(function.walk())
        self.grid = tuple(self._grid(one) for one in operations if one.kind == "program_id")
        self.loops = tuple(one for one in operations if one.kind == "for")
        self._ranges = [r for access in self.accesses.all for r in self.accesses.ranges(access)]
        self.all = tuple(
            self._axis(one, *bounded)
            for one in operations
            if one.kind == "arange"
            for bounded in self._bounded(one.result)
        )

    def along(self, operand: Operand, dim: int) -> frozenset[Value]:
        """The `arange`s that the elements of a value run over in a dimension, counted from the right: -1, -2, …"""
        return self._lanes.of(operand).get(dim, frozenset())

    def _grid(self, operation: Operation) -> GridAxis:
        number = operation.operands[0]
        axis = number.number if isinstance(number, Constant) else None
        uses = [one for one in self.indices.definitions.values() if operation.result in one.operands]
        split = any(one.kind in ("floordiv", "mod") for one in uses)
        return GridAxis(axis if isinstance(axis, int) else -1, operation.result, split)

    def _axis(self, operation: Operation, index: Form, extent: Form | None) -> Axis:
        lanes = operation.result
        combined = self._lanes.combined
        return Axis(
            lanes,
            operation.operands[1],
            self._placing(index),
            index,
            extent,
            lanes in combined.get("reduced", ()),
            lanes in combined.get("scanned", ()),
        )

    def _bounded(self, lanes: Value) -> list[tuple[Form, Form | None]]:
        """For every axis of the lanes the sum that numbers its elements, and its extent.

        The sum is what a mask bounds, else the lanes and what adds to them. Lanes that programs place in several ways,
        as the rows and the columns of a square tile, are an axis for each.
        """
        found: dict[Form, tuple[Form, Form | None]] = {}
        programs = {one.program for one in self.grid}
        for one in self._ranges:
            if self._is_unit(one.index, lanes) and one.upper is not None:
                placed = {p: c for p, c in one.index.terms if any(leaf.value in programs for leaf in _leaves(p))}
                found.setdefault(Form.of(placed), (one.index, one.upper))
        return list(found.values()) or [(self._own(lanes), None)]

    def _is_unit(self, form: Form, lanes: Value) -> bool:
        """Whether the form moves by one from lane to lane and runs over no other lanes."""
        leaves = [leaf for leaf in form.leaves if leaf.dims]
        if len(leaves) != 1 or leaves[0].value != lanes:
            return False
        coefficient = form.coefficient(leaves[0])
        return coefficient is not None and coefficient.constant == 1

    def _own(self, lanes: Value) -> Form:
        """The largest sum that is computed of these lanes and of no other, before anything is multiplied."""
        best = self.indices.form(lanes) or Form.of({(Leaf(lanes, (-1,)),): 1})
        for value, operation in self.indices.definitions.items():
            form = self.indices.form(value) if operation.kind == "add" else None
            if form is not None and self._is_unit(form, lanes) and len(form.terms) > len(best.terms):
                best = form
        return best

    def _placing(self, index: Form) -> Placing:
        programs = {one.program for one in self.grid}
        parallel = any(leaf.value in programs for leaf in index.leaves)
        looped = any(leaf.value in self.indices.counters for leaf in index.leaves)
        return "mixed" if parallel and looped else "parallel" if parallel else "looped" if looped else "whole"


def _leaves(product: Product) -> frozenset[Leaf]:
    return Form.of({product: 1}).leaves


class _Lanes:
    """Which `arange`s the elements of every value run over, dimension by dimension."""

    def __init__(self, function: Function, shapes: Shapes) -> None:
        self._of: dict[Operand, dict[int, frozenset[Value]]] = {}
        self.combined: dict[str, set[Value]] = {"reduced": set(), "scanned": set()}
        self._shapes = shapes
        for _ in range(2):  # a second time for what loops carry around
            for operation in function.walk():
                self._visit(operation)

    def of(self, operand: Operand) -> dict[int, frozenset[Value]]:
        return self._of.get(operand, {})

    def _merge(self, target: Operand, *sources: dict[int, frozenset[Value]]) -> None:
        found = self._of.setdefault(target, {})
        for source in sources:
            for dim, lanes in source.items():
                found[dim] = found.get(dim, frozenset()) | lanes

    def _visit(self, operation: Operation) -> None:
        kind, operands = operation.kind, operation.operands
        if operation.inits:
            for body in operation.regions:
                skip = len(body.arguments) - len(operation.results)
                given = operation.regions[-1].yields
                for argument, init, end in zip(body.arguments[skip:], operation.inits, given, strict=True):
                    self._merge(argument, self.of(init), self.of(end))
        if operation.regions:
            for index, result in enumerate(operation.results):
                ends = [body.yields[index] for body in operation.regions if len(body.yields) == len(operation.results)]
                self._merge(result, *map(self.of, (*ends, *operation.inits[index : index + 1])))
            return
        if len(operation.results) != 1:
            return
        result = operation.result
        if kind == "arange":
            self._of[result] = {-1: frozenset({result})}
        elif kind == "expand_dims":
            self._shifted(operation)
        elif kind in _REDUCTIONS or kind in SCANNING:
            self._combined(operation)
        elif kind in ("reshape", "view", "trans", "permute", "join", "cat", "interleave", "dot"):
            self._rearranged(operation)
        else:
            self._merge(result, *map(self.of, operands))

    def _shifted(self, operation: Operation) -> None:
        shape, axis = self._shapes.of(operation.operands[0]), operation.get("axis")
        number = axis.number if isinstance(axis, Constant) else None
        if shape is None or not isinstance(number, int):
            return
        rank = len(shape) + 1
        place = number % rank - rank
        moved = {dim if dim > place else dim - 1: lanes for dim, lanes in self.of(operation.operands[0]).items()}
        self._merge(operation.result, moved)

    def _combined(self, operation: Operation) -> None:
        source = self.of(operation.operands[0])
        kept = operation.get("keep_dims") not in (None, Constant("False"))
        axis = operation.get("axis") or operation.get("dim")
        what = "scanned" if operation.kind in SCANNING else "reduced"
        shape = self._shapes.of(operation.operands[0])
        number = axis.number if isinstance(axis, Constant) else None
        if not isinstance(number, int) or (number >= 0 and not shape):
            self.combined[what].update(*source.values())
            return
        place = number - len(shape or ()) if number >= 0 else number
        self.combined[what].update(source.get(place, ()))
        if what == "scanned" or operation.kind == "softmax":
            self._merge(operation.result, source)
            return
        rest = {dim: lanes for dim, lanes in source.items() if dim != place}
        self._merge(operation.result, rest if kept else {d + 1 if d < place else d: lanes for d, lanes in rest.items()})

    def _rearranged(self, operation: Operation) -> None:
        if operation.kind == "dot":
            first, second = self.of(operation.operands[0]), self.of(operation.operands[1])
            self.combined["reduced"].update(first.get(-1, ()), second.get(-2, ()))
            self._merge(operation.result, {-2: first.get(-2, frozenset()), -1: second.get(-1, frozenset())})
        elif operation.kind in ("trans", "permute") and operation.get("dims") is None:
            source = self.of(operation.operands[0])
            self._merge(operation.result, {-3 - dim: lanes for dim, lanes in source.items() if dim in (-1, -2)})
