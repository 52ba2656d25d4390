import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def chunks(x, y, n, B: tl.constexpr):
    r = tl.program_id(0)
    carry = 0.0
    for s in range(0, n, B):
        i = s + tl.arange(0, B)
        v = tl.load(x + r * n + i, mask=i < n, other=0.0)
        tl.store(y + r * n + i, tl.cumsum(v, 0) + carry, mask=i < n)
        carry += tl.sum(v, 0)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        chunks[(x.shape[0],)](x, y, x.shape[1], B=64)
        return y
