"""Weights and buffers of many sizes: what training and files leave in them, which is far from where they begin."""

import math

import torch
from torch import Tensor

from kernelwright.evaluation.inputs.patchwork.integers import MOST
from kernelwright.evaluation.inputs.patchwork.rows import FAINT, LEAST_SIZES, LOUD, OF_ALL_SIZES, patched, signs
from kernelwright.evaluation.inputs.traits import find_traits, is_integer, kept

#: By which factors a number that stands alone is multiplied, by kind of draw: a learned temperature is as small as the
#: first, a learned scale as large as the last.
_ALONE = {FAINT: (1e-3, 0.2), OF_ALL_SIZES: (0.2, 60.0), LOUD: (60.0, 1e3)}
#: By which factors gains and other vectors are multiplied, what stands around zero, and variances and other numbers
#: that are all positive.
_GAINS, _AROUND_ZERO, _POSITIVE = (1e-3, 1e2), (1e-2, 10.0), (1e-7, 1e2)
#: How many times as large saved integers may be in loud draws, if the program takes such.
_AS_LARGE = 32
#: In which kind of draw numbers that are all positive get signs.
_SIGNED = FAINT
#: How rows of a matrix are to their size.
_ROWS = (1e-2, 4.0)
#: One row in so many is tiny.
_TINY_ROWS = 8
#: Of what shape they are: most are as random as they begin.
_NAMES = ("full", "full", "full", "full", "few", "sparse", "sparse", "of two signs", "levels", "spread")


def patch_parameter(tensor: Tensor, size: float, constant: bool, kind: str) -> None:
    """Draw a floating parameter anew, in place; `size`: its root mean square, `constant`: it began as one number."""
    if tensor.ndim > 1 and not constant:
        tensor.copy_(patched(tensor, _NAMES, (_ROWS[0] * size, _ROWS[1] * size)))
        if kind == OF_ALL_SIZES:
            _make_rows_tiny(tensor, size)
    elif tensor.numel() < 3:
        tensor.mul_(_factors(tensor, _ALONE[kind]))
    else:
        wide = tensor.double() if constant else torch.randn_like(tensor, dtype=torch.float64) * size
        changed = wide * _factors(tensor, _GAINS) * signs(tensor.shape, 1 / 4, tensor.device)
        tensor.copy_(torch.where(torch.rand(tensor.shape, device=tensor.device) < 1 / 16, 0.0, changed))


def _make_rows_tiny(tensor: Tensor, size: float) -> None:
    """Make one row in so many as small as the least inputs."""
    some = tensor[int(torch.randint(0, _TINY_ROWS, ())) :: _TINY_ROWS]
    some.mul_(_factors(some.flatten(1)[:, :1], LEAST_SIZES).reshape(-1, *(1,) * (tensor.ndim - 1)) / size)


def patch_buffer(tensor: Tensor, constant: bool, zero: bool, kind: str) -> None:
    """Change a saved buffer in place; `constant` and `zero`: all of it began as one number, and as zero."""
    if tensor.is_complex() or tensor.dtype == torch.bool:
        return
    if is_integer(tensor) and constant:
        _count(tensor, kind)
    elif is_integer(tensor):
        drawn = tensor.flatten()[torch.randint(0, tensor.numel(), tensor.shape, device=tensor.device)]
        tensor.copy_(drawn * torch.randint(1, _AS_LARGE, drawn.shape).to(drawn) if kind == LOUD else drawn)
    elif tensor.numel() < 3:
        tensor.mul_(_factors(tensor, _ALONE[kind]))
    elif zero:
        tensor.mul_(_factors(tensor, _AROUND_ZERO))
    elif constant:
        tensor.mul_(_factors(tensor, _POSITIVE))
    elif torch.unique(tensor).numel() > 2:
        positive = bool((tensor >= 0).all()) and kind != _SIGNED
        flipped = signs(tensor.shape, 0.0 if positive else 1 / 2, tensor.device).to(tensor)
        changed = tensor * _factors(tensor, _ROWS) * flipped
        tensor.copy_(kept(changed, find_traits([[tensor]])[0]))


def _count(tensor: Tensor, kind: str) -> None:
    """Make what begins as one number, as counts do, numbers of any size."""
    most = min(MOST[kind], torch.iinfo(tensor.dtype).max)
    share = torch.rand(tensor.shape, dtype=torch.float64, device=tensor.device)
    tensor.copy_((float(most) ** share).floor())


def _factors(like: Tensor, sizes: tuple[float, float]) -> Tensor:
    low, high = (math.log(size) for size in sizes)
    return torch.exp(low + (high - low) * torch.rand(like.shape, dtype=torch.float64, device=like.device)).to(like)
