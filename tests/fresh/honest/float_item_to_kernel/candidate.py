import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def times(x_ptr, y_ptr, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0.0) * scale, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x, scale):
        y = torch.empty_like(x)
        times[(triton.cdiv(x.numel(), 32),)](x, y, x.numel(), scale.item(), BLOCK=32)
        return y
