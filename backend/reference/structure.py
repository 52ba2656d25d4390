"""Results of a forward, taken apart into their tensors and the text of `ir.host.structure`, and put together again."""

import ast
import math
from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from kernelwright.ir.errors import UserError
from kernelwright.ir.host.nesting import Open, filled_in
from kernelwright.ir.host.structure import PLAIN

_HINT = "return tensors, None, numbers, strings, and tuples, lists and dictionaries of them"


def taken_apart(result: Any) -> tuple[tuple[Tensor, ...], str]:
    """The tensors of a result in order, and its structure; raises UserError for what is none."""
    if isinstance(result, Tensor):
        return (result,), "tensor"
    if isinstance(result, tuple | list) and result and all(isinstance(one, Tensor) for one in result):
        return tuple(result), "list" if isinstance(result, list) else "tuple"
    found: list[Tensor] = []
    try:
        shape = _shape(result, found)
    except RecursionError:
        raise UserError("the result holds itself; return tensors, or a tuple of them") from None
    if not found:
        what = type(result).__name__
        raise UserError(f"output 0 of the reference is {what}, with no tensor in it; return one tensor or a tuple")
    return tuple(found), repr(shape)


def put_together(returns: str, tensors: Sequence[Tensor]) -> Any:
    """A result of this structure with these tensors."""
    if returns in PLAIN:
        return tensors[0] if returns == "tensor" else list(tensors) if returns == "list" else tuple(tensors)
    return filled_in(ast.literal_eval(returns), iter(tensors))


#: Where a tensor is.
_HERE = Open()


def _shape(value: Any, found: list[Tensor]) -> Any:
    if isinstance(value, Tensor):
        found.append(value)
        return _HERE
    if isinstance(value, Mapping):
        if not all(type(key) in (str, int) for key in value):
            raise UserError(f"a dictionary among the results has keys that are no strings or integers; {_HINT}")
        return {key: _shape(one, found) for key, one in value.items()}
    if isinstance(value, tuple | list):
        shapes = [_shape(one, found) for one in value]
        return shapes if isinstance(value, list) else tuple(shapes)
    if value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value)):
        return value
    raise UserError(f"an output of the reference is {type(value).__name__}; {_HINT}")
