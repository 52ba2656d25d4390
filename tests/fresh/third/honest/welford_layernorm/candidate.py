import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def merge(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    part = tl.where(n == 0.0, 0.0, n_b / tl.where(n == 0.0, 1.0, n))
    delta = mean_b - mean_a
    return mean_a + delta * part, m2_a + m2_b + delta * delta * n_a * part, n


@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * N
    y_ptr += row * N
    mean = 0.0
    m2 = 0.0
    count = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + cols, mask=mask, other=0.0)
        part_mean, part_m2, part_n = tl.reduce((x, x * 0.0, mask.to(tl.float32)), 0, merge)
        mean, m2, count = merge(mean, m2, count, part_mean, part_m2, part_n)
    inv = 1.0 / tl.sqrt(m2 / N + eps)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(x_ptr + cols, mask=mask, other=0.0)
        w = tl.load(w_ptr + cols, mask=mask, other=0.0)
        b = tl.load(b_ptr + cols, mask=mask, other=0.0)
        tl.store(y_ptr + cols, (x - mean) * inv * w + b, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width, eps=1e-6)

    def forward(self, x):
        x = x.contiguous()
        n = x.shape[-1]
        y = torch.empty_like(x)
        layernorm_kernel[(x.numel() // n,)](x, self.norm.weight, self.norm.bias, y, n, self.norm.eps, BLOCK=32)
        return y
