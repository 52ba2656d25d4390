import torch
import triton
import triton.language as tl


@triton.jit
def limit(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    above = (x > 3.0).to(tl.float32)
    below = (x < -3.0).to(tl.float32)
    inside = 1.0 - above - below
    tl.store(out_ptr + at, 0.5 * (x * inside + 3.0 * above - 3.0 * below), at < n)


def forward(x):
    out = torch.empty_like(x)
    limit[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), 128)
    return out
