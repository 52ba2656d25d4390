import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gate(x, bias, y, n, length, channels, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    h = tl.load(x + i, mask=m, other=0.0) + tl.load(bias + (i // length) % channels, mask=m, other=0.0)
    up = tl.where(h > 0.0, h, 0.0)
    cut = tl.where(h < 2.0, h, 2.0)
    cut = tl.where(cut > -2.0, cut, -2.0)
    tl.store(y + i, up * cut, mask=m)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        gate[(triton.cdiv(n, 256),)](x, self.bias, y, n, x.shape[2], x.shape[1], B=256)
        return y
