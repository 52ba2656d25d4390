import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def affine(x_ptr, gain_ptr, bias_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    x = tl.load(x_ptr + row * W + col)
    tl.store(out_ptr + row * W + col, x * tl.load(gain_ptr + col) + tl.load(bias_ptr + col))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(32))
        self.bias = nn.Parameter(torch.randn(32))

    def forward(self, x):
        out = torch.empty_like(x)
        gain = self.gain.detach().as_strided((32,), (1,), 0)
        bias = self.bias.detach().as_strided((32,), (1,), 0)
        affine[(x.shape[0],)](x, gain, bias, out, x.shape[1])
        return out
