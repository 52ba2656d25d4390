import torch
import triton
import triton.language as tl


@triton.jit
def mix(left_ptr, right_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    left = tl.load(left_ptr + at, mask=inside, other=0)
    right = tl.load(right_ptr + at, mask=inside, other=0)
    tl.store(out_ptr + at, ((left + right).to(tl.int16) >> 1).to(tl.int16), mask=inside)


def forward(left, right):
    out = torch.empty_like(left)
    mix[(triton.cdiv(left.numel(), 128),)](left, right, out, left.numel(), 128)
    return out
