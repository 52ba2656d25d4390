"""The one form of a function: what nothing uses is gone, equal computing stands once, order is that of need.

Operations with an effect keep their order in their region. Loads, and what only computes, stand just before the first
that needs them, operands from left to right: what the source loads late is not held in registers from the start.
Carried values that nothing needs, or that never change, are no longer carried. Values are numbered in order. Rewrites
may leave any order, any numbers and dead code behind, and call this.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from kernelwright.ir.kernel.analysis.phases import Phase, carried_phase, parameter_phases
from kernelwright.ir.kernel.building import Builder, effect_of, outer_values
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operand, Operation, Region, Undefined, Value
from kernelwright.ir.kernel.vocabulary import LOOPS

_ROUNDS = 50


def canonical(function: Function) -> Function:
    """The function in its one form; equal to itself where it has it already."""
    for _ in range(_ROUNDS):
        made = numbered(_ordered(_sorted_slots(_rebuilt(function))))
        if made == function:
            return made
        function = made
    return function


def live_values(function: Function) -> set[Value]:
    """Values that an effect or the function's result needs."""
    return _Liveness(function).live


class _Liveness:
    def __init__(self, function: Function) -> None:
        self.live: set[Value] = set()
        self._source: dict[Value, Callable[[], None]] = {}
        self._open: list[Callable[[], None]] = []
        self._define(function.body, ())
        self._need(function.body.yields)
        while self._open:
            self._open.pop()()

    def _need(self, operands: Sequence[Operand]) -> None:
        for operand in operands:
            if isinstance(operand, Value) and operand not in self.live:
                self.live.add(operand)
                if operand in self._source:
                    self._open.append(self._source[operand])

    def _define(self, region: Region, around: tuple[Operation, ...]) -> None:
        for operation in region.operations:
            for index, result in enumerate(operation.results):
                self._source[result] = lambda operation=operation, index=index: self._result(operation, index)  # type: ignore[misc]
            if operation.kind in LOOPS:
                for body in operation.regions:
                    skip = len(body.arguments) - len(operation.results)
                    for index, argument in enumerate(body.arguments[skip:]):
                        self._source[argument] = lambda o=operation, index=index: self._result(o, index)  # type: ignore[misc]
            for body in operation.regions:
                self._define(body, (*around, operation))
            if operation.effect == Effect.WRITE and not operation.regions:
                for one in (*around, operation):
                    self._operation(one)

    def _operation(self, operation: Operation) -> None:
        """An operation stands: what it needs whichever of its results are used."""
        if operation.regions:
            self._need([o for o, key in zip(operation.operands, operation.keys, strict=True) if key != "init"])
            if operation.kind == "while":
                self._need(operation.regions[0].yields)
        else:
            self._need(operation.operands)

    def _result(self, operation: Operation, index: int) -> None:
        self._operation(operation)
        if operation.kind in LOOPS:
            body = operation.regions[-1]
            skip = len(body.arguments) - len(operation.results)
            self._need((operation.inits[index], body.yields[index], body.arguments[skip + index]))
            self._need((operation.results[index],))
        elif operation.kind == "if":
            self._need([region.yields[index] for region in operation.regions])


