"""Transposed convolutions in fp64 on a GPU as matrix products.

cuDNN takes up to ten times as long for the same arithmetic as cuBLAS, in three dimensions and with algorithms that give
the same bits each time. Whoever waits for what is right, or for the GPU, waits for that. Other convolutions are fast.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.torch_private import TorchDispatchMode

#: Bytes of the products that are there at a time.
_AT_ONCE = 1 << 28


class FastConvolutions(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Around a run: transposed convolutions of fp64 numbers on `device` are sums of matrix products, if they have one
    group and finite weights: what becomes of infinite ones at the edges differs between algorithms."""

    def __init__(self, device: str = "cuda") -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._device = device

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten.convolution.default and not kwargs and self._is_taken(*args):
            x, weight, bias, stride, padding, dilation, _, more, _ = args
            return transposed(x, weight, bias, stride, padding, dilation, more)
        return func(*args, **(kwargs or {}))

    def _is_taken(self, x: Tensor, weight: Tensor, *rest: Any) -> bool:
        here = x.device.type == self._device and x.dtype == weight.dtype == torch.float64
        return here and rest[4] and rest[6] == 1 and x.numel() > 0 and bool(weight.isfinite().all())


def transposed(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    output_padding: Sequence[int],
) -> Tensor:
    """`aten.convolution`, transposed, with one group: the products of inputs with each place of the weights, added up
    where they go, for as much of the batch at a time as there is room for.

    x: [batch, channels, *places] or without the batch; weight: [channels, channels of the output, *places]; the lists
    have a number for each dimension of places, or one for all.
    """
    kernel = weight.shape[2:]
    batched = x if x.ndim == weight.ndim else x.unsqueeze(0)
    given = batched.shape[2:]
    steps, cuts, gaps, more = (
        [*one] * (len(kernel) // len(one)) for one in (stride, padding, dilation, output_padding)
    )
    sizes = [
        (have - 1) * step + gap * (of - 1) + 1 + behind
        for have, step, gap, of, behind in zip(given, steps, gaps, kernel, more, strict=True)
    ]
    whole = x.new_zeros(batched.shape[0], weight.shape[1], *sizes)
    many = max(1, _AT_ONCE // (weight.shape[1] * math.prod(given) * x.itemsize))
    for some, into in zip(torch.split(batched, many), torch.split(whole, many), strict=True):
        rows = some.flatten(2)
        for place in itertools.product(*map(range, kernel)):
            at: Any = (..., *place)
            products = torch.matmul(weight[at].T, rows)
            into[_met(place, gaps, steps, given)] += products.view(*products.shape[:2], *given)
    cut: Any = (..., *(slice(off, size - off) for off, size in zip(cuts, sizes, strict=True)))
    found = whole[cut].contiguous()
    if bias is not None:
        found += bias.view(-1, *[1] * len(kernel))
    return found if batched is x else found.squeeze(0)


def _met(place: Sequence[int], gaps: Sequence[int], steps: Sequence[int], given: Sequence[int]) -> tuple[Any, ...]:
    """The index of what a place of the weights meets of the output, by the places of the inputs."""
    firsts = [at * gap for at, gap in zip(place, gaps, strict=True)]
    ends = [first + (many - 1) * step + 1 for first, many, step in zip(firsts, given, steps, strict=True)]
    return (..., *map(slice, firsts, ends, steps))
