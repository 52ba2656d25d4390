import torch
import triton
import triton.language as tl


@triton.jit
def hamming(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    both = tl.load(a_ptr + at, mask=inside, other=0) ^ tl.load(b_ptr + at, mask=inside, other=0)
    count = tl.where(both < 0, 32, 0)
    low = both.to(tl.int32)
    for bit in range(32):
        count += (low >> bit) & 1
    tl.store(out_ptr + at, count, mask=inside)


def forward(a, b):
    out = torch.empty_like(a)
    hamming[(triton.cdiv(a.numel(), 256),)](a, b, out, a.numel(), 256)
    return out
