import torch
import triton
import triton.language as tl


@triton.jit
def complex_mul(a_ptr, b_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    two = tl.arange(0, 2)
    at = i[:, None] * 2 + two[None, :]
    ok = (i < n)[:, None]
    ar, ai = tl.split(tl.load(a_ptr + at, mask=ok, other=0.0))
    br, bi = tl.split(tl.load(b_ptr + at, mask=ok, other=0.0))
    tl.store(o_ptr + at, tl.join(ar * br - ai * bi, ar * bi + ai * br), mask=ok)


def forward(a, b):
    out = torch.empty_like(a)
    n = a.numel() // 2
    complex_mul[(triton.cdiv(n, 32),)](a, b, out, n, BLOCK=32)
    return out
