"""One program that does the work of several: what differs between programs gets one more dimension, the last one."""

from collections.abc import Sequence
from dataclasses import replace

from kernelwright.ir.kernel.analysis.accesses import Accesses
from kernelwright.ir.kernel.analysis.phases import Phase, phases
from kernelwright.ir.kernel.analysis.shapes import POINTWISE, shapes
from kernelwright.ir.kernel.canonical import canonical
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operand, Operation, Region, Undefined, Value
from kernelwright.ir.kernel.vocabulary import HINTS

#: Kinds that combine the elements of one dimension, and keep the dimensions behind it where they are.
_ALONG = frozenset({"sum", "max", "min", "argmax", "argmin", "xor_sum", "cumsum", "cumprod"})
_NO_MASK = (None, Constant("None"))


class UnbatchedError(Exception):
    """Why programs are not made one."""


def batched(function: Function, axis: int, programs: int, lanes: str) -> Function:
    """The kernel whose program does the work of so many neighbours along an axis of the grid as its parameter `lanes`
    says; `programs`: how many there were. Raises UnbatchedError, with the reason, where that cannot be written."""
    return _Batching(function, axis, programs, function.argument(lanes)).run()


class _Batching:
    def __init__(self, function: Function, axis: int, programs: int, lanes: Value) -> None:
        self.function, self.programs, self.lanes = function, programs, lanes
        self.edits = Rewriting(function)
        self.shapes, self.phases = shapes(function), phases(function)
        self.axis = Constant(str(axis))
        self.varying: set[Operand] = set()
        self.new: dict[Operand, Operand] = {}
        self.inside: Operand = Constant("None")

    def run(self) -> Function:
        for one in self.function.walk():
            self._check(one)
        accesses = Accesses(self.function).all
        stored = {access.base for access in accesses if access.operation.kind == "store"}
        if any(access.base in stored for access in accesses if access.operation.kind == "load"):
            raise UnbatchedError("it loads from a tensor that it stores to")
        while True:
            before = len(self.varying)
            self._spread(self.function.body)
            if len(self.varying) == before:
                break
        made: list[Operation] = []
        program = self._emit(made, "program_id", axis=self.axis)
        lanes = self._emit(made, "arange", start=Constant("0"), end=self.lanes)
        number = self._emit(made, "add", lhs=self._emit(made, "mul", lhs=program, rhs=self.lanes), rhs=lanes)
        self.inside = self._emit(made, "lt", lhs=number, rhs=Constant(str(self.programs)))
        for one in self.function.walk():
            if self._is_program(one):
                self.new[one.result] = number
        made += self._operations(self.function.body)
        return canonical(replace(self.function, body=replace(self.function.body, operations=tuple(made))))

    def _is_program(self, one: Operation) -> bool:
        return one.kind == "program_id" and one.operands[0] == self.axis

    def _check(self, one: Operation) -> None:
        """Raise for what depends on which programs there are, or on what one of them does before another."""
        if one.kind == "num_programs":
            raise UnbatchedError("it asks how many programs there are")
        if one.kind in ("if", "while", "call", "return", "opaque", "opaque_statement"):
            raise UnbatchedError(f"a {one.kind} may take another way in each program")
        if one.effect == Effect.WRITE and not one.regions and one.kind != "store":
            raise UnbatchedError(f"a {one.kind} is done for each program")

    def _spread(self, region: Region) -> None:
        """Find what differs between the programs."""
        for one in region.operations:
            if one.regions:
                body = one.regions[0]
                for slot in zip(one.inits, body.arguments[1:], body.yields, one.results, strict=True):
                    if self.varying.intersection((slot[0], slot[2])):
                        self.varying.update((slot[1], slot[3]))
                self._spread(body)
            elif self._is_program(one) or (self.varying.intersection(one.operands) and one.kind != "attribute"):
                self.varying.update(one.results)

    def _emit(self, made: list[Operation], kind: str, /, **parts: Operand) -> Value:
        made.append(self.edits.make(kind, **parts))
        return made[-1].result

    def _operations(self, region: Region) -> list[Operation]:
        made: list[Operation] = []
        for one in region.operations:
            if one.regions:
                self._loop(one, made)
            elif self._is_program(one):
                continue
            elif one.kind != "attribute" and self.varying.intersection(one.operands):
                self._wider(one, made)
            else:
                made.append(one.having(operands=tuple(map(self._now, one.operands))))
        return made

    def _now(self, operand: Operand) -> Operand:
        return self.new.get(operand, operand)

    def _rank(self, operand: Operand) -> int:
        shape = self.shapes.of(operand)
        if shape is not None and Undefined() not in shape:
            return len(shape)
        if isinstance(operand, Value) and self.phases[operand] > Phase.META:
            raise UnbatchedError("the shape of a value is not known")
        return 0

    def _wide(self, operand: Operand, made: list[Operation]) -> Operand:
        """An operand in a form that broadcasts against those with the new dimension."""
        rank = 0 if operand in self.varying else self._rank(operand)
        now = self._now(operand)
        return self._emit(made, "expand_dims", input=now, axis=Constant(str(rank))) if rank else now

    def _wider(self, one: Operation, made: list[Operation]) -> None:
        """An operation that does the same for each program."""
        if one.kind in ("load", "store"):
            self._access(one, made)
        elif one.kind == "scalar" or one.kind in HINTS:
            self.new[one.result] = self.new[one.operands[0]]
        elif one.kind in POINTWISE or one.kind.startswith("libdevice."):
            self._rank(one.result)
            operands = tuple(self._wide(operand, made) for operand in one.operands)
            made.append(one.having(operands=operands, results=(self.edits.value(),)))
            self.new[one.result] = made[-1].result
        elif one.kind in _ALONG or one.kind == "expand_dims":
            self._along(one, made)
        elif one.kind == "broadcast_to":
            input_, rank = self.new[one.operands[0]], self._rank(one.result)
            input_ = self._deeper(input_, rank - self._rank(one.operands[0]), made)
            shape = self._shape(made, self.shapes.of(one.result) or ())
            self.new[one.result] = self._emit(made, "broadcast_to", input=input_, shape=shape)
        else:
            raise UnbatchedError(f"a {one.kind} has no form with a further dimension")

    def _deeper(self, operand: Operand, dimensions: int, made: list[Operation]) -> Operand:
        """An operand with further dimensions of one element before its own."""
        for _ in range(dimensions):
            operand = self._emit(made, "expand_dims", input=operand, axis=Constant("0"))
        return operand

    def _shape(self, made: list[Operation], shape: Sequence[Operand]) -> Operand:
        parts = (*shape, self.lanes)
        made.append(Operation("tuple", parts, ("element",) * len(parts), (self.edits.value(),)))
        return made[-1].result

    def _along(self, one: Operation, made: list[Operation]) -> None:
        """Reduce, scan or insert a dimension, which is counted from the left."""
        rank = self._rank(one.operands[0]) + (one.kind == "expand_dims")
        given = one.get("axis")
        number = given.number if isinstance(given, Constant) else None
        number = 0 if number is None and rank == 1 and given in _NO_MASK else number
        if one.operands[0] not in self.varying or not isinstance(number, int) or one.get("return_indices") is not None:
            raise UnbatchedError(f"a {one.kind} is not along one dimension")
        parts = dict(zip(one.keys, one.operands, strict=True))
        parts |= {one.keys[0]: self.new[one.operands[0]], "axis": Constant(str(number % rank))}
        self.new[one.result] = self._emit(made, one.kind, **parts)

    def _access(self, one: Operation, made: list[Operation]) -> None:
        """Load or store for the programs that there are."""
        pointer, mask = one.operands[0], one.get("mask")
        if pointer not in self.varying:
            raise UnbatchedError(f"a {one.kind} at one address for all programs depends on the program")
        parts = {key: self._wide(o, made) for key, o in zip(one.keys, one.operands, strict=True) if key != "mask"}
        kept = None if mask in _NO_MASK or mask is None else self._wide(mask, made)
        inside = self._deeper(self.inside, self._rank(pointer), made) if kept is None else self.inside
        parts["mask"] = inside if kept is None else self._emit(made, "bitand", lhs=kept, rhs=inside)
        made.append(self.edits.make(one.kind, **parts))
        if one.results:
            self.new[one.result] = made[-1].result

    def _loop(self, one: Operation, made: list[Operation]) -> None:
        """A loop whose bounds are the same for all programs; what it carries gets the dimension where it differs."""
        heads = [o for o, key in zip(one.operands, one.keys, strict=True) if key != "init"]
        if self.varying.intersection(heads):
            raise UnbatchedError("how often a loop goes round depends on the program")
        body, results = one.regions[0], list[Value]()
        inits = [self._filled(i, a, made) for i, a in zip(one.inits, body.arguments[1:], strict=True)]
        arguments = [body.arguments[0]]
        for argument, result in zip(body.arguments[1:], one.results, strict=True):
            for was, into in ((argument, arguments), (result, results)):
                into.append(self.edits.value() if was in self.varying else was)
                self.new |= {was: into[-1]} if was in self.varying else {}
        operations = self._operations(body)
        yields = [self._filled(y, a, operations) for y, a in zip(body.yields, body.arguments[1:], strict=True)]
        region = Region(tuple(arguments), tuple(operations), tuple(yields))
        made.append(one.having(operands=(*map(self._now, heads), *inits), results=tuple(results), regions=(region,)))

    def _filled(self, operand: Operand, slot: Value, made: list[Operation]) -> Operand:
        """What a loop carries in a slot, in the slot's shape."""
        if slot not in self.varying or operand in self.varying:
            return self._now(operand)
        shape = self._shape(made, self.shapes.of(slot) or ())
        number = operand.number if isinstance(operand, Constant) else None
        if number is not None:
            dtype = Constant("tl.int32" if isinstance(number, int) else "tl.float32")
            return self._emit(made, "full", shape=shape, value=operand, dtype=dtype)
        if not isinstance(operand, Value):
            raise UnbatchedError("a loop carries what is no number")
        return self._emit(made, "broadcast_to", input=self._wide(operand, made), shape=shape)
