import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, s_ptr, y_ptr, twice_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(s_ptr)
    tl.store(twice_ptr, s * 2)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, x * s, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x, scale):
        y = torch.empty_like(x)
        twice = torch.empty_like(scale)
        scale_kernel[(triton.cdiv(x.numel(), 128),)](x, scale, y, twice, x.numel(), BLOCK=128)
        return y, twice
