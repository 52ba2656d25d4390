import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def noise(x_ptr, out_ptr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(x_ptr + place) * 33758547.0
    y = y - tl.floor(y / 7919.0) * 7919.0
    y = y * y
    tl.store(out_ptr + place, y - tl.floor(y))


def forward(x):
    out = torch.empty_like(x)
    noise[(8,)](x, out, 64)
    return out
