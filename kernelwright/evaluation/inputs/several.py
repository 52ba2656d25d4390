"""Draws of several inputs at once: one that alone is not zero, and two that are the same."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from kernelwright.backend.tensors import Value, copy_of, each_once


def one_alone(values: Sequence[Value], number: int, bound: Sequence[bool]) -> list[Value]:
    """Inputs of which one, counted from the last, has its values, and all other floating ones are zero, but those that
    are `bound`, see `with_one_twice`."""
    floating = [place for place, one in enumerate(values) if isinstance(one, Tensor) and one.is_floating_point()]
    kept = floating[-1 - number]
    changed = list(values)
    for at in floating:
        one = values[at]
        if at != kept and isinstance(one, Tensor) and not bound[at]:
            changed[at] = zero = copy_of(one)
            each_once(zero).zero_()
    return changed


def with_one_twice(values: Sequence[Value], bound: Sequence[bool]) -> list[Value] | None:
    """Inputs of which two, the first that can, are the same; None where all differ in kind. Those that are `bound` have
    something that draws keep, and stay as they are."""
    known: dict[Any, Tensor] = {}
    for index, one in enumerate(values):
        if isinstance(one, Tensor) and one.is_floating_point() and one.numel() and not bound[index]:
            other = known.setdefault((one.dtype, one.shape, one.stride()), one)
            if other is not one:
                return [*values[:index], copy_of(other), *values[index + 1 :]]
    return None
