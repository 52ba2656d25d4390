import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def axes(r_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(r_ptr + i * 9 + 7) - tl.load(r_ptr + i * 9 + 5)
    y = tl.load(r_ptr + i * 9 + 2) - tl.load(r_ptr + i * 9 + 6)
    z = tl.load(r_ptr + i * 9 + 3) - tl.load(r_ptr + i * 9 + 1)
    size = tl.sqrt(x * x + y * y + z * z)
    tl.store(out_ptr + i * 3, x / size)
    tl.store(out_ptr + i * 3 + 1, y / size)
    tl.store(out_ptr + i * 3 + 2, z / size)


def forward(r):
    out = torch.empty((64, 3), device=r.device, dtype=r.dtype)
    axes[(1,)](r, out, 64)
    return out
