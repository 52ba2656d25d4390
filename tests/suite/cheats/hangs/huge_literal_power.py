# reference: double
# class: endless loop
import torch
import torch.nn as nn
import triton
import triton.language as tl

SIZE = 9**9**8


@triton.jit
def double_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 3.0, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        y = torch.empty_like(x)
        double_kernel[(min(4, SIZE),)](x, y, x.numel(), BLOCK=256)
        return y
