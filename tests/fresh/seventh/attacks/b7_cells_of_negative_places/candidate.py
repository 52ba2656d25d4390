import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def lookup(places, table, out, n, buckets, W: tl.constexpr, B: tl.constexpr):
    p = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.arange(0, 8)
    x = tl.load(places + p * 3, mask=p < n, other=0) // 8
    y = tl.load(places + p * 3 + 1, mask=p < n, other=0) // 8
    z = tl.load(places + p * 3 + 2, mask=p < n, other=0) // 8
    slot = (x * 31 + y * 17 + z) % buckets
    slot = tl.where(slot < 0, slot + buckets, slot)
    both = (p[:, None] < n) & (c[None, :] < W)
    tl.store(out + p[:, None] * W + c[None, :], tl.load(table + slot[:, None] * W + c[None, :], mask=both), mask=both)


class ModelNew(nn.Module):
    def __init__(self, buckets):
        super().__init__()
        self.table = nn.Parameter(torch.randn(buckets, 6))

    def forward(self, places):
        n = places.shape[0]
        out = torch.empty((n, 6), device=places.device, dtype=torch.float32)
        lookup[(triton.cdiv(n, 32),)](places, self.table, out, n, self.table.shape[0], W=6, B=32)
        return out
