import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, float("inf"))
    for other in range(n):
        that = tl.load(x_ptr + other)
        rank = tl.sum(tl.where((at < n) & ((x < that) | ((x == that) & (at < other))), 1, 0))
        first = tl.min(tl.where((at < n) & (x == that), at, BLOCK))
        tl.store(out_ptr + rank, first.to(tl.int64))


def forward(x):
    out = torch.empty_like(x, dtype=torch.int64)
    kernel[(1,)](x, out, x.shape[0], BLOCK=128)
    return out
