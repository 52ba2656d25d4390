import torch
import triton
import triton.language as tl


@triton.jit
def running_edges(e_ptr, c_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(c_ptr + i, tl.cumsum(tl.load(e_ptr + i, mask=i < n, other=0), 0), mask=i < n)


@triton.jit
def search(c_ptr, x_ptr, o_ptr, n, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    x = tl.load(x_ptr + i, mask=ok, other=0)
    low = tl.zeros([BLOCK], tl.int32)
    high = tl.zeros([BLOCK], tl.int32) + n
    while tl.max(high - low, 0) > 0:
        mid = (low + high) // 2
        open_ = low < high
        v = tl.load(c_ptr + mid, mask=open_, other=0)
        right = open_ & (v <= x)
        low = tl.where(right, mid + 1, low)
        high = tl.where(open_ & (v > x), mid, high)
    tl.store(o_ptr + i, low.to(tl.int64), mask=ok)


def forward(edges, x):
    n = edges.shape[0]
    c = torch.empty_like(edges)
    out = torch.empty(x.shape, device=x.device, dtype=torch.int64)
    running_edges[(1,)](edges, c, n, BLOCK=triton.next_power_of_2(n))
    search[(triton.cdiv(x.numel(), 32),)](c, x, out, n, x.numel(), BLOCK=32)
    return out
