import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(a_ptr + at, inside, 0)
    tl.store(out_ptr + at, a, inside)


def forward(a, b):
    out = torch.empty_like(a)
    n = a.numel()
    kernel[(triton.cdiv(n, 256),)](a, b, out, n, BLOCK=256)
    return out
