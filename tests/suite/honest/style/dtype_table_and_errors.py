# reference: double
from typing import Dict, Optional

import torch
import torch.nn as nn
import triton
import triton.language as tl

BLOCKS = {torch.float32: 256, torch.float16: 512}


@triton.jit
def scale_kernel(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)


def scale(x: torch.Tensor, factor: float, out: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Multiplies by a factor. Raises TypeError for dtypes that are not known."""
    if x.dtype not in BLOCKS:
        raise TypeError(f"dtype {x.dtype} is not supported")
    block = BLOCKS[x.dtype]
    y = torch.empty_like(x) if out is None else out
    assert y.shape == x.shape, "out has another shape: " + str(tuple(y.shape))
    scale_kernel[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), factor, BLOCK=block)
    return y


class ModelNew(nn.Module):
    def __init__(self, options: Optional[Dict[str, int]] = None):
        super().__init__()
        self.factor = 2.0

    def forward(self, x):
        return scale(x, self.factor)
