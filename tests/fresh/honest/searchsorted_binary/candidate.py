import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bisect(t_ptr, q_ptr, o_ptr, n, m, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < m
    q = tl.load(q_ptr + i, mask=ok, other=0.0)
    lo = tl.zeros([BLOCK], tl.int32)
    hi = tl.zeros([BLOCK], tl.int32) + n
    for _ in range(STEPS):
        mid = (lo + hi) // 2
        live = lo < hi
        v = tl.load(t_ptr + mid, mask=ok & live, other=0.0)
        right = live & (v < q)
        lo = tl.where(right, mid + 1, lo)
        hi = tl.where(live & (v >= q), mid, hi)
    tl.store(o_ptr + i, lo.to(tl.int64), mask=ok)


class ModelNew(nn.Module):
    def forward(self, table, q):
        n, m = table.numel(), q.numel()
        out = torch.empty(q.shape, dtype=torch.int64, device=q.device)
        bisect[(triton.cdiv(m, 64),)](table, q.contiguous(), out, n, m, STEPS=n.bit_length() + 1, BLOCK=64)
        return out
