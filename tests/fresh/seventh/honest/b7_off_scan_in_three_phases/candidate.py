import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def block_sums(x, sums, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(sums + tl.program_id(0), tl.sum(tl.load(x + i, mask=i < n, other=0.0), 0))


@triton.jit
def block_scans(x, before, y, n, B: tl.constexpr):
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    v = tl.cumsum(tl.load(x + i, mask=i < n, other=0.0), 0)
    if p > 0:
        v += tl.load(before + p - 1)
    tl.store(y + i, v, mask=i < n)


class ModelNew(nn.Module):
    BLOCK = 64

    def forward(self, x):
        n = x.numel()
        blocks = triton.cdiv(n, self.BLOCK)
        sums = x.new_empty(blocks)
        block_sums[(blocks,)](x, sums, n, B=self.BLOCK)
        y = torch.empty_like(x)
        block_scans[(blocks,)](x, sums.cumsum(0), y, n, B=self.BLOCK)
        return y
