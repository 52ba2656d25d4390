"""`join-pairs`: elements that lie two by two are loaded and stored as one block, and parted in registers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.analysis.accesses import Access, Accesses, Condition
from kernelwright.ir.kernel.analysis.forms import INDEX_LIMIT, Form, Leaf
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.sums import Sums
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operand, Operation, Region, Value
from kernelwright.ir.passes import Declined, Keeps, register
from kernelwright.ir.values import DTYPES
from kernelwright.midend.kernel_pass import NOT_KNOWN, KernelPass

_TWO = Constant("2")


@register
@dataclass(frozen=True)
class JoinPairs(KernelPass):
    """Access elements 2·i and 2·i+1 by one load or store of twice the block, in the order of memory.

    Legal for two loads between which nothing is written, or two stores between which no memory is accessed, of one
    tensor, under one mask that bounds i by comparisons. Expected, not measured: rotary embeddings of pairs, complex
    numbers and interleaved gates touch each sector once in wide accesses, where two accesses with stride 2 touch it
    twice in narrow ones.
    """

    name: ClassVar[str] = "join-pairs"
    needs: ClassVar[str] = "two loads or two stores, one of elements 2·i and one of elements 2·i+1, under one mask"
    changes: ClassVar[str] = "one access of both, whose elements are parted or interleaved in registers"
    keeps: ClassVar[Keeps | None] = Keeps.EXACT
    asks_launches: ClassVar[bool] = True
    explore = Exploration(Phase.FINISH, after=("align-rows",))

    def rewrite(self, function: Function, launches: Launches | None) -> Function | Declined:
        """The kernel with such accesses."""
        if launches is None:
            return Declined(NOT_KNOWN)
        joining, reasons = _Joining(function, launches), list[str]()
        joining.region(function.body, set(), reasons)
        made = joining.edits.done()
        if made is not function:
            return made
        return Declined(reasons[0] if reasons else "no two accesses are of elements 2·i and 2·i+1 of one tensor")


@dataclass(frozen=True)
class _Pair:
    """Accesses of even and of odd elements: where the even ones begin, without the lanes."""

    even: Access
    odd: Access
    start: Form
    lanes: Leaf
    block: Operand

    @property
    def operations(self) -> tuple[Operation, Operation]:
        return self.even.operation, self.odd.operation


class _Joining:
    def __init__(self, function: Function, launches: Launches) -> None:
        self.edits, self.launches = Rewriting(function), launches
        # Sums are written with the kernel's own arguments, not with what launches pass.
        self.accesses = Accesses(function)
        self.indices = self.accesses.indices
        self._by_operation = {id(one.operation): one for one in self.accesses.all}
        pairs = zip(function.body.arguments, function.parameters, strict=True)
        self._names: dict[Operand, str] = {value: one.name for value, one in pairs}
        self._arguments = set(function.body.arguments)

    def region(self, region: Region, known: set[Operand], reasons: list[str]) -> None:
        """Join the pairs of a region and of those inside; `reasons` gets why one was not joined."""
        known = {*known, *region.arguments}
        joined = dict[int, _Pair]()
        for pair in self._pairs(region.operations):
            reason = self._hindrance(pair, region.operations)
            if reason:
                reasons.append(reason)
            elif not any(id(one) in joined for one in pair.operations):
                joined |= {id(one): pair for one in pair.operations}
        seen = set[int]()
        for one in region.operations:
            pair_here = joined.get(id(one))
            if pair_here is not None:
                first = id(pair_here) not in seen
                seen.add(id(pair_here))
                if first == (one.kind == "load") and not self._join(one, pair_here, known):
                    reasons.append("an index or a mask is not known where the first of two loads stands")
            for inner in one.regions:
                self.region(inner, known, reasons)
            known.update(one.results)

    def _pairs(self, operations: Sequence[Operation]) -> Iterator[_Pair]:
        found = [self._by_operation[id(one)] for one in operations if id(one) in self._by_operation]
        for one, other in combinations(found, 2):
            if one.operation.kind != other.operation.kind or one.base != other.base or one.base not in self._arguments:
                continue
            if one.operation.kind not in ("load", "store") or one.index is None or other.index is None:
                continue
            apart = other.index.plus(one.index, -1).constant
            even, odd = (one, other) if apart == 1 else (other, one)
            lanes = self._lanes(even) if apart in (1, -1) else None
            if lanes is not None and even.index is not None:
                leaf, block = lanes
                yield _Pair(even, odd, even.index.plus(Form.of({(leaf,): 1}), -2), leaf, block)

    def _lanes(self, access: Access) -> tuple[Leaf, Operand] | None:
        """The lanes that an access takes two steps with, and how many they are."""
        assert access.index is not None
        shape = self.indices.shapes.of(access.operation.operands[0])
        if not shape or not self.indices.spans(access.index, access.operation.operands[0]):
            return None
        for leaf in (leaf for leaf in access.index.leaves if leaf.dims == (-1,)):
            made, factor = self.indices.definitions.get(leaf.value), access.index.coefficient(leaf)
            if made is not None and made.kind == "arange" and factor is not None and factor.constant == 2:
                alone = not any(-1 in other.dims for other in access.index.leaves - {leaf})
                return (leaf, made.operands[1]) if made.operands[0] == Constant("0") and alone else None
        return None

    def _hindrance(self, pair: _Pair, operations: Sequence[Operation]) -> str:
        """Why a pair is not joined; "" where it may be."""
        even, odd = pair.operations
        name = self._names[pair.even.base]
        extent, dtype = self.launches.extent(name), self.launches.dtype(name)
        if extent is None or 2 * extent >= INDEX_LIMIT or dtype not in DTYPES or dtype == "b1":
            return "the tensor of two accesses is of no known type, or is too large for 32 bits"
        alike = set(pair.even.conditions) == set(pair.odd.conditions)
        if not alike or pair.even.hints != pair.odd.hints or pair.even.fill != pair.odd.fill:
            return "two accesses differ in their masks, fill values or hints"
        if "volatile" in pair.even.hints or self.indices.shapes.of(pair.even.fill or Constant("0")) != ():
            return "two accesses are volatile, or have a fill value for each element"
        if any(_turned(one, pair.lanes) is None for one in pair.even.conditions):
            return "a mask of two accesses is no comparison of their lanes"
        places = [place for place, one in enumerate(operations) if one is even or one is odd]
        between = [one.effect for one in operations[places[0] + 1 : places[1]]]
        allowed = Effect.READ if even.kind == "load" else Effect.PURE
        return "memory is accessed between two accesses" if any(one > allowed for one in between) else ""

    def _join(self, anchor: Operation, pair: _Pair, known: set[Operand]) -> bool:
        """Put one access in the place of both, before the anchor; False where a value is not known there."""
        sums = Sums(self.edits, self.indices, set(known))
        shape = self.indices.shapes.of(anchor.operands[0]) or ()
        lanes = self._wide_lanes(sums, pair.block, len(shape))
        start = sums.form(pair.start, len(shape)) if pair.start.terms else None
        mask = self._mask(sums, pair, lanes, len(shape))
        if (start is None and pair.start.terms) or (mask is None and pair.even.conditions):
            return False
        offset = lanes if start is None else sums.add(start, lanes)
        parts: dict[str, Operand] = {"pointer": sums.add(pair.even.base, offset), **pair.even.hints}
        parts |= {"mask": mask} if mask is not None else {}
        if anchor.kind == "load":
            parts |= {"other": pair.even.fill} if pair.even.fill is not None and mask is not None else {}
            self._part(sums, sums.emit("load", **parts), shape, pair)
        else:
            values = [self._cast(sums, one, shape) for one in (pair.even, pair.odd)]
            value = sums.emit("interleave", a=values[0], b=values[1])
            sums.made.append(self.edits.make("store", value=value, **parts))
            for one in pair.operations:
                self.edits.erase(one)
        self.edits.before(anchor, *sums.made)
        return True

    def _wide_lanes(self, sums: Sums, block: Operand, rank: int) -> Operand:
        number = block.number if isinstance(block, Constant) else None
        end = Constant(str(2 * number)) if isinstance(number, int) else sums.emit("mul", lhs=_TWO, rhs=block)
        lanes = sums.emit("arange", start=Constant("0"), end=end)
        for axis in range(rank - 1):
            lanes = sums.emit("expand_dims", input=lanes, axis=Constant(str(axis)))
        return lanes

    def _mask(self, sums: Sums, pair: _Pair, lanes: Operand, rank: int) -> Operand | None:
        """The mask for both elements of each pair; None where there is none, or one is not known."""
        total: Operand | None = None
        for condition in pair.even.conditions:
            found = _turned(condition, pair.lanes)
            if found is None:
                return None
            factor, rest = found
            sides = []
            for sign in (1, -1):  # what is added on one side is not taken away on the other
                terms = Form.of({product: sign * number for product, number in rest.terms if sign * number > 0})
                side = sums.form(terms, rank)
                if side is None:
                    return None
                if factor == sign:
                    side = sums.add(side, lanes) if terms.terms else lanes
                sides.append(side)
            one = sums.emit("lt", lhs=sides[0], rhs=sides[1])
            total = one if total is None else sums.emit("bitand", lhs=total, rhs=one)
        return total

    def _part(self, sums: Sums, loaded: Value, shape: Sequence[Operand], pair: _Pair) -> None:
        """Even and odd elements of what was loaded, in the place of both loads."""
        parted = Operation("tuple", (*shape, _TWO), ("element",) * (len(shape) + 1), (self.edits.value(),))
        sums.made.append(parted)
        halves = sums.emit("split", a=sums.emit("reshape", input=loaded, shape=parted.result))
        for place, one in enumerate(pair.operations):
            self.edits.replace(one.result, sums.emit("getitem", value=halves, index=Constant(str(place))))
            self.edits.erase(one)

    def _cast(self, sums: Sums, access: Access, shape: Sequence[Operand]) -> Operand:
        """What is stored, in the tensor's type and the pointer's shape."""
        value = access.operation.operands[1]
        dtype = DTYPES[self.launches.dtype(self._names[access.base]) or ""][0]
        if self.indices.shapes.of(value) != tuple(shape):
            whole = Operation("tuple", tuple(shape), ("element",) * len(shape), (self.edits.value(),))
            sums.made.append(whole)
            value = sums.emit("broadcast_to", input=value, shape=whole.result)
        return sums.emit("cast", input=value, dtype=Constant(f"tl.{dtype}"))


def _turned(condition: Condition, lanes: Leaf) -> tuple[int, Form] | None:
    """A condition on i, said of n = 2·i and n = 2·i + 1: `factor·n + rest < 0`. None for one that cannot be."""
    form = condition.form
    factor = form.coefficient(lanes) if form is not None else None
    if form is None or factor is None or factor.constant not in (-1, 0, 1):
        return None
    rest, number = form.plus(Form.of({(lanes,): 1}), -factor.constant), factor.constant
    return number, rest if number == 0 else Form().plus(rest, 2).plus(Form.number(int(number == -1)))
