import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def at_places(x, shift, places, y, C, B: tl.constexpr):
    at = tl.load(places + tl.program_id(0)) * C
    c = tl.arange(0, B)
    v = tl.load(x + at + c, mask=c < C, other=0.0) + tl.load(shift + c, mask=c < C, other=0.0)
    tl.store(y + at + c, tl.sigmoid(v), mask=c < C)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.shift = nn.Parameter(torch.randn(c))

    def forward(self, x, keep):
        places = keep.flatten().nonzero().flatten()
        y = torch.zeros_like(x)
        if places.numel():
            at_places[(places.numel(),)](x, self.shift, places, y, x.shape[-1], B=16)
        return y
