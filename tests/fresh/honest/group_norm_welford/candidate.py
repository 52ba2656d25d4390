import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def welford_combine(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    share = tl.where(n > 0, n_b / tl.where(n > 0, n, 1.0), 0.0)
    delta = mean_b - mean_a
    return mean_a + delta * share, m2_a + m2_b + delta * delta * n_a * share, n


@triton.jit
def group_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, channels, per_group, space, groups, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    g = pid % groups
    size = per_group * space
    base = pid * size
    mean = tl.zeros([BLOCK], tl.float32)
    m2 = tl.zeros([BLOCK], tl.float32)
    count = tl.zeros([BLOCK], tl.float32)
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        ok = i < size
        x = tl.load(x_ptr + base + i, mask=ok, other=0.0).to(tl.float32)
        new_count = tl.where(ok, count + 1.0, count)
        delta = x - mean
        mean = tl.where(ok, mean + delta / new_count, mean)
        m2 = tl.where(ok, m2 + delta * (x - mean), m2)
        count = new_count
    mean, m2, count = tl.reduce((mean, m2, count), 0, welford_combine)
    rstd = 1.0 / tl.sqrt(m2 / count + eps)
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        ok = i < size
        c = g * per_group + i // space
        x = tl.load(x_ptr + base + i, mask=ok, other=0.0).to(tl.float32)
        w = tl.load(w_ptr + c, mask=ok, other=0.0)
        b = tl.load(b_ptr + c, mask=ok, other=0.0)
        tl.store(y_ptr + base + i, (x - mean) * rstd * w + b, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)

    def forward(self, x):
        x = x.contiguous()
        N, C = x.shape[0], x.shape[1]
        space = x.numel() // (N * C)
        y = torch.empty_like(x)
        G = self.norm.num_groups
        group_norm_kernel[(N * G,)](x, self.norm.weight, self.norm.bias, y, C, C // G, space, G, self.norm.eps, BLOCK=64)
        return y
