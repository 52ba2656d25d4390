"""Integers that are known when the kernel is written: sums, products and quotients of constants become constants."""

from kernelwright.ir.kernel.analysis.indices import Indices
from kernelwright.ir.kernel.rewriting import Rewriting
from kernelwright.ir.kernel.values import Constant, Function, Operand, Value

_ARITHMETIC = frozenset({"add", "sub", "mul", "floordiv", "mod"})


def folded(function: Function) -> Function:
    """The function with its integers folded: one number each where that is known, and nothing that changes no value."""
    indices, edits = Indices(function), Rewriting(function)
    for one in function.walk():
        if one.kind not in _ARITHMETIC:
            continue
        form, shape = indices.form(one.result), indices.shapes.of(one.result)
        same: list[Operand] = [
            o for o in one.operands if form == indices.form(o) is not None and shape == indices.shapes.of(o)
        ]
        if form is not None and form.constant is not None and not shape:
            edits.replace(one.result, Constant(str(form.constant)))
        elif same and isinstance(same[0], Value):
            edits.replace(one.result, same[0])
    return edits.done()
