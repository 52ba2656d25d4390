# reference: sum_max
from typing import Tuple

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sum_max_kernel(x_ptr, sum_ptr, max_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0)
    tl.store(sum_ptr + row, tl.sum(x, axis=0))
    tl.store(max_ptr + row, tl.max(tl.where(mask, x, float("-inf")), axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        x = x.contiguous()
        rows, cols = x.shape
        sums = torch.empty(rows, device=x.device, dtype=x.dtype)
        maxima = torch.empty(rows, device=x.device, dtype=x.dtype)
        sum_max_kernel[(rows,)](x, sums, maxima, cols, BLOCK=triton.next_power_of_2(cols))
        return sums, maxima
