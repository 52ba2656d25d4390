"""Operations computed as kernels do: `log(1 + x)` for `log1p`, and all that is made of it; `exp2(x * log2(e))` for
`exp`, as a GPU has it; other functions off by a unit of rounding; and so the mean of a norm, as a sum times `1 / n` is;
and a softmax's logarithm as a number less the logarithm of the row's sum.

Near zero `log(1 + x)` is off by the rounding of 1, an exponential by the rounding of its exponent, and a softmax's
logarithm by the rounding of the row's largest number. What is left of all but equal numbers less their mean is
rounding, and no more. All of that is right, and factors that follow make it larger.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.torch_private import TorchDispatchMode
from kernelwright.evaluation.inputs.functions import FUNCTIONS


def _softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    return torch.where(x * beta > threshold, x, torch.log(1 + torch.exp(x * beta)) / beta)


def _log_sigmoid(x: Tensor) -> tuple[Tensor, Tensor]:
    return torch.clamp(x, max=0) - torch.log(1 + torch.exp(-x.abs())), torch.empty_like(x)


def _logaddexp(x: Tensor, y: Tensor) -> Tensor:
    return torch.maximum(x, y) + torch.log(1 + torch.exp(-(x - y).abs()))


#: The base-2 logarithm of e in fp32, rounded up: off by a unit of rounding, where the nearest is right by luck.
_LOG2_E = 1.4426951408386230
_UNIT = 2.0**-23


def _exp(x: Tensor) -> Tensor:
    given = _floating(x)
    return torch.exp2(given * _LOG2_E) if given.dtype == torch.float32 else torch.exp(x)


def _pow(base: float, x: Tensor) -> Tensor:
    given = _floating(x)
    plain = given.dtype != torch.float32 or base <= 0
    return torch.pow(base, x) if plain else torch.exp2(given * (math.log2(base) * (1 + _UNIT)))


def _floating(x: Tensor) -> Tensor:
    """Integers as functions take them."""
    return x if x.is_floating_point() or x.is_complex() else x.to(torch.get_default_dtype())


def _mean(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    mean = x.mean(*args, **kwargs)
    return mean * (1 + _UNIT) if mean.dtype == torch.float32 else mean


def _normalized(x: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Rows of two dimensions less their mean, over their deviation: these, means and reciprocals."""
    mean = _mean(x, -1, keepdim=True)
    apart = x - mean
    reciprocal = torch.rsqrt(apart.square().mean(-1, keepdim=True) + eps)
    return apart * reciprocal, mean, reciprocal


def _layer_norm(x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float) -> Any:
    wide = x.double() if x.dtype == torch.float64 else x.float()
    outer = [*x.shape[: x.ndim - len(shape)], *(1 for _ in shape)]
    normal, mean, reciprocal = _normalized(wide.reshape(-1, math.prod(shape)), eps)
    scaled = normal.reshape(x.shape) * (1.0 if weight is None else weight) + (0.0 if bias is None else bias)
    return scaled.to(x.dtype), mean.reshape(outer), reciprocal.reshape(outer)


def _group_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, n: int, c: int, _each: int, groups: int, eps: float
) -> Any:
    wide = x.double() if x.dtype == torch.float64 else x.float()
    channels = (1, c, *(1,) * (x.ndim - 2))
    normal, mean, reciprocal = _normalized(wide.reshape(n * groups, -1), eps)
    by = [None if one is None else one.reshape(channels) for one in (weight, bias)]
    scaled = normal.reshape(x.shape) * (1.0 if by[0] is None else by[0]) + (0.0 if by[1] is None else by[1])
    return scaled.to(x.dtype), mean.reshape(n, groups).to(x.dtype), reciprocal.reshape(n, groups).to(x.dtype)


def _batch_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    """By the statistics of its input; what keeps or uses running ones computes no mean whose rounding is left over."""
    if running_mean is not None or not training:
        return torch.ops.aten.native_batch_norm(x, weight, bias, running_mean, running_var, training, momentum, eps)
    channels = x.shape[1]
    normal, mean, reciprocal = _normalized(x.movedim(1, 0).reshape(channels, -1).float(), eps)
    shaped = normal.reshape(channels, x.shape[0], *x.shape[2:]).movedim(0, 1)
    by = [None if one is None else one.reshape(channels, *(1,) * (x.ndim - 2)) for one in (weight, bias)]
    scaled = shaped * (1.0 if by[0] is None else by[0]) + (0.0 if by[1] is None else by[1])
    return scaled.to(x.dtype), mean.flatten(), reciprocal.flatten()


def _log_softmax(x: Tensor, dim: int, half_to_float: bool) -> Tensor:
    wide = x.double() if x.dtype == torch.float64 else x.float()
    largest = wide.amax(dim, keepdim=True)
    whole = largest + torch.log(torch.exp(wide - largest).sum(dim, keepdim=True))
    return (wide - whole).to(torch.float32 if half_to_float else x.dtype)


_SPELLINGS: Mapping[str, Callable[..., Any]] = {
    "aten.log1p.default": lambda x: torch.log(1 + x),
    "aten.expm1.default": lambda x: torch.exp(x) - 1,
    "aten.softplus.default": _softplus,
    "aten.log_sigmoid_forward.default": _log_sigmoid,
    "aten.logaddexp.default": _logaddexp,
    "aten._log_softmax.default": _log_softmax,
    "aten.exp.default": _exp,
    "aten.pow.Scalar": _pow,
    "aten.mean.dim": _mean,
    "aten.native_layer_norm.default": _layer_norm,
    "aten.native_group_norm.default": _group_norm,
    "aten.native_batch_norm.default": _batch_norm,
}


def _off(result: Tensor) -> Tensor:
    """Off by a unit of rounding, one element above and the next below."""
    if result.dtype != torch.float32:
        return result
    odd = torch.arange(result.numel(), device=result.device).reshape(result.shape) % 2
    return result * torch.where(odd == 0, 1 + _UNIT, 1 - _UNIT)


class Respelled(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Computes these operations in the other spelling; `used` tells whether there were any."""

    used = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        spelling = _SPELLINGS.get(str(func))
        self.used |= spelling is not None or str(func) in FUNCTIONS
        result = (spelling or func)(*args, **(kwargs or {}))
        return _off(result) if spelling is None and str(func) in FUNCTIONS else result
