import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def merge(n, mean, squares, m, other, more):
    total = n + m
    share = tl.where(total > 0.0, m / tl.where(total > 0.0, total, 1.0), 0.0)
    away = other - mean
    return total, mean + away * share, squares + more + away * away * n * share


@triton.jit
def moments(x_ptr, mean_ptr, std_ptr, rows, width, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.arange(0, ROWS)
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    inside = (row[:, None] < rows) & (col[None, :] < width)
    x = tl.load(x_ptr + row[:, None] * width + col[None, :], mask=inside, other=0.0)
    one = tl.where(inside, 1.0, 0.0)
    count, mean, squares = tl.reduce((one, x, tl.zeros_like(x)), 0, merge)
    tl.store(mean_ptr + col, mean, mask=col < width)
    tl.store(std_ptr + col, tl.sqrt(squares / (count - 1.0)), mask=col < width)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        mean = torch.empty(width, device=x.device, dtype=x.dtype)
        std = torch.empty(width, device=x.device, dtype=x.dtype)
        moments[(triton.cdiv(width, 8),)](x, mean, std, rows, width, ROWS=triton.next_power_of_2(rows), COLS=8)
        return mean, std
