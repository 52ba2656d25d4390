import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def arccos(d):
    y = tl.sqrt((1 - d) * (1 + d))
    swap = y > d
    t = tl.where(swap, d, y) / tl.where(swap, y, d)
    half = t / (1 + tl.sqrt(1 + t * t))
    half = half / (1 + tl.sqrt(1 + half * half))
    s = half * half
    a = 4 * half * (1 + s * (-0.33333333333 + s * (0.2 + s * (-0.142857142857 + s * (0.111111111 - s * 0.09090909)))))
    return tl.where(swap, 1.5707963267948966 - a, a)


@triton.jit
def slerp(pair_ptr, t_ptr, out_ptr, N: tl.constexpr):
    row = tl.arange(0, N)[:, None]
    k = tl.arange(0, 4)[None, :]
    a = tl.load(pair_ptr + row * 8 + k)
    b = tl.load(pair_ptr + row * 8 + 4 + k)
    t = tl.load(t_ptr + row)
    dot = tl.sum(a * b, 1)[:, None]
    b = tl.where(dot < 0, -b, b)
    angle = arccos(tl.minimum(tl.abs(dot), 1.0))
    out = (tl.sin((1 - t) * angle) * a + tl.sin(t * angle) * b) / tl.sin(angle)
    tl.store(out_ptr + row * 4 + k, out)


def forward(pair, t):
    out = torch.empty((64, 4), device=t.device, dtype=t.dtype)
    slerp[(1,)](pair, t, out, 64)
    return out
