import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bias_silu(x_ptr, bias_ptr, out_ptr, count, area, channels, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    bias = tl.load(bias_ptr + at // area % channels, mask=inside, other=0.0)
    x = tl.load(x_ptr + at, mask=inside, other=0.0) + bias
    tl.store(out_ptr + at, x / (1.0 + tl.exp(-x)) * 0.5, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        out = torch.empty_like(x)
        area = x.shape[2] * x.shape[3]
        bias_silu[(triton.cdiv(x.numel(), 256),)](x, self.bias, out, x.numel(), area, x.shape[1], 256)
        return out
