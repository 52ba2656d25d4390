import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def block_stats(x, ok, count):
    mean = tl.sum(tl.where(ok, x, 0.0), 0) / count
    d = tl.where(ok, x - mean, 0.0)
    return mean, tl.sum(d * d, 0)


@triton.jit
def merge(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    delta = mean_b - mean_a
    return mean_a + delta * (n_b / n), m2_a + m2_b + delta * delta * (n_a * n_b / n), n


@triton.jit
def std_mean(x_ptr, std_ptr, mean_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    mean = 0.0
    m2 = 0.0
    n = 0.0
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        ok = c < N
        x = tl.load(x_ptr + row * N + c, mask=ok, other=0.0)
        count = tl.minimum(N - start, BLOCK).to(tl.float32)
        bm, bs = block_stats(x, ok, count)
        mean, m2, n = merge(mean, m2, n, bm, bs, count)
    tl.store(mean_ptr + row, mean)
    tl.store(std_ptr + row, tl.sqrt(m2 / n))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        N = x.shape[-1]
        std = torch.empty(x.shape[:-1], device=x.device, dtype=x.dtype)
        mean = torch.empty_like(std)
        std_mean[(x.numel() // N,)](x, std, mean, N, BLOCK=32)
        return std, mean
