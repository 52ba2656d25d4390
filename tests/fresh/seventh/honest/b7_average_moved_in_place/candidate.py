import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def move(x, average, y, rows, C, R: tl.constexpr, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    r = tl.arange(0, R)
    m = (r[:, None] < rows) & (c[None, :] < C)
    at = r[:, None] * C + c[None, :]
    v = tl.load(x + at, mask=m, other=0.0)
    a = 0.75 * tl.load(average + c, mask=c < C, other=0.0) + 0.25 * (tl.sum(v, 0) / rows)
    tl.store(average + c, a, mask=c < C)
    tl.store(y + at, v - a[None, :], mask=m)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.register_buffer("average", torch.zeros(c))

    def forward(self, x):
        rows, C = x.shape
        y = torch.empty_like(x)
        move[(triton.cdiv(C, 16),)](x, self.average, y, rows, C, R=triton.next_power_of_2(rows), B=16)
        return y