class _Rebuilding:
    """Emits a function again through a builder, live parts only."""

    def __init__(self, function: Function) -> None:
        self.live = live_values(function)
        self.builder = Builder()
        self.new: dict[Operand, Operand] = {}

    def operand(self, operand: Operand) -> Operand:
        return self.new.get(operand, operand)

    def region(self, region: Region, arguments: Sequence[tuple[Value, Phase]], yields: Sequence[Operand]) -> Region:
        """Emit a region with the arguments that stay and the yields that are wanted."""
        self.builder.open()
        made = self.arguments(arguments)
        for operation in region.operations:
            self.operation(operation)
        return self.builder.close(made, [self.operand(operand) for operand in yields])

    def arguments(self, arguments: Sequence[tuple[Value, Phase]]) -> list[Value]:
        made = [self.builder.value(phase) for _, phase in arguments]
        self.new.update(zip((value for value, _ in arguments), made, strict=True))
        return made

    def operation(self, operation: Operation) -> None:
        if operation.kind in LOOPS:
            self.loop(operation)
        elif operation.kind == "if":
            self.choice(operation)
        elif self.stands(operation):
            operands = tuple(self.operand(operand) for operand in operation.operands)
            same = self.same_as(operation.kind, operands)
            if same is not None:
                self.new[operation.result] = same
                return
            made = self.builder.emit(operation.having(operands=operands, results=()), len(operation.results))
            self.new.update(zip(operation.results, made, strict=True))

    def same_as(self, kind: str, operands: tuple[Operand, ...]) -> Operand | None:
        """What an operation gives where that is there already: a tensor as tensor, an element of a known tuple."""
        made = self.builder.definitions.get(operands[0]) if operands and isinstance(operands[0], Value) else None
        if kind == "scalar":
            known = self.builder.phase(operands[0])
            if made is not None and made.kind == "tuple":
                return None
            return operands[0] if known not in (Phase.STATIC, Phase.MIXED) else None
        if kind == "getitem" and made is not None and made.kind == "tuple" and isinstance(operands[1], Constant):
            index = operands[1].number
            if isinstance(index, int) and -len(made.operands) <= index < len(made.operands):
                return made.operands[index]
        return None

    def stands(self, operation: Operation) -> bool:
        return operation.effect == Effect.WRITE or any(result in self.live for result in operation.results)

    def choice(self, operation: Operation) -> None:
        if not self.stands(operation):
            return
        kept: list[int] = []
        given = zip(*(region.yields for region in operation.regions), strict=True)
        for index, (result, pair) in enumerate(zip(operation.results, given, strict=True)):
            if result not in self.live:
                continue
            if pair[0] == pair[1] and not isinstance(pair[0], Undefined):
                self.new[result] = self.operand(pair[0])
            else:
                kept.append(index)
        condition = self.operand(operation.operands[0])
        regions = tuple(
            self.region(region, (), [region.yields[index] for index in kept]) for region in operation.regions
        )
        if not kept and effect_of(regions) != Effect.WRITE:
            return
        made = Operation("if", (condition,), operation.keys, (), regions, "", effect_of(regions))
        self.new.update(
            zip([operation.results[index] for index in kept], self.builder.emit(made, len(kept)), strict=True)
        )

    def loop(self, operation: Operation) -> None:
        if not self.stands(operation):
            return
        kept = [index for index in range(len(operation.results)) if self._is_carried(operation, index)]
        inits = [self.operand(init) for init in operation.inits]
        phases = [carried_phase(operation.kind, self.builder.phase(inits[index])) for index in kept]
        regions: list[Region] = []
        for region in operation.regions:
            skip = len(region.arguments) - len(operation.results)
            arguments = [(region.arguments[skip + index], phase) for index, phase in zip(kept, phases, strict=True)]
            if skip:
                counter = Phase.STATIC if operation.kind == "static_for" else Phase.RUNTIME
                arguments.insert(0, (region.arguments[0], counter))
            is_condition = operation.kind == "while" and not regions
            yields = region.yields if is_condition else [region.yields[index] for index in kept]
            regions.append(self.region(region, arguments, yields))
        head = [
            (self.operand(o), key) for o, key in zip(operation.operands, operation.keys, strict=True) if key != "init"
        ]
        operands = (*(operand for operand, _ in head), *(inits[index] for index in kept))
        keys = (*(key for _, key in head), *("init",) * len(kept))
        made = Operation(operation.kind, operands, keys, (), tuple(regions), "", effect_of(regions))
        results = self.builder.emit(made, len(kept))
        self.new.update(zip([operation.results[index] for index in kept], results, strict=True))

    def _is_carried(self, operation: Operation, index: int) -> bool:
        """Whether a carried value is needed and changes; one that does not change is what it starts with."""
        body = operation.regions[-1]
        skip = len(body.arguments) - len(operation.results)
        if operation.results[index] not in self.live:
            return False
        init = operation.inits[index]
        if body.yields[index] in (body.arguments[skip + index], init) and not isinstance(init, Undefined):
            for value in (operation.results[index], *(region.arguments[skip + index] for region in operation.regions)):
                self.new[value] = self.operand(init)
            return False
        return True


def _rebuilt(function: Function) -> Function:
    work = _Rebuilding(function)
    known = parameter_phases(function)
    arguments = work.arguments([(value, known[value]) for value in function.body.arguments])
    for operation in function.body.operations:
        work.operation(operation)
    body = work.builder.close(arguments, [work.operand(operand) for operand in function.body.yields])
    return replace(function, body=body)


def _sorted_slots(function: Function) -> Function:
    """Carried values and results of branches in the order in which they are first needed."""
    ranks = _Demand(function).ranks

    def sort(region: Region) -> Region:
        return replace(region, operations=tuple(sort_operation(one) for one in region.operations))

    def sort_operation(one: Operation) -> Operation:
        if not one.regions:
            return one
        order = sorted(range(len(one.results)), key=lambda index: ranks.get(one.results[index], len(ranks)))
        regions = []
        for number, region in enumerate(map(sort, one.regions)):
            arguments = region.arguments
            if one.kind in LOOPS:
                skip = len(arguments) - len(order)
                arguments = (*arguments[:skip], *(arguments[skip + index] for index in order))
            is_condition = one.kind == "while" and number == 0
            yields = region.yields if is_condition else tuple(region.yields[index] for index in order)
            regions.append(replace(region, arguments=arguments, yields=yields))
        head = len(one.operands) - len(one.inits)
        operands = (*one.operands[:head], *(one.inits[index] for index in (order if one.inits else ())))
        results = tuple(one.results[index] for index in order)
        return one.having(operands=operands, regions=tuple(regions), results=results)

    return replace(function, body=sort(function.body))


