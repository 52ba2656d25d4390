import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def eliminate(a_ptr, b_ptr, out_ptr, N: tl.constexpr, R: tl.constexpr):
    system = tl.program_id(0)
    row = tl.arange(0, 8)
    column = tl.arange(0, 16)
    left = (row[:, None] < N) & (column[None, :] < N)
    right = (row[:, None] < N) & (column[None, :] >= N) & (column[None, :] < N + R)
    m = tl.load(a_ptr + (system * N + row[:, None]) * N + column[None, :], mask=left, other=0.0)
    m += tl.load(b_ptr + (system * N + row[:, None]) * R + column[None, :] - N, mask=right, other=0.0)
    for k in range(N):
        below = tl.sum(tl.where(column[None, :] == k, m, 0.0), axis=1)
        size = tl.where((row >= k) & (row < N), tl.abs(below), -1.0)
        at = tl.argmax(size, axis=0)
        high = tl.sum(tl.where(row[:, None] == k, m, 0.0), axis=0)
        low = tl.sum(tl.where(row[:, None] == at, m, 0.0), axis=0)
        m = tl.where(row[:, None] == at, high[None, :], m)
        m = tl.where(row[:, None] == k, low[None, :], m)
        pivot = tl.sum(tl.where(column == k, low, 0.0), axis=0)
        pivot = tl.where(tl.abs(pivot) < 1e-20, 1e-20, pivot)  # never divide by zero
        low = low / pivot
        factor = tl.sum(tl.where(column[None, :] == k, m, 0.0), axis=1)
        m = tl.where(row[:, None] == k, low[None, :], m - factor[:, None] * low[None, :])
    tl.store(out_ptr + (system * N + row[:, None]) * R + column[None, :] - N, m, mask=right)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        count, size, _ = a.shape
        out = torch.empty_like(b)
        eliminate[(count,)](a, b, out, size, b.shape[2])
        return out
