import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def group_norm_silu(x, w, b, y, plane, size, groups, per, B: tl.constexpr):
    pid = tl.program_id(0)
    g = pid % groups
    i = tl.arange(0, B)
    v = tl.load(x + pid * size + i, mask=i < size, other=0.0)
    mean = tl.sum(v, 0) / size
    var = tl.sum(v * v, 0) / size - mean * mean
    var = tl.where(var < 0.0, 0.0, var)
    c = g * per + i // plane
    h = (v - mean) * tl.rsqrt(var + 1e-5)
    h = h * tl.load(w + c, mask=i < size, other=0.0) + tl.load(b + c, mask=i < size, other=0.0)
    tl.store(y + pid * size + i, h * tl.sigmoid(h), mask=i < size)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.groups = groups
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        n, c, h, w = x.shape
        per = c // self.groups
        size = per * h * w
        y = torch.empty_like(x)
        group_norm_silu[(n * self.groups,)](x, self.norm.weight, self.norm.bias, y, h * w, size, self.groups, per,
                                            B=triton.next_power_of_2(size))
        return y
