import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def special(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    a = tl.abs(x)
    y = libdevice.erf(x) + libdevice.tanh(x) * libdevice.log1p(a) - libdevice.expm1(-a) + libdevice.pow(a + 1.0, 0.3)
    tl.store(y_ptr + i, y, mask=ok)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = torch.empty_like(x)
        special[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
        return y
