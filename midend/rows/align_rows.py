"""`align-rows`: rows that begin anywhere are loaded and stored in blocks that begin where cache lines do."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from kernelwright.ir.exploration import Exploration, Phase
from kernelwright.ir.kernel.analysis.accesses import Access
from kernelwright.ir.kernel.analysis.forms import Form, Leaf
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.sums import Sums
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operand, Operation, Region, Value
from kernelwright.ir.passes import Declined, Keeps, register
from kernelwright.ir.values import DTYPES
from kernelwright.midend.kernel_pass import NOT_KNOWN, KernelPass
from kernelwright.midend.rows.row_blocks import RowLoops
from kernelwright.midend.rows.row_positions import RowPositions, counter_of

#: Bytes of a cache line, and those that a thread can load or store at once.
LINE, WIDEST = 128, 16
#: Elements of the shortest row whose ends are worth a round of their own.
LEAST_ROW = 512


@register
@dataclass(frozen=True)
class AlignRows(KernelPass):
    """Start loops over rows at a cache line if a row's length is not a multiple of 16 bytes, for wide accesses.

    What a row has before its first line, and behind its last whole 16 bytes, gets a round of its own. Legal for loops
    over rows in steps of one block that count elements for addresses and masks alone and do not ask for their first
    round; sums are taken in another order. Nothing is claimed of pointers: Triton takes narrow accesses where one is no
    multiple of 16. Expected, not measured: in the place of four accesses of a warp, each of which touches one sector
    more than it needs, one that touches no more than it needs. Instructions of a round for sm_90, four elements a
    thread: softmax over 50257 fp32 had 115 in its first loop and 85 in its second, and has 92 and 59.
    """

    name: ClassVar[str] = "align-rows"
    needs: ClassVar[str] = "loops over one long row of no multiple of 16 bytes, masked at its end, that only place"
    changes: ClassVar[str] = "each loop begins at a cache line; the ends of the row have a loop of their own"
    keeps: ClassVar[Keeps | None] = Keeps.REASSOCIATED
    asks_launches: ClassVar[bool] = True
    explore = Exploration(Phase.FINISH, after=("rematerialize",))

    def rewrite(self, function: Function, launches: Launches | None) -> Function | Declined:
        """The kernel with two loops in the place of each."""
        if launches is None:
            return Declined(NOT_KNOWN)
        rows = RowLoops.of(function, launches)
        if isinstance(rows, Declined):
            return rows
        if rows.length < LEAST_ROW:
            return Declined(f"its rows have {rows.length} elements, fewer than {LEAST_ROW}")
        positions, loops = RowPositions.of(rows, launches), list[_Loop]()
        for loop in rows.loops:
            found = _Loop.of(positions, loop)
            if isinstance(found, Declined):
                return found
            loops.append(found)
        if len({loop.start for loop in loops}) > 1:
            return Declined("its loops begin rows at different places")
        sizes = _sizes(function, (access for loop in loops for access in loop.moved), launches)
        if not sizes:
            return Declined("the size of an element is not known")
        if rows.length * min(sizes) % WIDEST == 0:
            return Declined(f"the length of its rows is a multiple of {WIDEST} bytes")
        return _Aligned(positions, loops, min(sizes)).run() or Declined("the start of a row is not known before a loop")


def _sizes(function: Function, accesses: Iterable[Access], launches: Launches) -> list[int]:
    """Bytes of the elements that are accessed; none where one is not known."""
    names: dict[Operand, str] = {
        value: one.name for value, one in zip(function.body.arguments, function.parameters, strict=True)
    }
    found = [launches.dtype(names[access.base]) if access.base in names else None for access in accesses]
    return [DTYPES[dtype][2] for dtype in found if dtype is not None] if None not in found else []


@dataclass(frozen=True)
class _Loop:
    """A loop over rows that begin at `start`: `moved` are the accesses along the row, at `place` in it, and `masks`
    the values that are true before its end. `lanes`: the block's elements in the `rank` dimensions of an access."""

    operation: Operation
    backwards: bool
    start: Form
    lanes: Leaf
    rank: int
    moved: tuple[Access, ...]
    masks: tuple[Value, ...]

    @classmethod
    def of(cls, positions: RowPositions, loop: Operation) -> "_Loop | Declined":
        """Read a loop, or say why not: positions are for more than addresses and masks, or rows are not alike."""
        inside, counter = positions.inside(loop), Leaf(counter_of(loop))
        if positions.is_ordered(loop):
            return Declined("a loop depends on which element comes first")
        if any(one.regions for one in loop.regions[0].operations):
            return Declined("a loop contains a branch")
        if any(access.index is None for access in inside):
            return Declined("an access in a loop has no known index")
        moved = tuple(one for one in inside if one.index is not None and positions.moves(loop, one.index))
        lanes = {leaf for one in moved if one.index for leaf in one.index.leaves if leaf.value in positions.lanes}
        shapes = {positions.accesses.indices.shapes.of(one.operation.operands[0]) for one in moved}
        shape = shapes.pop() if len(shapes) == 1 else None
        if not shape or len(lanes) != 1:
            return Declined("a loop's accesses along the row differ in shape or in lanes")
        leaf, backwards = lanes.pop(), positions.runs_backwards(loop)
        place = Form.of({(leaf,): 1})
        place = place.plus(Form.of({(counter,): 1}), -1 if backwards else 1)
        place = place.plus(positions.last(positions.rows.length)) if backwards else place
        starts = {one.index.plus(place, -1) for one in moved if one.index is not None}
        start = starts.pop() if len(starts) == 1 else None
        if start is None or positions.moves(loop, start):
            return Declined("a loop's accesses begin rows at different places")
        if start.constant is not None:
            return Declined("all programs read the same row")
        masks = _ends(positions, loop, place.plus(Form.number(-positions.rows.length)), len(shape))
        kept = {id(one.operation) for one in moved}
        if not _only_placed(positions, loop, kept, masks):
            return Declined("a loop uses positions for more than addresses and masks")
        if not all(_is_ended(positions, one, masks) for one in moved):
            return Declined("an access is not masked at the end of the row")
        return cls(loop, backwards, start, leaf, len(shape), moved, tuple(masks))


