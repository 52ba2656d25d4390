import torch
import triton
import triton.language as tl


@triton.jit
def gcd(a_ptr, b_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.abs(tl.load(a_ptr + i, mask=i < n, other=0).to(tl.int64))
    b = tl.abs(tl.load(b_ptr + i, mask=i < n, other=0).to(tl.int64))
    while tl.max(b, 0) > 0:
        busy = b > 0
        r = a % tl.where(busy, b, 1)
        a = tl.where(busy, b, a)
        b = tl.where(busy, r, b)
    tl.store(o_ptr + i, a, mask=i < n)


def forward(a, b):
    out = torch.empty(a.shape, device=a.device, dtype=torch.int64)
    gcd[(triton.cdiv(a.numel(), 32),)](a, b, out, a.numel(), BLOCK=32)
    return out
