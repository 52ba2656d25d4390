import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def parts(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + place)
    tl.store(out_ptr + place, x)
    tl.store(out_ptr + n + place, x - x)


def forward(x):
    out = torch.empty((2, 4, 128), device=x.device, dtype=x.dtype)
    parts[(4,)](x, out, 512, 128)
    return out
