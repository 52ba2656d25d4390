import torch
import triton
import triton.language as tl


@triton.jit
def middle(low_ptr, high_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    low = tl.load(low_ptr + at, mask=inside, other=0)
    high = tl.load(high_ptr + at, mask=inside, other=0)
    tl.store(out_ptr + at, (low + high) >> 1, mask=inside)


def forward(low, high):
    out = torch.empty_like(low)
    middle[(triton.cdiv(low.numel(), 256),)](low, high, out, low.numel(), 256)
    return out
