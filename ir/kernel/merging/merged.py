"""Two kernels made one: what the second does with a tensor is done where the first has the elements that it stores.

The second kernel counts elements by counters that every one of its programs, turns and lanes has a part of. The first
stores an element at an index that says which one it is. So each counter is a sum of digits of what the first kernel
holds, and the second kernel's work is computed once more on the first's tile: element by element, and row by row where
a dimension of that tile is a whole row. Between the two, a value is rounded to the tensor's type as before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kernelwright.ir.kernel.analysis.forms import INDEX_LIMIT
from kernelwright.ir.kernel.building import first_free
from kernelwright.ir.kernel.merging.placing import Writer
from kernelwright.ir.kernel.merging.reading import Part, Reader, Tensor, UnfitError
from kernelwright.ir.kernel.merging.transport import Transport
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Effect, Function, Parameter, Value


def merged(first: Part, second: Part, tensor: Tensor, names: Mapping[str, str], symbol: str, *, keep: bool) -> Function:
    """One kernel for both, launched as the first. `names`: what the second's parameters are called in it, those of the
    first among them where both are given the same; `keep`: the tensor is stored all the same.

    Raises UnfitError where the second kernel does not read each element once, or does more with it than this can place.
    """
    if tensor.numel >= INDEX_LIMIT:
        raise UnfitError(f"{tensor.numel} elements are more than 32 bits count")
    reader = Reader(replace(second, function=typed(second.function, tensor.read, tensor.dtype)), tensor)
    function = typed(first.function, tensor.stored, tensor.dtype)
    added = [replace(p, name=names[p.name], default="") for p in second.function.parameters if p.name in names]
    function = with_parameters(function, added, symbol)
    writer = Writer(replace(first, function=function), tensor)
    edits = Rewriting(function)
    own = zip(second.function.parameters, second.function.body.arguments, strict=True)
    known = {value: function.argument(names[one.name]) for one, value in own if one.name in names}
    for store in writer.stores:
        Transport(reader, writer.place(store, reader, edits), edits, known).run()
        if not keep:
            edits.erase(store.operation)
    made = edits.done()
    used = {operand for one in made.walk() for operand in one.operands}
    idle = {one.name for one in added if made.argument(one.name) not in used} - {
        p.name for p in first.function.parameters
    }
    return dropped(made, idle if keep else idle | {tensor.stored})


def turns(second: Part, tensor: Tensor) -> bool:
    """Whether a kernel only moves what it loads of a tensor, and counts it down along a dimension.

    Raises UnfitError where it does not load each element once.
    """
    reader = Reader(second, tensor)
    stores = [one for one in reader.operations if one.effect == Effect.WRITE]
    loaded = {one.result for one in reader.operations if id(one) in reader.loads}
    moves = len(stores) == 1 and stores[0].kind == "store" and stores[0].get("value") in loaded
    return moves and any(digit.reverse for _, digit in reader.index.terms)


def typed(function: Function, parameter: str, dtype: str) -> Function:
    """The kernel with the dtype of a parameter's tensor written out."""
    edits = Rewriting(function)
    argument = function.argument(parameter)
    types = {one.result for one in function.walk() if one.kind == "attribute" and one.operands[0] == argument}
    for one in function.walk():
        if one.kind == "attribute" and one.operands[0] in types and one.text == "element_ty":
            edits.replace(one.result, Constant(f"tl.{dtype}"))
    return edits.done()


def with_parameters(function: Function, added: Sequence[Parameter], symbol: str) -> Function:
    """The kernel under another name with further parameters, those for constants last."""
    have = {one.name for one in function.parameters}
    new = [one for one in added if one.name not in have]
    pairs = list(zip(function.parameters, function.body.arguments, strict=True))
    pairs += [(one, Value(first_free(function) + place)) for place, one in enumerate(new)]
    pairs.sort(key=lambda pair: pair[0].is_constexpr)
    body = replace(function.body, arguments=tuple(value for _, value in pairs))
    return replace(function, symbol=symbol, parameters=tuple(one for one, _ in pairs), body=body)


def dropped(function: Function, parameters: Iterable[str]) -> Function:
    """The kernel without parameters that it uses no longer."""
    edits = Rewriting(function)
    for parameter in parameters:
        edits.drop(parameter)
    return edits.done()


def without_idle_parameters(function: Function) -> Function:
    """The kernel without the parameters that it does not use."""
    used = {operand for one in function.walk() for operand in one.operands}
    return dropped(function, {one.name for one in function.parameters if function.argument(one.name) not in used})