def _ends(positions: RowPositions, loop: Operation, below_zero: Form, rank: int) -> list[Value]:
    """The values of a loop that say, in the rank of accesses, whether elements are before the end of the row."""
    found = []
    for one in loop.regions[0].operations:
        if one.kind not in ("lt", "le", "gt", "ge", "expand_dims", "broadcast_to"):
            continue
        shape = positions.accesses.indices.shapes.of(one.result)
        if shape is not None and len(shape) == rank:
            said = list(positions.accesses.conditions(one.result))
            if [condition.form for condition in said] == [below_zero]:
                found.append(one.result)
    return found


def _is_ended(positions: RowPositions, access: Access, masks: list[Value]) -> bool:
    """Whether the mask of an access holds one of these."""

    def holds(operand: Operand | None) -> bool:
        made = positions.accesses.indices.definitions.get(operand) if isinstance(operand, Value) else None
        return operand in masks or (
            made is not None and made.kind in ("bitand", "and", "broadcast_to") and any(map(holds, made.operands))
        )

    return holds(access.operation.get("mask"))


def _only_placed(positions: RowPositions, loop: Operation, accesses: set[int], masks: list[Value]) -> bool:
    """Whether positions of a loop are used for the pointers of these accesses and for these masks alone."""
    placed: set[Operand] = {*positions.lanes, counter_of(loop)}
    inner = loop.regions[0]
    moved = {a for a in inner.arguments[1:] if positions.accesses.indices.step(a) is not None}
    placed |= moved
    for operation in positions.rows.before(loop):
        if operation.effect == Effect.PURE and not operation.regions and placed.intersection(operation.operands):
            placed.update(operation.results)
    for operation in inner.operations:
        used = placed.intersection(operation.operands)
        if not used or (operation.results and operation.result in masks):
            continue
        if id(operation) in accesses:
            if any(operand in placed for operand in operation.operands[1:]):
                return False
        elif operation.effect != Effect.PURE:
            return False
        else:
            placed.update(operation.results)
    carried = zip(inner.arguments[1:], inner.yields, strict=True)
    return not any(given in placed for argument, given in carried if argument not in moved)


@dataclass(frozen=True)
class _Row:
    """Values of a row: where its first line begins, how many of its elements lie before that and how many behind it,
    and how many of the latter are in whole vectors."""

    start: Operand
    head: Operand
    end: Operand
    main: Operand


