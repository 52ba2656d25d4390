import functools

import torch
import torch.nn as nn
import triton
import triton.language as tl


@functools.lru_cache(maxsize=None)
def settings(cols: int):
    block = max(16, triton.next_power_of_2(cols))
    return block, (4 if block < 2048 else 8)


@triton.jit
def row_mean(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0)
    tl.store(y_ptr + row, tl.sum(x, 0) / cols)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, cols = x.shape
        block, warps = settings(cols)
        y = torch.empty(rows, dtype=x.dtype, device=x.device)
        row_mean[(rows,)](x, y, cols, BLOCK=block, num_warps=warps)
        return y
