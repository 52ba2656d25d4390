import torch
import triton
import triton.language as tl


@triton.jit
def clamp_twice(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0) * 2.0
    tl.store(x_ptr + i, tl.minimum(tl.maximum(x, -1.5), 1.0), mask=i < n)


def forward(x):
    n = x.numel()
    clamp_twice[(triton.cdiv(n, 64),)](x, n, BLOCK=64)
    return x
