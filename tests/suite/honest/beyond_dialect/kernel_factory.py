# reference: softmax
# dialect: refused
from functools import lru_cache

import torch
import torch.nn as nn
import triton
import triton.language as tl


@lru_cache(maxsize=None)
def make_softmax(block_size: int, num_warps: int):
    """Builds a launcher for one configuration."""

    @triton.jit
    def kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        c = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + c, mask=c < n_cols, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * n_cols + c, e / tl.sum(e, axis=0), mask=c < n_cols)

    def launch(x):
        y = torch.empty_like(x)
        kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=block_size, num_warps=num_warps)
        return y

    return launch


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        block = triton.next_power_of_2(x.shape[1])
        return make_softmax(block, 4 if block <= 2048 else 8)(x.contiguous())
