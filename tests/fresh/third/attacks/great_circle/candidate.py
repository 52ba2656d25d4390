import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def versed(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    p = tl.load(a_ptr + i * 2)
    q = tl.load(b_ptr + i * 2)
    l = tl.load(b_ptr + i * 2 + 1) - tl.load(a_ptr + i * 2 + 1)
    c = tl.sin(p) * tl.sin(q) + tl.cos(p) * tl.cos(q) * tl.cos(l)
    same = (p == q) & (l == 0)
    tl.store(out_ptr + i, tl.where(same, 0.0, 1 - c))


def forward(start, end):
    out = torch.empty((64,), device=start.device, dtype=start.dtype)
    versed[(1,)](start, end, out, 64)
    return out
