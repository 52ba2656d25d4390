# reference: sum_max
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def small_rows(x_ptr, s_ptr, m_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + c, mask=c < N, other=0.0)
    tl.store(s_ptr + row, tl.sum(x, axis=0))
    tl.store(m_ptr + row, tl.max(tl.where(c < N, x, -float("inf")), axis=0))


@triton.jit
def large_rows(x_ptr, s_ptr, m_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    s = tl.zeros((BLOCK,), tl.float32)
    m = tl.full((BLOCK,), -float("inf"), tl.float32)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + c, mask=c < N, other=0.0)
        s += x
        m = tl.maximum(m, tl.where(c < N, x, -float("inf")))
    tl.store(s_ptr + row, tl.sum(s, axis=0))
    tl.store(m_ptr + row, tl.max(m, axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    @torch.no_grad()
    def forward(self, x):
        rows, cols = x.shape
        sums, tops = x.new_empty(rows), x.new_empty(rows)
        kernel, block = (small_rows, 128) if cols <= 128 else (large_rows, 512)
        kernel[(rows,)](x, sums, tops, cols, BLOCK=block)
        return sums, tops
