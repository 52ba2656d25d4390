import math

import torch
import torch.nn as nn
import triton
import triton.language as tl

LN2 = tl.constexpr(math.log(2.0))


@triton.jit
def log_cosh(x_ptr, y_ptr, o_ptr, numel, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < numel
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
    d = tl.abs(x - y)
    # log(cosh d): even in d, a series near zero, where the difference of two logarithms would cancel
    d2 = d * d
    near = d2 * (0.5 + d2 * (-0.08333333333 + d2 * (0.02222222222 - d2 * 0.00674603175)))
    far = d + tl.log(1.0 + tl.exp(-2.0 * d)) - LN2
    tl.store(o_ptr + offsets, tl.where(d < 0.3, near, far), mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.block_size = 256

    def forward(self, x, y):
        out = torch.empty_like(x)
        if x.numel() == 0:
            return out
        x_flat = x.contiguous().view(-1)
        y_flat = y.contiguous().view(-1)
        numel = x_flat.numel()
        grid = lambda META: (triton.cdiv(numel, META["BLOCK_SIZE"]),)
        log_cosh[grid](x_flat, y_flat, out.view(-1), numel, BLOCK_SIZE=self.block_size)
        return out
