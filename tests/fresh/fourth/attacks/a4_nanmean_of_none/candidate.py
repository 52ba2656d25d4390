import torch
import triton
import triton.language as tl


@triton.jit
def means(x_ptr, out_ptr, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * W + col, mask=col < W, other=float("nan"))
    there = x == x
    count = tl.sum(tl.where(there, 1.0, 0.0), axis=0)
    total = tl.sum(tl.where(there, x, 0.0), axis=0)
    tl.store(out_ptr + row, total / tl.maximum(count, 1.0))


def forward(x):
    out = torch.empty((x.shape[0],), dtype=x.dtype, device=x.device)
    means[(x.shape[0],)](x, out, x.shape[1], 64)
    return out