class _Demand:
    """Walks a function from what it does to what that needs; the order of carried values has no part in it."""

    def __init__(self, function: Function) -> None:
        self.ranks: dict[Value, int] = {}
        self._needs: dict[Value, Callable[[], list[Operand]]] = {}
        self._slots: dict[Value, Value] = {}
        self._define(function.body)
        self._acts(function.body)
        self._visit(function.body.yields)

    def _define(self, region: Region) -> None:
        for one in region.operations:
            for index, result in enumerate(one.results):
                self._needs[result] = lambda one=one, index=index: _slot_needs(one, index)  # type: ignore[misc]
            for body in one.regions:
                skip = len(body.arguments) - len(one.results) if one.kind in LOOPS else 0
                self._slots |= zip(body.arguments[skip:], one.results if one.kind in LOOPS else (), strict=True)
                self._define(body)

    def _acts(self, region: Region) -> None:
        for one in region.operations:
            if not one.effect:
                continue
            if not one.regions:
                self._visit(one.operands)
                self._visit(one.results)
                continue
            self._visit([o for o, key in zip(one.operands, one.keys, strict=True) if key != "init"])
            for number, body in enumerate(one.regions):
                self._acts(body)
                if one.kind == "while" and number == 0:
                    self._visit(body.yields)

    def _visit(self, operands: Sequence[Operand]) -> None:
        stack = list(reversed(operands))
        while stack:
            operand = stack.pop()
            value = self._slots.get(operand, operand) if isinstance(operand, Value) else None
            if isinstance(value, Value) and value not in self.ranks:
                self.ranks[value] = len(self.ranks)
                if value in self._needs:
                    stack += reversed(self._needs[value]())


def _slot_needs(one: Operation, index: int) -> list[Operand]:
    head: list[Operand] = [o for o, key in zip(one.operands, one.keys, strict=True) if key != "init"]
    if one.kind in LOOPS:
        condition = one.regions[0].yields if one.kind == "while" else ()
        return [*head, one.inits[index], *condition, one.regions[-1].yields[index]]
    return [*head, *(region.yields[index] for region in one.regions)]


def _ordered(function: Function) -> Function:
    return replace(function, body=_ordered_region(function.body))


def _ordered_region(region: Region) -> Region:
    operations = [
        one.having(regions=tuple(map(_ordered_region, one.regions))) if one.regions else one
        for one in region.operations
    ]
    made = {result: index for index, one in enumerate(operations) for result in one.results}
    needs: list[list[int]] = []
    acting: list[int] = []
    for index, one in enumerate(operations):
        before = acting[-1:] if one.effect else []
        own = [made[value] for value in outer_values(one) if value in made]
        needs.append([*own, *before] if one.effect == Effect.WRITE else [*before, *own])
        acting += [index] if one.effect else []
    placed: dict[int, None] = {}

    def place(root: int) -> None:
        stack = [(root, iter(needs[root]))]
        while stack:
            index, left = stack[-1]
            following = next((need for need in left if need not in placed), None)
            if following is not None:
                stack.append((following, iter(needs[following])))
                continue
            stack.pop()
            placed.setdefault(index)

    for index, one in enumerate(operations):
        # What a loop computes again stays in it: nothing for later is computed before a loop that only reads.
        if (one.effect == Effect.WRITE or (one.effect and one.regions)) and index not in placed:
            place(index)
    for operand in region.yields:
        if isinstance(operand, Value) and operand in made and made[operand] not in placed:
            place(made[operand])
    return replace(region, operations=tuple(operations[index] for index in placed))


def numbered(function: Function) -> Function:
    """The function with its values numbered in the order of their definition."""
    names: dict[Operand, Operand] = {}
    return replace(function, body=_numbered(function.body, names))


def _numbered(region: Region, names: dict[Operand, Operand]) -> Region:
    def define(values: Sequence[Value]) -> tuple[Value, ...]:
        for value in values:
            names[value] = Value(len(names))
        return tuple(names[value] for value in values)  # type: ignore[misc]

    arguments = define(region.arguments)
    operations = []
    for one in region.operations:
        operands = tuple(names.get(operand, operand) for operand in one.operands)
        regions = tuple(_numbered(body, names) for body in one.regions)
        operations.append(one.having(operands=operands, regions=regions, results=define(one.results)))
    return Region(arguments, tuple(operations), tuple(names.get(operand, operand) for operand in region.yields))
