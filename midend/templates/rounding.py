"""Rounding to TF32 where a tensor is made."""

from kernelwright.backend.launch.host_trace import HostTrace
from kernelwright.ir.kernel.analysis.accesses import only_accessed
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.kernel.text.printing import with_functions
from kernelwright.ir.kernel.values import Constant, Function, Operand, Operation, Value
from kernelwright.ir.passes import Declined
from kernelwright.ir.values import KernelModule
from kernelwright.midend.analysis.launches import find_launches, is_made_for
from kernelwright.midend.kernel_pass import rewritten

#: Half of what the lowest bit of TF32 is worth among the bits of fp32, and the bits that TF32 has.
_HALF, _BITS = Constant("4096"), Constant("-8192")
_TRUE = Constant("True")


def rounded_where_made(module: KernelModule, trace: HostTrace, tensor: str, reader: int) -> KernelModule | None:
    """The module in which an fp32 tensor is stored rounded: by the one launch of a kernel that does nothing else with
    it, where only the statement `reader` reads it. None where that is not so."""
    launches = list(find_launches(module, trace))
    makers = [launch for launch in launches if tensor in launch.given.values()]
    if len(makers) != 1 or makers[0].index >= reader or not is_made_for(trace, tensor, makers[0].index, reader):
        return None
    symbol = makers[0].kernel.symbol
    if [launch.kernel.symbol for launch in launches].count(symbol) > 1:
        return None
    pointer = next(name for name, value in makers[0].given.items() if value == tensor)
    functions = kernel_functions(module)
    made = rewritten(functions[symbol], functions, lambda one: storing_rounded(one, pointer), "")
    return None if isinstance(made, Declined) else with_functions(module, {symbol: made})


def storing_rounded(function: Function, pointer: str) -> Function | Declined:
    """The kernel that stores what it stores by a parameter rounded to the nearest number that TF32 has; NaN stays,
    whatever its bits."""
    found = only_accessed(function, function.argument(pointer))
    values = [one.get("value") for one in found or () if one.kind == "store"]
    if not found or len(values) < len(found) or not all(isinstance(value, Value) for value in values):
        return Declined("it does something else with the tensor")
    edits = Rewriting(function)
    for store in found:
        edits.change(store, value=_rounded(edits, store))
    return edits.done()


def _rounded(edits: Rewriting, store: Operation) -> Operand:
    """What a store is given, rounded."""
    value = store.get("value")
    assert value is not None
    bits = edits.compute(store, "cast", input=value, dtype=Constant("tl.int32"), bitcast=_TRUE)
    kept = edits.compute(store, "bitand", lhs=edits.compute(store, "add", lhs=bits, rhs=_HALF), rhs=_BITS)
    number = edits.compute(store, "cast", input=kept, dtype=Constant("tl.float32"), bitcast=_TRUE)
    is_number = edits.compute(store, "eq", lhs=value, rhs=value)
    return edits.compute(store, "where", condition=is_number, x=number, y=value)
