import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, s_ptr, out_ptr, n, HAS_SCALE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    y = x * x
    if HAS_SCALE:
        y *= tl.load(s_ptr)
    tl.store(out_ptr + i, y, mask=i < n)


def square(x, scale=None, *, out=None):
    if out is None:
        out = torch.empty_like(x)
    n = x.numel()
    square_kernel[(triton.cdiv(n, 64),)](x, scale, out, n, HAS_SCALE=scale is not None, BLOCK=64)
    return out


class ModelNew(nn.Module):
    def forward(self, x, scale=None):
        return square(x.contiguous(), scale)
