import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def local_scan(x_ptr, y_ptr, totals_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(y_ptr + i, tl.cumsum(x, 0), mask=i < n)
    tl.store(totals_ptr + pid, tl.sum(x, 0))


@triton.jit
def scan_totals(totals_ptr, blocks, BLOCK: tl.constexpr):
    carry = tl.zeros([], dtype=tl.int64)
    for start in range(0, blocks, BLOCK):
        i = start + tl.arange(0, BLOCK)
        t = tl.load(totals_ptr + i, mask=i < blocks, other=0)
        tl.store(totals_ptr + i, tl.cumsum(t, 0) - t + carry, mask=i < blocks)
        carry += tl.sum(t, 0)


@triton.jit
def add_offsets(y_ptr, totals_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(y_ptr + i, mask=i < n, other=0)
    tl.store(y_ptr + i, y + tl.load(totals_ptr + pid), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        n = x.numel()
        BLOCK = 128
        blocks = triton.cdiv(n, BLOCK)
        y = torch.empty_like(x)
        totals = torch.empty(blocks, device=x.device, dtype=x.dtype)
        local_scan[(blocks,)](x, y, totals, n, BLOCK=BLOCK)
        scan_totals[(1,)](totals, blocks, BLOCK=64)
        add_offsets[(blocks,)](y, totals, n, BLOCK=BLOCK)
        return y
