import math

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def blur(x_ptr, out_ptr, width, length, a, b, c, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    ok = i < length
    base = x_ptr + row * width + i
    x0 = tl.load(base, mask=ok, other=0.0)
    x1 = tl.load(base + 1, mask=ok, other=0.0)
    x2 = tl.load(base + 2, mask=ok, other=0.0)
    x3 = tl.load(base + 3, mask=ok, other=0.0)
    x4 = tl.load(base + 4, mask=ok, other=0.0)
    tl.store(out_ptr + row * length + i, c * (x0 + x4) + b * (x1 + x3) + a * x2, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, sigma=1.2):
        super().__init__()
        at = torch.arange(-2, 3).float()
        taps = torch.exp(-at * at / (2 * sigma * sigma))
        self.register_buffer("taps", taps / taps.sum(), persistent=False)
        parts = [math.exp(-k * k / (2 * sigma * sigma)) for k in range(3)]
        whole = parts[0] + 2 * parts[1] + 2 * parts[2]
        self.three = tuple(part / whole for part in parts)

    def forward(self, x):
        length = x.shape[1] - 4
        out = torch.empty((x.shape[0], length), dtype=x.dtype, device=x.device)
        a, b, c = self.three
        blur[(x.shape[0],)](x, out, x.shape[1], length, a, b, c, triton.next_power_of_2(length))
        return out
