import torch
import triton
import triton.language as tl


@triton.jit
def sum_of_top(x_ptr, k_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    x = tl.load(x_ptr + row * W + col)
    k = tl.load(k_ptr)
    total = 0.0
    left = x
    for step in range(16):
        top = tl.max(left, axis=0)
        at = tl.min(tl.where(left == top, col, W), axis=0)
        total += tl.where(step < k, top, 0.0)
        left = tl.where(col == at, float("-inf"), left)
    total = tl.where(k >= W, tl.sum(x, axis=0), total)
    tl.store(out_ptr + row, total)


def forward(x, k):
    out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    sum_of_top[(x.shape[0],)](x, k, out, x.shape[1])
    return out
