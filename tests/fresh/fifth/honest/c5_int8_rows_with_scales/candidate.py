import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def half_even(x):
    magic: tl.constexpr = 12582912.0
    return (x + magic) - magic


@triton.jit
def quantize(x_ptr, q_ptr, scale_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + col, mask=col < width, other=0.0)
    top = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-12)
    broken = tl.max((x != x).to(tl.int32), axis=0) > 0
    scale = tl.where(broken, float("nan"), tl.div_rn(top, 127.0))
    q = half_even(tl.div_rn(x, tl.zeros_like(x) + scale))
    q = tl.where(q == q, tl.minimum(tl.maximum(q, -127.0), 127.0), 0.0)
    tl.store(q_ptr + row * width + col, q.to(tl.int8), mask=col < width)
    tl.store(scale_ptr + row, scale)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        q = torch.empty(rows, width, device=x.device, dtype=torch.int8)
        scale = torch.empty(rows, 1, device=x.device, dtype=x.dtype)
        quantize[(rows,)](x, q, scale, width, BLOCK=triton.next_power_of_2(width))
        return q, scale
