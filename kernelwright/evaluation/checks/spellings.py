"""Operations that Triton lacks, computed as kernels have to: `log(1 + x)` for `log1p`, and all that is made of it.

Near zero such a spelling is off by the rounding of 1, which is right, and which factors that follow make larger.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.torch_private import TorchDispatchMode


def _softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    return torch.where(x * beta > threshold, x, torch.log(1 + torch.exp(x * beta)) / beta)


def _log_sigmoid(x: Tensor) -> tuple[Tensor, Tensor]:
    return torch.clamp(x, max=0) - torch.log(1 + torch.exp(-x.abs())), torch.empty_like(x)


def _logaddexp(x: Tensor, y: Tensor) -> Tensor:
    return torch.maximum(x, y) + torch.log(1 + torch.exp(-(x - y).abs()))


_SPELLINGS: Mapping[str, Callable[..., Any]] = {
    "aten.log1p.default": lambda x: torch.log(1 + x),
    "aten.expm1.default": lambda x: torch.exp(x) - 1,
    "aten.softplus.default": _softplus,
    "aten.log_sigmoid_forward.default": _log_sigmoid,
    "aten.logaddexp.default": _logaddexp,
}


class Respelled(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Computes these operations in the other spelling; `used` tells whether there were any."""

    used = False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        spelling = _SPELLINGS.get(str(func))
        if spelling is None:
            return func(*args, **(kwargs or {}))
        self.used = True
        return spelling(*args, **(kwargs or {}))
