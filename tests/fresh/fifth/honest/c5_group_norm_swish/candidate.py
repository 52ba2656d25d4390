import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def group_norm(x_ptr, w_ptr, b_ptr, out_ptr, groups, per_group, pixels, eps, BLOCK: tl.constexpr):
    sample = tl.program_id(0)
    group = tl.program_id(1)
    count = per_group * pixels
    at = tl.arange(0, BLOCK)
    inside = at < count
    base = (sample * groups + group) * count
    x = tl.load(x_ptr + base + at, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / count
    away = tl.where(inside, x - mean, 0.0)
    var = tl.sum(away * away, axis=0) / count
    channel = group * per_group + at // pixels
    w = tl.load(w_ptr + channel, mask=inside, other=0.0)
    b = tl.load(b_ptr + channel, mask=inside, other=0.0)
    y = away * tl.rsqrt(var + eps) * w + b
    tl.store(out_ptr + base + at, y * tl.sigmoid(y), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.gn = nn.GroupNorm(groups, channels)

    def forward(self, x):
        n, c, h, w = x.shape
        out = torch.empty_like(x)
        groups = self.gn.num_groups
        per_group = c // groups
        block = triton.next_power_of_2(per_group * h * w)
        group_norm[(n, groups)](x, self.gn.weight, self.gn.bias, out, groups, per_group, h * w, self.gn.eps, BLOCK=block)
        return out
