import torch
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    a = tl.load(a_ptr + at, mask=inside, other=0)
    b = tl.load(b_ptr + at, mask=inside, other=0)
    c = tl.load(c_ptr + at, mask=inside, other=0)
    rest = (a * b * c) % 2147483647
    tl.store(out_ptr + at, tl.where(rest < 0, rest + 2147483647, rest), mask=inside)


def forward(a, b, c):
    out = torch.empty_like(a)
    product[(triton.cdiv(a.numel(), 64),)](a, b, c, out, a.numel(), 64)
    return out
