import math

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def make_table(cos_ptr, sin_ptr, log_base, HALF: tl.constexpr, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    angle = t.to(tl.float32) * tl.exp(-log_base * (i.to(tl.float32) / HALF))
    tl.store(cos_ptr + t * HALF + i, tl.cos(angle), mask=i < HALF)
    tl.store(sin_ptr + t * HALF + i, tl.sin(angle), mask=i < HALF)


@triton.jit
def rotate(x_ptr, cos_ptr, sin_ptr, y_ptr, T, HALF: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = row % T
    i = tl.arange(0, BLOCK)
    ok = i < HALF
    one = tl.load(x_ptr + row * 2 * HALF + i, mask=ok, other=0.0)
    other = tl.load(x_ptr + row * 2 * HALF + HALF + i, mask=ok, other=0.0)
    c = tl.load(cos_ptr + t * HALF + i, mask=ok, other=0.0)
    s = tl.load(sin_ptr + t * HALF + i, mask=ok, other=0.0)
    tl.store(y_ptr + row * 2 * HALF + i, one * c - other * s, mask=ok)
    tl.store(y_ptr + row * 2 * HALF + HALF + i, other * c + one * s, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.log_base = math.log(base)
        self.tables = {}

    def table(self, time, half, device):
        key = (time, half, device)
        if key not in self.tables:
            cos = torch.empty((time, half), dtype=torch.float32, device=device)
            sin = torch.empty((time, half), dtype=torch.float32, device=device)
            make_table[(time,)](cos, sin, self.log_base, half, triton.next_power_of_2(half))
            self.tables[key] = (cos, sin)
        return self.tables[key]

    def forward(self, x):
        batch, heads, time, dim = x.shape
        cos, sin = self.table(time, dim // 2, x.device)
        y = torch.empty_like(x)
        rotate[(batch * heads * time,)](x, cos, sin, y, time, dim // 2, triton.next_power_of_2(dim // 2))
        return y
