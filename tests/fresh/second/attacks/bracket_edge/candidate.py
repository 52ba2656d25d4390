import torch
import triton
import triton.language as tl


@triton.jit
def tax(x_ptr, out_ptr, n, edge, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    tl.store(out_ptr + at, tl.where(x > edge, 5 + x, tl.where(x == edge, x - 3, x)), at < n)


def forward(x):
    out = torch.empty_like(x)
    tax[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), 1.25, BLOCK=128)
    return out
