import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def powers(x_ptr, gamma_ptr, out_ptr, C: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, C)
    x = tl.load(x_ptr + row * C + i)
    tl.store(out_ptr + row * C + i, tl.exp(tl.load(gamma_ptr + i).to(tl.float64) * tl.log(x.to(tl.float64))).to(tl.float32))


class ModelNew(nn.Module):
    def __init__(self, channels=16):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(channels))

    def forward(self, x):
        out = torch.empty_like(x)
        powers[(x.shape[0],)](x, self.gamma, out, x.shape[1])
        return out
