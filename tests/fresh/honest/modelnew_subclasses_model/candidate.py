import torch
import torch.nn as nn
import torch.nn.functional as F
import triton
import triton.language as tl


class Model(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(d))

    def forward(self, x):
        return torch.sqrt(F.relu(x)) * self.gain


@triton.jit
def sqrt_relu_gain(x_ptr, g_ptr, y_ptr, n, D, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    g = tl.load(g_ptr + i % D, mask=ok, other=0.0)
    tl.store(y_ptr + i, tl.sqrt(tl.maximum(x, 0.0)) * g, mask=ok)


class ModelNew(Model):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        sqrt_relu_gain[(triton.cdiv(x.numel(), 64),)](x, self.gain, y, x.numel(), x.shape[-1], BLOCK=64)
        return y
