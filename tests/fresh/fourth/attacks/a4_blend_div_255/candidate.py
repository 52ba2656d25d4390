import torch
import triton
import triton.language as tl


@triton.jit
def blend(total_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.maximum(tl.load(total_ptr + at, mask=inside, other=0), 0) + 128
    tl.store(out_ptr + at, (value + (value >> 8)) >> 8, mask=inside)


def forward(total):
    out = torch.empty_like(total)
    blend[(triton.cdiv(total.numel(), 128),)](total, out, total.numel(), 128)
    return out