class _Aligned:
    def __init__(self, positions: RowPositions, loops: list[_Loop], size: int) -> None:
        self.positions, self.loops = positions, loops
        self.line, self.vector = LINE // size, WIDEST // size
        self.length = positions.rows.length
        self.edits = Rewriting(positions.rows.function)
        self.known: set[Operand] = set(positions.rows.known)

    def run(self) -> Function | None:
        """The kernel with two loops in the place of each; None where a row's start is not known before them."""
        first = self.loops[0].operation
        for operation in self.positions.rows.before(first):
            self.known.update(operation.results)
        sums = self._sums()
        row = self._row(sums)
        if row is None:
            return None
        self.edits.before(first, *sums.made)
        self.known |= {result for one in sums.made for result in one.results}
        for loop in self.loops:
            main = self._round(loop, row, loop.operation.inits, ends=False)
            ends = self._round(loop, row, main.results, ends=True)
            self.edits.before(loop.operation, main)
            self.edits.put(loop.operation, ends)
        return self.edits.done()

    def _sums(self) -> Sums:
        return Sums(self.edits, self.positions.accesses.indices, self.known)

    def _row(self, sums: Sums) -> _Row | None:
        start, length = self.loops[0].start, Form.number(self.length)
        rows, rank = start.multiple_of(length), self.loops[0].rank
        row = sums.form(rows if rows is not None else start, rank)
        if row is None:
            return None
        if rows is not None:
            row = sums.emit("mul", lhs=Constant(str(self.length)), rhs=row)
        line, vector = Constant(str(self.line)), Constant(str(self.vector))
        up = sums.add(row, Constant(str(self.line - 1)))
        begin = sums.emit("mul", lhs=sums.emit("floordiv", lhs=up, rhs=line), rhs=line)
        head = sums.emit("sub", lhs=begin, rhs=row)
        end = sums.emit("sub", lhs=Constant(str(self.length)), rhs=head)
        main = sums.emit("mul", lhs=sums.emit("floordiv", lhs=end, rhs=vector), rhs=vector)
        return _Row(begin, head, end, main)

    def _round(self, loop: _Loop, row: _Row, inits: tuple[Operand, ...], *, ends: bool) -> Operation:
        """From the first line on, with masks that are the same for all elements of a vector, which makes accesses
        wide; or what lies before and behind that: less than a line, and less than a vector."""
        body = loop.operation.regions[0]
        arguments = tuple(self.edits.value() for _ in body.arguments)
        sums = self._sums()
        place, mask = self._ends(sums, loop, row, arguments[0]) if ends else self._main(sums, loop, row, arguments[0])
        index = sums.add(place, row.start)
        operations, given = self.edits.clone(body, arguments)
        pointers = {id(access.operation): access.base for access in loop.moved}
        masks: dict[Operand, Operand] = {}
        made = sums.made
        for old, new in zip(body.operations, operations, strict=True):
            masks |= {one: mask for one, was in zip(new.results, old.results, strict=True) if was in loop.masks}
            operands = [masks.get(operand, operand) for operand in new.operands]
            if id(old) in pointers:
                operands[0] = sums.add(pointers[id(old)], index)
            made.append(new.having(operands=tuple(operands)))
        bound = self.line + self.vector - 1 if ends else self.length // self.vector * self.vector
        heads = {"end": Constant(str(bound))}
        head = [(heads.get(k, o), k) for o, k in zip(loop.operation.operands, loop.operation.keys, strict=True)]
        bounds = (o for o, key in head if key != "init")
        results = tuple(self.edits.value() for _ in loop.operation.results)
        region = Region(arguments, tuple(made), given)
        return loop.operation.having(operands=(*bounds, *inits), results=results, regions=(region,))

    def _place(self, sums: Sums, loop: _Loop, offset: Operand) -> Operand:
        lanes = sums.form(Form.of({(loop.lanes,): 1}), loop.rank)
        assert lanes is not None
        return sums.add(offset, lanes)

    def _main(self, sums: Sums, loop: _Loop, row: _Row, counter: Operand) -> tuple[Operand, Operand]:
        """Where elements are from the first line on, and the mask."""
        if loop.backwards:
            last = sums.form(self.positions.last(self.length // self.vector * self.vector), 0)
            assert last is not None
            counter = sums.emit("sub", lhs=last, rhs=counter)
        place = self._place(sums, loop, counter)
        return place, sums.emit("lt", lhs=place, rhs=row.main)

    def _ends(self, sums: Sums, loop: _Loop, row: _Row, counter: Operand) -> tuple[Operand, Operand]:
        """The same for what lies before it and behind the last whole vector."""
        number, line = self._place(sums, loop, counter), Constant(str(self.line))
        before = sums.emit("lt", lhs=number, rhs=line)
        behind = sums.emit("sub", lhs=row.main, rhs=line)
        moved = sums.emit("where", condition=before, x=Constant(str(-self.line)), y=behind)
        place = sums.add(number, moved)
        least = sums.emit("ge", lhs=place, rhs=sums.emit("neg", value=row.head))
        return place, sums.emit("bitand", lhs=least, rhs=sums.emit("lt", lhs=place, rhs=row.end))
