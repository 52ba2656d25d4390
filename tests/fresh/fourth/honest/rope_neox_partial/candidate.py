import torch
import triton
import triton.language as tl


@triton.jit
def partial_rope(x_ptr, cos_ptr, sin_ptr, o_ptr, length, heads, D, HALF, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    pos = (row // heads) % length
    c = tl.arange(0, BLOCK)
    ok = c < D
    x = tl.load(x_ptr + row * D + c, mask=ok, other=0.0)
    rotated = c < 2 * HALF
    first = c < HALF
    mate = tl.where(first, c + HALF, c - HALF)
    y = tl.load(x_ptr + row * D + mate, mask=rotated, other=0.0)
    f = tl.where(first, c, c - HALF)
    cos = tl.load(cos_ptr + pos * HALF + f, mask=rotated, other=1.0)
    sin = tl.load(sin_ptr + pos * HALF + f, mask=rotated, other=0.0)
    out = tl.where(rotated, x * cos + tl.where(first, -y, y) * sin, x)
    tl.store(o_ptr + row * D + c, out, mask=ok)


def forward(x, cos, sin):
    b, n, h, d = x.shape
    out = torch.empty_like(x)
    partial_rope[(b * n * h,)](x, cos, sin, out, n, h, d, cos.shape[1], BLOCK=triton.next_power_of_2(d))
    return out
