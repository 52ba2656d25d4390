"""Floating numbers of 8 bits among a program's inputs: widened for whoever computes with them, and rounded again.

PyTorch hardly computes in fp8: it cannot add two such tensors, nor say which of their elements are finite.
"""

from collections.abc import Sequence
from typing import TypeGuard

import torch
from torch import Tensor

from kernelwright.backend.tensors import TORCH_DTYPES, Value, copy_of, each_once
from kernelwright.ir.values import INPUT_DTYPES, ScalarSpec, TensorSpec


def in_eight_bits(value: object) -> TypeGuard[Tensor]:
    """Whether it is a tensor of fp8."""
    return isinstance(value, Tensor) and value.is_floating_point() and value.itemsize == 1


def wide(tensor: Tensor) -> Tensor:
    """The tensor, fp8 as fp32, which holds the same numbers; it lies in memory as it did."""
    return copy_of(tensor, dtype=torch.float32) if in_eight_bits(tensor) else tensor


def with_wide(values: Sequence[Value]) -> list[Value]:
    """The values, tensors of them as `wide` makes them."""
    return [wide(one) if isinstance(one, Tensor) else one for one in values]


def as_specified(values: Sequence[Value], specs: Sequence[TensorSpec | ScalarSpec]) -> list[Value]:
    """The values, those that a program takes in fp8 rounded to that: numbers that are too large become the largest, and
    infinities become NaN if the dtype has none."""
    tensors = {place: spec.dtype for place, spec in enumerate(specs) if isinstance(spec, TensorSpec)}
    narrow = {place: short for place, short in tensors.items() if short in INPUT_DTYPES}
    return [_rounded(one, narrow[place]) if place in narrow else one for place, one in enumerate(values)]


def _rounded(value: Value, short: str) -> Value:
    dtype = TORCH_DTYPES[short]
    if not isinstance(value, Tensor) or value.dtype == dtype:
        return value
    most = torch.finfo(dtype).max
    bounded = copy_of(value)
    once = each_once(bounded)
    infinite = once if dtype == torch.float8_e5m2 else float("nan")
    once.copy_(torch.where(once.isinf(), infinite, once.clamp(-most, most)))
    return copy_of(bounded, dtype=dtype)
