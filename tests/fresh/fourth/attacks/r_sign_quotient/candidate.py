import torch
import triton
import triton.language as tl


@triton.jit
def signs(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 1.0)
    y = tl.load(y_ptr + at, at < n, 1.0)
    first = tl.where(x == 0.0, 0.0, x / tl.where(x == 0.0, 1.0, tl.abs(x)))
    second = tl.where(y == 0.0, 0.0, y / tl.where(y == 0.0, 1.0, tl.abs(y)))
    tl.store(out_ptr + at, first + 2.0 * second, at < n)


def forward(x, y):
    out = torch.empty_like(x)
    signs[(triton.cdiv(x.numel(), 128),)](x, y, out, x.numel(), 128)
    return out
