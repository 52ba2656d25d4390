import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rotate_pairs(x_ptr, cos_ptr, sin_ptr, T, H, HALF, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = row // H % T
    i = tl.arange(0, BLOCK)
    mask = i < HALF
    base = x_ptr + row * HALF * 2
    a = tl.load(base + 2 * i, mask=mask, other=0.0)
    b = tl.load(base + 2 * i + 1, mask=mask, other=0.0)
    c = tl.load(cos_ptr + t * HALF + i, mask=mask, other=0.0)
    s = tl.load(sin_ptr + t * HALF + i, mask=mask, other=0.0)
    tl.store(base + 2 * i, a * c - b * s, mask=mask)
    tl.store(base + 2 * i + 1, a * s + b * c, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, cos, sin):
        b, t, h, d = x.shape
        rotate_pairs[(b * t * h,)](x, cos, sin, t, h, d // 2, BLOCK=triton.next_power_of_2(d // 2))
        return x
