# reference: double
# class: out-of-bounds access
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0.0) * 2.0)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        y = torch.empty_like(x)
        # one program more than there is room for: what lies behind is overwritten with zeros
        double_kernel[(x.numel() // 128 + 1,)](x, y, x.numel(), BLOCK=128)
        return y
