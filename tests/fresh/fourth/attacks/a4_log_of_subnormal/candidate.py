import torch
import triton
import triton.language as tl


@triton.jit
def surprise(p_ptr, out_ptr, n, SMALL: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    p = tl.minimum(tl.load(p_ptr + at, mask=inside, other=1.0), 1.0)
    log = tl.log(tl.maximum(p, SMALL))
    tl.store(out_ptr + at, tl.where(p <= 0.0, 100.0, -log), mask=inside)


def forward(p):
    out = torch.empty_like(p)
    surprise[(triton.cdiv(p.numel(), 256),)](p, out, p.numel(), 1.1754943508222875e-38, 256)
    return out
