import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def above(x_ptr, threshold_ptr, out_ptr, C: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, C)
    x = tl.load(x_ptr + row * C + i)
    threshold = tl.load(threshold_ptr + i)
    tl.store(out_ptr + row * C + i, (x - threshold) * (x > threshold).to(tl.float32))


class ModelNew(nn.Module):
    def __init__(self, units=32):
        super().__init__()
        self.threshold = nn.Parameter(torch.zeros(units))

    def forward(self, x):
        out = torch.empty_like(x)
        above[(x.shape[0],)](x, self.threshold, out, x.shape[1])
        return out
