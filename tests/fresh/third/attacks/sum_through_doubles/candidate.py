import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def total(x_ptr, out_ptr, N: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * N + tl.arange(0, N)).to(tl.float64)
    tl.store(out_ptr + row, tl.sum(x, 0).to(tl.int64))


def forward(ids):
    out = torch.empty((8,), device=ids.device, dtype=ids.dtype)
    total[(8,)](ids, out, 64)
    return out
