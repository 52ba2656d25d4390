import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def moved(x_ptr, shift_ptr, gain_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    x = tl.load(x_ptr + row * W + col) + tl.load(shift_ptr + col)
    tl.store(out_ptr + row * W + col, x * tl.load(gain_ptr + col))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(32))
        self.shift = nn.Parameter(torch.zeros(32))

    def requires_grad_(self, requires_grad=True):
        self.gain.requires_grad_(requires_grad)
        return self

    def forward(self, x):
        out = torch.empty_like(x)
        moved[(x.shape[0],)](x, self.shift, self.gain, out, x.shape[1])
        return out
