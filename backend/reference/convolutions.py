"""Convolutions in fp64 on a GPU as matrix products.

cuDNN has no fast fp64 algorithms: a transposed 3-D convolution takes it up to ten times as long as the same arithmetic
in cuBLAS. Whoever waits for what is right, or for the GPU, waits for that.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from kernelwright.backend.torch_private import TorchDispatchMode

#: Bytes of the operands that are gathered for one product.
_GATHERED = 1 << 28


class FastConvolutions(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Around a run: convolutions of fp64 numbers on `device` are sums of matrix products, if they have one group and
    finite weights: what padding makes of infinite ones differs between algorithms."""

    def __init__(self, device: str = "cuda") -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._device = device

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten.convolution.default and not kwargs and self._is_taken(*args):
            return convolution(*args[:8])
        return func(*args, **(kwargs or {}))

    def _is_taken(self, x: Tensor, weight: Tensor, *rest: Any) -> bool:
        here = x.device.type == self._device and x.dtype == weight.dtype == torch.float64
        return here and rest[6] == 1 and x.numel() > 0 and bool(weight.isfinite().all())


def convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
) -> Tensor:
    """`aten.convolution` with one group. x: [batch, channels, *places] or without the batch; the lists have a number
    for each dimension of places, or one for all."""
    dims = weight.ndim - 2
    batched = x if x.ndim == dims + 2 else x.unsqueeze(0)
    lists = [[*given] * (dims // len(given)) for given in (stride, padding, dilation, output_padding)]
    found = _scattered(batched, weight, *lists) if transposed else _gathered(batched, weight, *lists[:3])
    found = found if bias is None else found + bias.view(-1, *[1] * dims)
    return found if batched is x else found.squeeze(0)


def _gathered(
    x: Tensor, weight: Tensor, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]
) -> Tensor:
    """Products of weights with what of the padded inputs each of their places sees, as many at a time as there is room
    for."""
    padded = F.pad(x, [size for each in reversed(padding) for size in (each, each)])
    kernel = weight.shape[2:]
    sizes = [
        (have - by * (of - 1) - 1) // step + 1
        for have, of, by, step in zip(padded.shape[2:], kernel, dilation, stride, strict=True)
    ]
    found = x.new_zeros(x.shape[0], weight.shape[0], *sizes)
    rows = found.flatten(2)
    many = max(1, _GATHERED // max(1, x.shape[0] * x.shape[1] * rows.shape[2] * x.itemsize))
    places = list(itertools.product(*map(range, kernel)))
    for at in range(0, len(places), many):
        some = places[at : at + many]
        seen = [padded[_seen(place, dilation, stride, sizes)].flatten(2) for place in some]
        by = torch.cat([_at(weight, place) for place in some], 1)
        rows.baddbmm_(by.expand(x.shape[0], -1, -1), torch.cat(seen, 1))
    return found


def _scattered(
    x: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    more: Sequence[int],
) -> Tensor:
    """The products of inputs with each place of the weights, added up where they go, for as much of the batch at a time
    as there is room for; `more` is the output's padding."""
    kernel = weight.shape[2:]
    sizes = [
        (have - 1) * step + by * (of - 1) + 1 + behind
        for have, step, by, of, behind in zip(x.shape[2:], stride, dilation, kernel, more, strict=True)
    ]
    whole = x.new_zeros(x.shape[0], weight.shape[1], *sizes)
    many = max(1, _GATHERED // (weight.shape[1] * math.prod(x.shape[2:]) * x.itemsize))
    for given, into in zip(torch.split(x, many), torch.split(whole, many), strict=True):
        for place in itertools.product(*map(range, kernel)):
            products = torch.matmul(_at(weight, place).T, given.flatten(2))
            into[_seen(place, dilation, stride, x.shape[2:])] += products.view(*products.shape[:2], *x.shape[2:])
    cut: Any = (..., *(slice(off, size - off) for off, size in zip(padding, sizes, strict=True)))
    return whole[cut].contiguous()


def _at(weight: Tensor, place: Sequence[int]) -> Tensor:
    """The matrix of channels at a place of the weights."""
    index: Any = (slice(None), slice(None), *place)
    return weight[index]


def _seen(
    place: Sequence[int], dilation: Sequence[int], stride: Sequence[int], sizes: Sequence[int]
) -> tuple[Any, ...]:
    """The index of what a place of the weights meets: from its own place on, as many as there are in steps of the
    stride."""
    firsts = [at * by for at, by in zip(place, dilation, strict=True)]
    ends = [first + (many - 1) * step + 1 for first, many, step in zip(firsts, sizes, stride, strict=True)]
    return (..., *map(slice, firsts, ends, stride))
