import torch
import triton
import triton.language as tl


@triton.jit
def parallel(r_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(r_ptr + at * 2, at < n, 1.0)
    b = tl.load(r_ptr + at * 2 + 1, at < n, 1.0)
    tl.store(out_ptr + at, a / (1 + a / b), at < n)


def forward(r):
    out = torch.empty((r.shape[0],), device=r.device, dtype=r.dtype)
    parallel[(triton.cdiv(r.shape[0], 32),)](r, out, r.shape[0], BLOCK=32)
    return out
