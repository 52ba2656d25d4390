"""Calls of helpers replaced by what the helpers do."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from kernelwright.ir.dialect.checker import dotted
from kernelwright.ir.kernel.analysis.phases import REMEMBERED, is_inline, phases
from kernelwright.ir.kernel.building import first_free
from kernelwright.ir.kernel.canonical import canonical
from kernelwright.ir.kernel.counting import counted
from kernelwright.ir.kernel.text.expressions import literal
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Parameter, Region, Symbol, Value


def self_contained(function: Function, functions: Mapping[str, Function]) -> Function:
    """The function with its helpers inlined and its loops counted: all that a kernel does, in one value."""
    if any(one.kind == "call" for one in function.walk()):
        return _self_contained(function, tuple(functions.items()))
    return _self_contained(function, ())


@lru_cache(maxsize=REMEMBERED)
def _self_contained(function: Function, functions: tuple[tuple[str, Function], ...]) -> Function:
    return counted(inlined(function, dict(functions)))


def inlined(function: Function, functions: Mapping[str, Function]) -> Function:
    """The function with every call of a known helper replaced by the helper's body.

    A call stays where the helper returns from within a branch, calls itself, or is given what it has no parameter for.
    """
    if not any(one.kind == "call" for one in function.walk()):
        return function
    return _inlined(function, tuple(functions.items()))


@lru_cache(maxsize=REMEMBERED)
def _inlined(function: Function, functions: tuple[tuple[str, Function], ...]) -> Function:
    return canonical(_Inlining(dict(functions), first_free(function)).function(function))


class _Inlining:
    def __init__(self, functions: Mapping[str, Function], free: int) -> None:
        self.functions = functions
        self.free = free
        self.open: list[str] = []

    def function(self, function: Function) -> Function:
        self.open.append(function.symbol)
        operations, names = self.operations(function.body.operations, {})
        yields = tuple(names.get(operand, operand) for operand in function.body.yields)
        self.open.pop()
        return replace(function, body=Region(function.body.arguments, tuple(operations), yields))

    def operations(
        self, operations: Sequence[Operation], names: dict[Operand, Operand]
    ) -> tuple[list[Operation], dict[Operand, Operand]]:
        """Operations with calls replaced; `names` tells what values have become and is added to."""
        done: list[Operation] = []
        for one in operations:
            operands = tuple(names.get(operand, operand) for operand in one.operands)
            regions = tuple(self.region(region, names) for region in one.regions)
            moved = replace(one, operands=operands, regions=regions)
            bound = self.bound(moved) if one.kind == "call" else None
            if bound is None:
                done.append(moved)
                continue
            helper, arguments = bound
            fresh = self.renumbered(_Placing(helper).placed)
            inner: dict[Operand, Operand] = dict(zip(fresh.body.arguments, arguments, strict=True))
            self.open.append(helper.symbol)
            body, inner = self.operations(fresh.body.operations, inner)
            self.open.pop()
            done += body
            given = fresh.body.yields[0] if fresh.body.yields else Constant("None")
            names[one.results[0]] = inner.get(given, given)
        return done, names

    def region(self, region: Region, names: dict[Operand, Operand]) -> Region:
        operations, names = self.operations(region.operations, names)
        return Region(region.arguments, tuple(operations), tuple(names.get(o, o) for o in region.yields))

    def bound(self, call: Operation) -> tuple[Function, list[Operand]] | None:
        """The helper that a call calls and an operand for each parameter; None where it has to stay."""
        callee = call.operands[0]
        helper = self.functions.get(callee.name) if isinstance(callee, Symbol) else None
        if helper is None or helper.symbol in self.open:
            return None
        if any(one.kind == "return" or one.kind == "opaque_statement" for one in helper.walk()):
            return None
        names = [parameter.name for parameter in helper.parameters]
        given: dict[str, Operand] = {}
        for index, (key, operand) in enumerate(zip(call.keys[1:], call.operands[1:], strict=True)):
            name = key or (names[index] if index < len(names) else "")
            if name not in names or name in given:
                return None
            given[name] = operand
        for parameter in helper.parameters:
            default = _default(parameter)
            if parameter.name not in given and default is None:
                return None
            given.setdefault(parameter.name, default or Constant("None"))
        return helper, [given[name] for name in names]

    def renumbered(self, helper: Function) -> Function:
        """The helper with values that this function does not use yet."""
        first = self.free
        self.free += first_free(helper)

        def shift(operand: Operand) -> Operand:
            return Value(operand.number + first) if isinstance(operand, Value) else operand

        def values(given: Sequence[Value]) -> tuple[Value, ...]:
            return tuple(Value(value.number + first) for value in given)

        def moved(region: Region) -> Region:
            operations = tuple(
                replace(
                    one,
                    operands=tuple(map(shift, one.operands)),
                    results=values(one.results),
                    regions=tuple(map(moved, one.regions)),
                )
                for one in region.operations
            )
            return Region(values(region.arguments), operations, tuple(map(shift, region.yields)))

        return replace(helper, body=moved(helper.body))


class _Placing:
    """A helper with what may be known at compile time computed where it is used, as Triton would compute it there.

    Given tensors, such work is done in the branch or loop that it is written in; the canonical form has it outside.
    """

    def __init__(self, helper: Function) -> None:
        self.free = first_free(helper)
        known = phases(helper)
        self.floating = {
            one.result: one
            for one in helper.walk()
            if len(one.results) == 1 and not one.regions and is_inline(one, known[one.result])
        }
        self.placed = replace(helper, body=self.region(helper.body, {}))

    def region(self, region: Region, names: Mapping[Operand, Operand]) -> Region:
        here = dict(names)
        done: list[Operation] = []

        def place(operand: Operand) -> Operand:
            if operand in here or operand not in self.floating:
                return here.get(operand, operand)
            one = self.floating[operand]
            operands = tuple(map(place, one.operands))
            here[operand] = made = Value(self.free)
            self.free += 1
            done.append(replace(one, operands=operands, results=(made,)))
            return made

        for one in region.operations:
            if len(one.results) == 1 and one.result in self.floating:
                continue
            operands = tuple(map(place, one.operands))
            done.append(replace(one, operands=operands, regions=tuple(self.region(r, here) for r in one.regions)))
        yields = tuple(map(place, region.yields))
        return Region(region.arguments, tuple(done), yields)


def _default(parameter: Parameter) -> Operand | None:
    """A parameter's default as an operand; None where it has none, or one that is computed."""
    if not parameter.default:
        return None
    node = ast.parse(parameter.default, mode="eval").body
    if isinstance(node, ast.Name):
        return Symbol(node.id)
    if dotted(node)[:1] == ("tl",):
        return Constant(".".join(dotted(node)))
    try:
        return Constant(literal(ast.literal_eval(node)))
    except ValueError:
        return None
