# reference: half_silu
from typing import Optional

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def _silu_kernel(X, Y, n_cols, stride, BLOCK_N: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_N)
    x = tl.load(X + row * stride + cols, mask=cols < n_cols, other=0.0)
    result = _silu(x.to(tl.float32))
    tl.store(Y + row * stride + cols, result.to(tl.float16), mask=cols < n_cols)


def launch(x: torch.Tensor, out: Optional[torch.Tensor] = None) -> torch.Tensor:
    if out is None:
        out = torch.empty_like(x)
    rows, cols = x.shape
    _silu_kernel[(rows,)](x, out, cols, x.stride(0), BLOCK_N=triton.next_power_of_2(cols))
    return out


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return launch(x)
