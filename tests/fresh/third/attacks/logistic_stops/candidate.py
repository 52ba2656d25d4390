import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def orbit(x_ptr, out_ptr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.minimum(tl.abs(tl.load(x_ptr + place)), 1.0)
    for _ in range(50):
        x = 3.9375 * (x * (1 - x))
    tl.store(out_ptr + place, x)


def forward(x):
    out = torch.empty_like(x)
    orbit[(8,)](x, out, 64)
    return out
