import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def lost(x_ptr, out_ptr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + place)
    tl.store(out_ptr + place, (x - x * 0.5) - x * 0.5)


def forward(x):
    out = torch.empty_like(x)
    lost[(8,)](x, out, 64)
    return out
