"""A loop that reduces rows, in two kernels: one reduces parts of rows, the other one what parts come to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kernelwright.backend.tuning.space import LARGEST, LIMITS
from kernelwright.ir.kernel.analysis.accesses import Accesses
from kernelwright.ir.kernel.analysis.axes import SCANNING
from kernelwright.ir.kernel.analysis.forms import Form, Leaf
from kernelwright.ir.kernel.analysis.launches import Launches
from kernelwright.ir.kernel.merging.merged import with_parameters, without_idle_parameters
from kernelwright.ir.kernel.merging.reading import UnfitError
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operand, Operation, Parameter, Value
from kernelwright.ir.passes import Declined
from kernelwright.ir.values import Scalar
from kernelwright.midend.rows.accumulators import Accumulator, accumulators
from kernelwright.midend.rows.row_blocks import RowLoops

#: Elements that a program of the second kernel has, and those for each of its warps, of which there are so many.
TILE, WARP, MOST_WARPS = 1024, 256, 8


@dataclass(frozen=True)
class RowParts:
    """A kernel whose only loop reduces `rows` rows of `row` elements, in blocks of `option` rows and `step` elements.

    A part has `size` elements.
    """

    accesses: Accesses
    function: Function
    loop: Operation
    accumulators: tuple[Accumulator, ...]
    rows: int
    row: int
    option: str
    step: str
    size: int

    @classmethod
    def of(
        cls, function: Function, launches: Launches, functions: Mapping[str, Function], rows: int, option: str
    ) -> "RowParts":
        """Read a kernel, its parts as long as its rows. Raises UnfitError for one that does more than reduce rows in a
        loop and work on the results."""
        loops = RowLoops.of(function, launches)
        if isinstance(loops, Declined):
            raise UnfitError(loops.reason)
        if len(loops.loops) != 1 or loops.around:
            raise UnfitError("it has more than one loop")
        (loop,) = loops.loops
        carried = accumulators(function, loop, functions)
        accesses, length = Accesses(function, launches), loops.length
        found = cls(accesses, function, loop, carried, rows, length, option, loops.parameter, length)
        found._check_work()
        found._check_rows()
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each value that a part comes to."""
        return tuple(name for one in self.accumulators for name in one.names)

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The types of these."""
        return tuple(one.dtype.text for one in self.accumulators for _ in one.names)

    @property
    def parts(self) -> int:
        """Parts of a row."""
        return -(-self.row // self.size)

    def meta(self, given: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """Launch options for the kernel that joins parts to begin with."""
        rows = max(min(TILE // self._block, 1 << (self.rows - 1).bit_length()), 1)
        own = given[self.option]
        assert isinstance(own, int)
        if not self._masks_rows:  # what is unmasked fits blocks that divide the given one
            rows = min(rows, own)
        return {self.option: rows, "num_warps": max(min(rows * self._block // WARP, MOST_WARPS), 1)}

    @property
    def _block(self) -> int:
        """The least block that holds all parts."""
        return 1 << (self.parts - 1).bit_length()

    # What is known of the kernel.

    @property
    def _after(self) -> Sequence[Operation]:
        """What stands after the loop."""
        body = self.function.body.operations
        return body[next(place for place, one in enumerate(body) if one is self.loop) + 1 :]

    def _lanes(self, option: str) -> set[Value]:
        """The lanes of blocks that a launch option gives the size of."""
        block = self.function.argument(option)
        return {one.result for one in self.function.walk() if one.kind == "arange" and one.operands[1] == block}

    def _check_work(self) -> None:
        """Raise where the loop does more than reduce, or something before it does more than compute."""
        body, inside = self.function.body.operations, list(self.loop.walk())[1:]
        if any(one.regions for one in body if one is not self.loop):
            raise UnfitError("it has a branch beside its loop")
        before = body[: len(body) - len(self._after) - 1]
        if any(one.effect == Effect.WRITE for one in (*before, *inside)):
            raise UnfitError("it does more before its loop, or in it, than compute")
        if any(one.kind in SCANNING for one in inside):
            raise UnfitError("its loop scans rows")
        if any(one.regions and not self._begins(one) for one in inside):
            raise UnfitError("its loop has a branch that does more than begin")
        shape = tuple(map(self.function.argument, (self.option, self.step)))
        inits = [self.accesses.indices.shapes.of(init) for init in self.loop.inits]
        if any(one != shape for one in inits) or any(one.dim != -1 for one in self.accumulators):
            raise UnfitError("its accumulators are not blocks of rows by elements of these")

    def unit(self, least: int, step: int) -> int:
        """What parts are to be multiples of: `least`. Where the loop does not say where rows end, also the longest
        step that launch options may give it instead of `step`. Raises UnfitError for rows that are no multiples of
        that."""
        if all(one.ends(self._is_end, self.accesses.indices.definitions) for one in self.accumulators):
            return least
        unit = max(least, LIMITS.get(self.step, LARGEST))
        if self._ends or self.row % unit or unit % step:
            raise UnfitError("its loop does not say where rows end")
        return unit

    def _begins(self, branch: Operation) -> bool:
        """Whether a branch is the loop's first turn, and gives nothing but what the loop carries."""
        definitions, loop = self.accesses.indices.definitions, self.loop.regions[0]
        made = definitions.get(branch.operands[0]) if isinstance(branch.operands[0], Value) else None
        if branch.kind != "if" or made is None or made.kind != "eq" or loop.arguments[0] not in made.operands:
            return False
        users = self.function.uses()
        given = [one.results for result in branch.results for one in users.get(result, ()) if one is not self.loop]
        first = any(self.accesses.indices.form(one) == Form() for one in made.operands)
        return first and all(set(results) & set(loop.yields) for results in given)

    @cached_property
    def _ends(self) -> Mapping[Operand, Operand]:
        """The loop's conditions that end a row, and what they compare its end with."""
        indices, turn = self.accesses.indices, Leaf(self.loop.regions[0].arguments[0])
        places = [Form.of({(turn,): 1, (Leaf(lanes, (-1,)),): 1}) for lanes in self._lanes(self.step)]
        ends = [place.plus(Form.number(-self.row)) for place in places]
        found: dict[Operand, Operand] = {}
        for one in self.loop.walk():
            if one.kind in ("lt", "le", "gt", "ge") and any(
                condition.form in ends for condition in self.accesses.conditions(one.result)
            ):
                found[one.result] = next(o for o in one.operands if indices.form(o) in places)
        return found

    def _is_end(self, condition: Operand) -> bool:
        return condition in self._ends

    def _check_rows(self) -> None:
        """Raise where something depends on a program and a lane otherwise than on the row that the two have together.
        Other blocks of rows may then take up what these leave."""
        block = self.function.argument(self.option)
        for one in self.function.walk():
            if one.kind in ("num_programs", "program_id") and one.operands[0] != Constant("0"):
                raise UnfitError("it has programs along a second axis")
            if one.kind == "num_programs" or (block in one.operands and one.kind not in ("mul", "arange", "tuple")):
                raise UnfitError("it computes with how many programs, or rows of a program, there are")
            pieces = [o for o in one.operands if self._role(o) == "piece"]
            if (pieces or (one.kind == "mul" and block in one.operands)) and None in map(self._role, one.results):
                raise UnfitError("its programs and lanes say more than which row they have")
            if any(self._role(given) == "piece" for region in one.regions for given in region.yields):
                raise UnfitError("its programs and lanes say more than which row they have")

    def _role(self, operand: Operand) -> str | None:
        """Whether a value says which row a lane has, or is a piece of that sum."""
        form, lanes = self.accesses.indices.form(operand), self._lanes(self.option)
        if form is None or not form.terms:
            return None
        programs = {one.result for one in self.function.walk() if one.kind == "program_id"}
        block, rest = self.function.argument(self.option), []
        starts = 0
        for product, coefficient in form.terms:
            values = [factor.value for factor in product if isinstance(factor, Leaf)]
            if coefficient == 1 and len(values) == len(product) == 2 and block in values and programs & set(values):
                starts += 1
            else:
                rest.append(values if coefficient == 1 and len(product) == 1 else [])
        moving = len(rest) == 1 and len(rest[0]) == 1 and rest[0][0] in lanes
        if starts == 1 and moving:
            return "row"
        alone = len(rest) == 1 and not starts and len(rest[0]) == 1 and rest[0][0] in programs
        return "piece" if alone or (starts == 1 and not rest) or (not starts and moving) else None

    @property
    def _masks_rows(self) -> bool:
        """Whether a condition says where rows end."""
        found = (
            (one, condition.form.plus(Form.number(self.rows)))
            for one in self.function.walk()
            if one.kind in ("lt", "le", "gt", "ge")
            for condition in self.accesses.conditions(one.result)
            if condition.form is not None
        )
        return any(self._is_row(one, form) for one, form in found)

    def _is_row(self, condition: Operation, form: Form) -> bool:
        return any(self._role(o) == "row" and self.accesses.indices.form(o) == form for o in condition.operands)

    # The two kernels.

    def in_parts(self, symbol: str, pointers: Sequence[str]) -> Function:
        """The kernel that reduces part `tl.program_id(1)` of each row, and stores what that comes to."""
        function = with_parameters(self.function, list(map(Parameter, pointers)), symbol)
        edits, loop = Rewriting(function), self.loop
        size, row = Constant(str(self.size)), Constant(str(self.row))
        part = edits.compute(loop, "program_id", axis=Constant("1"))
        start = edits.compute(loop, "mul", lhs=part, rhs=size)
        stop = edits.compute(loop, "add", lhs=start, rhs=size)
        stop = edits.compute(loop, "minimum", x=stop, y=row)
        edits.change(loop, start=start, end=stop)
        for one in self.loop.walk():
            if one.kind == "if":
                first = edits.compute(one, "eq", lhs=loop.regions[0].arguments[0], rhs=start)
                edits.change(one, condition=first)
            elif one.results and one.results[0] in self._ends:
                edits.replace(one.result, edits.compute(one, "lt", lhs=self._ends[one.result], rhs=stop))
        for one in self._after:
            if one.effect == Effect.WRITE:
                edits.erase(one)
        last = function.body.operations[-1]
        emitted = _Emitted(edits)
        index, inside = self._stored_at(emitted, function, part)
        for pointer, value in zip(pointers, self._reduced(emitted), strict=True):
            at = emitted.add("add", lhs=function.argument(pointer), rhs=index)
            emitted.made.append(edits.make("store", pointer=at, value=value, mask=inside))
        edits.after(last, *emitted.made)
        return without_idle_parameters(edits.done())

    def _reduced(self, emitted: "_Emitted") -> list[Value]:
        """What a part of each row comes to."""
        found = []
        users = self.function.uses()
        for one in self.accumulators:
            (user,) = users[self.loop.results[one.carried[0]]]
            (reduction,) = users[user.result] if user.kind == "tuple" else (user,)
            kept = reduction.get("keep_dims") not in (None, Constant("False"))
            for number in range(len(one.carried)):
                value: Value = reduction.result
                if len(one.carried) > 1:
                    value = emitted.add("getitem", value=value, index=Constant(str(number)))
                found.append(value if kept else emitted.add("expand_dims", input=value, axis=Constant("1")))
        return found

    def joined(self, symbol: str, pointers: Sequence[str]) -> Function:
        """The kernel that reduces what parts come to, and does what the kernel did with the results."""
        function = with_parameters(self.function, list(map(Parameter, pointers)), symbol)
        edits = Rewriting(function)
        emitted = _Emitted(edits)
        lanes = emitted.add("arange", start=Constant("0"), end=Constant(str(self._block)))
        part = emitted.add("expand_dims", input=lanes, axis=Constant("0"))
        index, inside = self._stored_at(emitted, function, part)
        exists = emitted.add("lt", lhs=part, rhs=Constant(str(self.parts)))
        mask = emitted.add("bitand", lhs=exists, rhs=inside)
        places = iter(pointers)
        for one in self.accumulators:
            for number in one.carried:
                at = emitted.add("add", lhs=function.argument(next(places)), rhs=index)
                loaded = emitted.add("load", pointer=at, mask=mask, other=one.start)
                edits.replace(self.loop.results[number], loaded)
        edits.before(self.loop, *emitted.made)
        edits.erase(self.loop)
        made = without_idle_parameters(edits.done())
        if self.step in {one.name for one in made.parameters}:
            raise UnfitError("it works on elements of rows after its loop, too")
        return made

    def _stored_at(self, emitted: "_Emitted", function: Function, part: Value) -> tuple[Value, Value]:
        """Where a part of each row is stored, and which rows there are."""
        block = function.argument(self.option)
        start = emitted.add("mul", lhs=emitted.add("program_id", axis=Constant("0")), rhs=block)
        lanes = emitted.add("arange", start=Constant("0"), end=block)
        row = emitted.add("add", lhs=start, rhs=emitted.add("expand_dims", input=lanes, axis=Constant("1")))
        index = emitted.add("add", lhs=emitted.add("mul", lhs=Constant(str(self.parts)), rhs=row), rhs=part)
        return index, emitted.add("lt", lhs=row, rhs=Constant(str(self.rows)))


@dataclass
class _Emitted:
    """Operations in the making, in order."""

    edits: Rewriting

    def __post_init__(self) -> None:
        self.made: list[Operation] = []

    def add(self, kind: str, /, **parts: Operand) -> Value:
        """Add an operation; gives its result."""
        self.made.append(self.edits.make(kind, **parts))
        return self.made[-1].result
