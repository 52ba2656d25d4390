"""Changing a function: edits are noted, then made all at once, checked, and put into the one form.

    edits = Rewriting(function)
    edits.change(load, eviction_policy=Constant("'evict_last'"))
    function = edits.done()

An operation is named by the object that stands in the function. Edits see the function as it was, so that their order
does not matter, but for several insertions at one place, which stay in the order in which they are made.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from kernelwright.ir.errors import PassError
from kernelwright.ir.kernel.building import effect_of, first_free
from kernelwright.ir.kernel.canonical import canonical, numbered
from kernelwright.ir.kernel.values import Effect, Function, Operand, Operation, Region, Value
from kernelwright.ir.kernel.verifier import verify_function
from kernelwright.ir.kernel.vocabulary import FUNCTIONS, METHODS, NO_RESULT


class Rewriting:
    """Edits of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self._free = first_free(function)
        self._before: dict[int, list[Operation]] = defaultdict(list)
        self._after: dict[int, list[Operation]] = defaultdict(list)
        self._changed: dict[int, Operation] = {}
        self._erased: set[int] = set()
        self._values: dict[Operand, Operand] = {}
        self._dropped: set[str] = set()

    def value(self) -> Value:
        """A value that the function does not have yet."""
        self._free += 1
        return Value(self._free - 1)

    def make(self, kind: str, /, **parts: Operand) -> Operation:
        """An operation of no region with a new result; it stands nowhere before it is inserted.

        `parts` are operands by key; functions of the language take them in any order.
        """
        keys = _in_order(kind, list(parts))
        effect = FUNCTIONS[kind].effect if kind in FUNCTIONS else METHODS.get(kind.partition("method.")[2], Effect.PURE)
        results = () if kind in NO_RESULT else (self.value(),)
        return Operation(kind, tuple(parts[key] for key in keys), tuple(keys), results, effect=effect)

    def before(self, anchor: Operation, *operations: Operation) -> None:
        """Insert operations before one that stands in the function."""
        self._before[id(anchor)] += operations

    def after(self, anchor: Operation, *operations: Operation) -> None:
        """Insert operations after one that stands in the function."""
        self._after[id(anchor)] += operations

    def compute(self, anchor: Operation, kind: str, /, **parts: Operand) -> Value:
        """Insert an operation before one that stands in the function; gives its result."""
        made = self.make(kind, **parts)
        self.before(anchor, made)
        return made.result

    def change(self, operation: Operation, /, **parts: Operand | None) -> None:
        """Give an operation other operands: attributes and hints, a mask, a loop's `start`, `end`, `step` or options.

        None takes an operand away. Carried values of a loop are none of them.
        """
        now = self._changed.get(id(operation), operation)
        given: dict[str, Operand] = dict(zip(now.keys, now.operands, strict=True))
        carried = [("init", o) for o in now.inits]
        given.pop("init", None)
        given |= {key: operand for key, operand in parts.items() if operand is not None}
        kept = _in_order(operation.kind, [key for key in given if parts.get(key, given[key]) is not None])
        pairs = [*((key, given[key]) for key in kept), *carried]
        self._changed[id(operation)] = replace(
            now, keys=tuple(key for key, _ in pairs), operands=tuple(operand for _, operand in pairs)
        )

    def replace(self, value: Value, by: Operand) -> None:
        """Use another operand wherever a value is used, in the function and in what is inserted."""
        self._values[value] = by

    def erase(self, operation: Operation) -> None:
        """Take an operation out; its results must be used no longer. What nothing uses goes without being erased."""
        self._erased.add(id(operation))

    def drop(self, parameter: str) -> None:
        """Take a parameter away that is used no longer."""
        self._dropped.add(parameter)

    def clone(self, region: Region, arguments: Sequence[Operand]) -> tuple[list[Operation], tuple[Operand, ...]]:
        """A region's operations once more, given these arguments, with new results; and what the region gives then."""
        return self._cloned(region, dict(zip(region.arguments, arguments, strict=True)))

    def unroll(self, loop: Operation, counter: Operand) -> None:
        """Put one turn of a counted loop in its place."""
        operations, given = self.clone(loop.regions[0], (counter, *loop.inits))
        self.before(loop, *operations)
        for result, operand in zip(loop.results, given, strict=True):
            self.replace(result, operand)
        self.erase(loop)

    def put(self, old: Operation, new: Operation) -> None:
        """Put an operation in the place of one that gives as many results."""
        self.before(old, new)
        for was, made in zip(old.results, new.results, strict=True):
            self.replace(was, made)
        self.erase(old)

    def done(self) -> Function:
        """The function with all edits made, in its one form; the same object where none was noted.

        Raises PassError where it is not sound.
        """
        if not self._noted():
            return self.function
        function = self.function
        made = replace(function, body=self._region(function.body))
        complaints = verify_function(made)
        if not complaints:
            made = self._without_dropped(canonical(made))
            complaints = verify_function(made) if self._dropped else ()
        if complaints:
            raise PassError(f"a rewrite left an unsound kernel: {'; '.join(complaints)}")
        return numbered(made)

    def raw(self) -> Function:
        """The function with all edits made and nothing checked or tidied up: to ask about, or to edit further."""
        function = self.function
        if not self._noted():
            return function
        return self._without_dropped(replace(function, body=self._region(function.body)))

    def _noted(self) -> bool:
        return any((self._before, self._after, self._changed, self._erased, self._values, self._dropped))

    def _without_dropped(self, function: Function) -> Function:
        kept = [index for index, one in enumerate(function.parameters) if one.name not in self._dropped]
        body = replace(function.body, arguments=tuple(function.body.arguments[index] for index in kept))
        return replace(function, parameters=tuple(function.parameters[index] for index in kept), body=body)

    def _now(self, operand: Operand) -> Operand:
        seen = {operand}
        while operand in self._values:
            operand = self._values[operand]
            assert operand not in seen, f"{operand} is replaced by itself"
            seen.add(operand)
        return operand

    def _region(self, region: Region) -> Region:
        operations = tuple(made for one in region.operations for made in self._operations(one))
        return replace(region, operations=operations, yields=tuple(map(self._now, region.yields)))

    def _operations(self, one: Operation) -> list[Operation]:
        made = [self._operation(other) for other in self._before.get(id(one), ())]
        if id(one) not in self._erased:
            made.append(self._operation(self._changed.get(id(one), one)))
        return [*made, *(self._operation(other) for other in self._after.get(id(one), ()))]

    def _operation(self, one: Operation) -> Operation:
        regions = tuple(map(self._region, one.regions))
        effect = effect_of(regions) if regions else one.effect
        return one.having(operands=tuple(map(self._now, one.operands)), regions=regions, effect=effect)

    def _cloned(self, region: Region, names: dict[Operand, Operand]) -> tuple[list[Operation], tuple[Operand, ...]]:
        made = []
        for one in region.operations:
            operands = tuple(names.get(operand, operand) for operand in one.operands)
            regions = []
            for inner in one.regions:
                arguments = tuple(self.value() for _ in inner.arguments)
                body, given = self._cloned(inner, names | dict(zip(inner.arguments, arguments, strict=True)))
                regions.append(Region(arguments, tuple(body), given))
            results = tuple(self.value() for _ in one.results)
            names |= zip(one.results, results, strict=True)
            made.append(one.having(operands=operands, regions=tuple(regions), results=results))
        return made, tuple(names.get(operand, operand) for operand in region.yields)


def _in_order(kind: str, keys: list[str]) -> list[str]:
    """The keys of operands as a function of the language takes them; others as they come."""
    known = FUNCTIONS[kind].parameters if kind in FUNCTIONS else ()
    return sorted(keys, key=lambda key: known.index(key) if key in known else len(known))
