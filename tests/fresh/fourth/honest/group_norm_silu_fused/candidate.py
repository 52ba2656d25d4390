import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def group_norm_silu(x_ptr, w_ptr, b_ptr, out_ptr, groups, per_group, pixels, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    group = pid % groups
    size = per_group * pixels
    base = pid * size
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + base + i, mask=i < size, other=0.0)
    mean = tl.sum(acc) / size
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + base + i, mask=i < size, other=0.0)
        d = tl.where(i < size, x - mean, 0.0)
        acc += d * d
    rstd = tl.rsqrt(tl.sum(acc) / size + eps)
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = i < size
        channel = group * per_group + i // pixels
        x = tl.load(x_ptr + base + i, mask=inside, other=0.0)
        w = tl.load(w_ptr + channel, mask=inside, other=0.0)
        b = tl.load(b_ptr + channel, mask=inside, other=0.0)
        y = (x - mean) * rstd * w + b
        tl.store(out_ptr + base + i, y * tl.sigmoid(y), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        batch, channels, height, width = x.shape
        groups = self.norm.num_groups
        out = torch.empty_like(x)
        group_norm_silu[(batch * groups,)](x, self.norm.weight, self.norm.bias, out, groups, channels // groups,
                                           height * width, self.norm.eps, BLOCK=64)
        return out
