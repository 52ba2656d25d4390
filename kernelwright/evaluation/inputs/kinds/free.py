"""Which inputs a draw may change element by element."""

from typing import TypeGuard

from torch import Tensor

from kernelwright.backend.tensors import Value
from kernelwright.ir.layout import shares_elements


def is_free(value: Value) -> TypeGuard[Tensor]:
    """Whether it is a tensor of floating numbers, if only of one, that lie each at a place of its own."""
    if not (isinstance(value, Tensor) and value.is_floating_point() and value.numel()):
        return False
    return not shares_elements(value.shape, value.stride())
