import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def moments(x, mean_out, std_out, n, B: tl.constexpr):
    r = tl.program_id(0)
    total = 0.0
    for s in range(0, n, B):
        i = s + tl.arange(0, B)
        total += tl.sum(tl.load(x + r * n + i, mask=i < n, other=0.0), 0)
    mean = total / n
    m2 = 0.0
    for s in range(0, n, B):
        i = s + tl.arange(0, B)
        d = tl.where(i < n, tl.load(x + r * n + i, mask=i < n, other=0.0) - mean, 0.0)
        m2 += tl.sum(d * d, 0)
    tl.store(mean_out + r, mean)
    tl.store(std_out + r, tl.sqrt(m2 / (n - 1)))


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        mean = torch.empty((rows,), device=x.device, dtype=x.dtype)
        std = torch.empty((rows,), device=x.device, dtype=x.dtype)
        moments[(rows,)](x, mean, std, n, B=64)
        return mean, std
