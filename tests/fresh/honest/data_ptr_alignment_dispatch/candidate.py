import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sqrt_abs(x_ptr, y_ptr, n, ALIGNED: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if ALIGNED:
        i = tl.max_contiguous(tl.multiple_of(i, 4), 4)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, tl.sqrt(tl.abs(x)), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        aligned = x.data_ptr() % 16 == 0 and y.data_ptr() % 16 == 0
        sqrt_abs[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), ALIGNED=aligned, BLOCK=128)
        return y
