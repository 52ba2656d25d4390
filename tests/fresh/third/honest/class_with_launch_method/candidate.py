import torch
import torch.nn as nn
import triton
import triton.language as tl


ROWS = 32
COLS = 16
EPS = 1e-3


@triton.jit
def column_stats(x_ptr, mean_ptr, std_ptr, M, N, BR: tl.constexpr, BC: tl.constexpr):
    c = tl.program_id(0) * BC + tl.arange(0, BC)
    acc = tl.zeros((BR, BC), dtype=tl.float32)
    for start in range(0, M, BR):
        r = start + tl.arange(0, BR)
        acc += tl.load(x_ptr + r[:, None] * N + c[None, :], mask=(r[:, None] < M) & (c[None, :] < N), other=0.0)
    mean = tl.sum(acc, 0) / M
    acc = tl.zeros((BR, BC), dtype=tl.float32)
    for start in range(0, M, BR):
        r = start + tl.arange(0, BR)
        ok = (r[:, None] < M) & (c[None, :] < N)
        x = tl.load(x_ptr + r[:, None] * N + c[None, :], mask=ok, other=0.0)
        d = tl.where(ok, x - mean[None, :], 0.0)
        acc += d * d
    tl.store(mean_ptr + c, mean, mask=c < N)
    tl.store(std_ptr + c, tl.sqrt(tl.sum(acc, 0) / M), mask=c < N)


@triton.jit
def standardise(x_ptr, mean_ptr, std_ptr, g_ptr, y_ptr, total, N, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    c = i % N
    x = tl.load(x_ptr + i, mask=mask, other=0.0)
    m = tl.load(mean_ptr + c, mask=mask, other=0.0)
    s = tl.load(std_ptr + c, mask=mask, other=1.0)
    g = tl.load(g_ptr + c, mask=mask, other=0.0)
    tl.store(y_ptr + i, (x - m) / (s + eps) * g, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((width,), 0.5))

    def statistics(self, x):
        rows, width = x.shape
        mean = torch.empty(width, device=x.device, dtype=x.dtype)
        std = torch.empty(width, device=x.device, dtype=x.dtype)
        column_stats[(triton.cdiv(width, COLS),)](x, mean, std, rows, width, BR=ROWS, BC=COLS)
        return mean, std

    def forward(self, x):
        x = x.contiguous()
        mean, std = self.statistics(x)
        out = torch.empty_like(x)
        total = x.numel()
        standardise[(triton.cdiv(total, 256),)](x, mean, std, self.gamma, out, total, x.shape[1], EPS, BLOCK=256)
        return out
