import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, half_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, inside, 0)
    tl.store(half_ptr + at, x * 0.5, inside)
    tl.store(out_ptr + at, x * 0.25, inside)


def forward(x):
    half = torch.empty_like(x)
    out = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 256),)](x, half, out, n, BLOCK=256)
    return half, out
