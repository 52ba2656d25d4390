import functools
import math
from typing import NamedTuple

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def many_rows(x, y, rows, n, sharp, log_n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    ok = (r < rows)[:, None] & (c < n)[None, :]
    v = tl.load(x + r[:, None] * n + c[None, :], mask=ok, other=float("-inf")) * sharp
    v = tl.where((r < rows)[:, None], v, 0.0)
    top = tl.max(v, axis=1)
    # If all are minus infinity, the difference must not be NaN.
    shift = tl.where(tl.abs(top) == float("inf"), 0.0, top)
    lse = shift + tl.log(tl.sum(tl.exp(v - shift[:, None]), axis=1))
    tl.store(y + r, (lse - log_n) / sharp, mask=r < rows)


@triton.jit
def long_row(x, y, rows, n, sharp, log_n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), float("-inf"), tl.float32)
    for start in range(0, n, BLOCK):
        v = tl.load(x + row * n + start + c, mask=start + c < n, other=float("-inf")) * sharp
        top = tl.maximum(top, v)
    peak = tl.max(top, axis=0)
    shift = tl.where(tl.abs(peak) == float("inf"), 0.0, peak)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        v = tl.load(x + row * n + start + c, mask=start + c < n, other=float("-inf")) * sharp
        acc += tl.exp(v - shift)
    tl.store(y + row, (shift + tl.log(tl.sum(acc, axis=0)) - log_n) / sharp)


class Plan(NamedTuple):
    kernel: object
    grid: tuple
    rows: int
    block: int


@functools.lru_cache(maxsize=64)
def plan(rows, n):
    if n <= 64:
        return Plan(many_rows, (triton.cdiv(rows, 8),), 8, triton.next_power_of_2(n))
    return Plan(long_row, (rows,), 1, 128)


class ModelNew(nn.Module):
    def __init__(self, sharp):
        super().__init__()
        self.sharp = sharp

    def pool(self, x):
        n = x.shape[-1]
        rows = x.numel() // n
        y = torch.empty(x.shape[:-1], device=x.device, dtype=x.dtype)
        chosen = plan(rows, n)
        chosen.kernel[chosen.grid](x, y, rows, n, self.sharp, math.log(n), ROWS=chosen.rows, BLOCK=chosen.block)
        return y

    def forward(self, long, short):
        return tuple(self.pool(x) for x in (long, short))
