"""Loops by meaning: a loop that counts is a `for`, and a `for` over blocks counts the elements at which they begin.

while k < n: …; k += B                    for k in range(0, n, B): …
for k in range(tl.cdiv(n, B)): … k * B    for s in range(0, n, B): … s
"""

from collections.abc import Iterator
from dataclasses import replace

from kernelwright.ir.kernel.analysis.forms import Form
from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.canonical import canonical
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Effect, Function, Operand, Operation, Region, Value

_CDIV = frozenset({"cdiv", "triton.cdiv"})


def counted(function: Function) -> Function:
    """The function with each loop that counts up to a bound as a `for`, and with each `for` over blocks of a
    compile-time size that uses its counter for their beginnings alone as one in steps of that size."""
    return _by_elements(_without_while(function))


def _by_elements(function: Function) -> Function:
    """The function with its loops over numbers of blocks as loops over elements."""
    if not any(one.kind == "for" and one.get("step") == Constant("1") for one in function.walk()):
        return function
    indices, edits, uses = Indices(function), Rewriting(function), function.uses()
    for loop in (one for one in function.walk() if one.kind == "for" and one.get("step") == Constant("1")):
        counter = loop.regions[0].arguments[0]
        if indices.form(loop.get("start")) != Form():
            continue
        for extent, block in _blocks(loop.get("end"), indices, function):
            begins = uses.get(counter, [])
            if all(one.kind == "mul" and set(one.operands) == {counter, block} for one in begins):
                edits.change(loop, end=extent, step=block)
                for one in begins:
                    edits.replace(one.result, counter)
                break
    return edits.done()


def _blocks(end: Operand | None, indices: Indices, function: Function) -> Iterator[tuple[Operand, Operand]]:
    """Every way to read a number of turns as an extent in blocks: the extent, and the block's size."""
    made = indices.definitions.get(end) if isinstance(end, Value) else None
    if made is None or made.kind not in ("floordiv", *_CDIV) or len(made.operands) != 2:
        return
    extent, block = made.operands
    pairs = zip(function.parameters, function.body.arguments, strict=True)
    if block not in {value for one, value in pairs if one.is_constexpr} and not _is_positive(block):
        return
    if made.kind in _CDIV:
        yield extent, block
        return
    whole, size = indices.form(extent), indices.form(block)
    below = whole.plus(size, -1).plus(Form.number(1)) if whole is not None and size is not None else None
    for operand in _summands(extent, indices) if below is not None else ():
        if indices.form(operand) == below:
            yield operand, block


def _summands(operand: Operand, indices: Indices) -> Iterator[Operand]:
    """An operand, and what sums in it are made of."""
    yield operand
    made = indices.definitions.get(operand) if isinstance(operand, Value) else None
    if made is not None and made.kind in ("add", "sub"):
        for one in made.operands:
            yield from _summands(one, indices)


def _is_positive(operand: Operand) -> bool:
    return isinstance(operand, Constant) and isinstance(operand.number, int) and operand.number > 0


def _without_while(function: Function) -> Function:
    """The function with every `while` that counts up to a bound turned into a `for`."""
    if not any(one.kind == "while" for one in function.walk()):
        return function
    used = {o for one in function.walk() for o in (*one.operands, *(y for r in one.regions for y in r.yields))}
    used |= set(function.body.yields)

    def region(one: Region) -> Region:
        return replace(one, operations=tuple(made for o in one.operations for made in operation(o)))

    def operation(one: Operation) -> list[Operation]:
        one = replace(one, regions=tuple(map(region, one.regions)))
        if one.kind != "while":
            return [one]
        outside, loop = _hoisted(one)
        found = _as_for(loop, used)
        return [*outside, found] if found is not None else [one]

    return canonical(replace(function, body=region(function.body)))


def _hoisted(loop: Operation) -> tuple[list[Operation], Operation]:
    """What a loop computes alike in every turn, with nothing but what is outside, taken out of it."""
    outside: list[Operation] = []
    inside = {v for region in loop.regions for v in region.arguments}
    inside |= {v for one in loop.walk() if one is not loop for v in one.results}
    regions = []
    for region in loop.regions:
        kept = []
        for one in region.operations:
            if one.effect == Effect.PURE and not one.regions and not inside.intersection(one.operands):
                outside.append(one)
                inside.difference_update(one.results)
            else:
                kept.append(one)
        regions.append(replace(region, operations=tuple(kept)))
    return outside, replace(loop, regions=tuple(regions))


def _as_for(loop: Operation, used: set[Operand]) -> Operation | None:
    """A loop that adds to a carried number at the end of each turn and goes on while that is below a bound; or takes a
    known number away, and goes on while what is left is above one."""
    condition, body = loop.regions
    if len(condition.operations) != 1:
        return None
    test = condition.operations[0]
    counted_by = [one for one in test.operands if one in condition.arguments]
    if test.kind not in ("lt", "gt") or condition.yields != test.results or len(counted_by) != 1:
        return None
    index = condition.arguments.index(counted_by[0])
    (end,), given = (one for one in test.operands if one != counted_by[0]), body.yields[index]
    upwards = (test.kind == "lt") == (test.operands[0] == counted_by[0])
    step = next((one for one in body.operations if given in one.results and one.kind == "add"), None)
    if step is None or loop.results[index] in used:
        return None
    amount = next((o for o in step.operands if o != body.arguments[index]), None)
    inside = {v for one in body.operations for inner in one.walk() for v in inner.results} | set(body.arguments)
    if body.arguments[index] not in step.operands or amount is None or amount in inside:
        return None
    by = (amount.number or 0) if isinstance(amount, Constant) else None
    if (by is not None and by <= 0) if upwards else (by is None or by >= 0):
        return None
    others = [i for i in range(len(loop.results)) if i != index]
    arguments = (body.arguments[index], *(body.arguments[i] for i in others))
    new = Region(arguments, body.operations, tuple(body.yields[i] for i in others))
    operands = (loop.inits[index], end, amount, *(loop.inits[i] for i in others))
    keys = ("start", "end", "step", *("init",) * len(others))
    return Operation("for", operands, keys, tuple(loop.results[i] for i in others), (new,), "", loop.effect)
