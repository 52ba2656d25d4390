import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fold(x, y, n, half, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    a = tl.load(x + r * n + i, mask=i < half, other=0.0)
    b = tl.load(x + r * n + half + i, mask=(i < half) & (half + i < n), other=0.0)
    tl.store(y + r * half + i, a + b, mask=i < half)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        while n > 1:
            half = (n + 1) // 2
            y = x.new_empty(rows, half)
            fold[(rows,)](x, y, n, half, B=triton.next_power_of_2(half))
            x, n = y, half
        return x.reshape(rows)
