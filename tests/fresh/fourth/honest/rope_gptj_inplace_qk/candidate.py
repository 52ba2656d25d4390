import torch
import triton
import triton.language as tl


@triton.jit
def rotate_pairs(t_ptr, cos_ptr, sin_ptr, heads, HALF: tl.constexpr):
    row = tl.program_id(0)
    token = row // heads
    p = tl.arange(0, HALF)
    cos = tl.load(cos_ptr + token * HALF + p)
    sin = tl.load(sin_ptr + token * HALF + p)
    at = t_ptr + row * 2 * HALF + 2 * p
    even = tl.load(at)
    odd = tl.load(at + 1)
    tl.store(at, even * cos - odd * sin)
    tl.store(at + 1, odd * cos + even * sin)


def forward(q, k, cos, sin):
    n, hq, d = q.shape
    hk = k.shape[1]
    rotate_pairs[(n * hq,)](q, cos, sin, hq, HALF=d // 2)
    rotate_pairs[(n * hk,)](k, cos, sin, hk, HALF=d // 2)
    return q, k
