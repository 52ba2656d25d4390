import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, sum_ptr, n, BLOCK: tl.constexpr):
    waited = 0
    while waited < 1:
        waited += 1
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    before = tl.atomic_add(sum_ptr, tl.sum(x))
    tl.store(out_ptr + at, before + tl.cumsum(x), at < n)


def forward(x):
    out = torch.empty_like(x)
    total = torch.zeros((1,), device=x.device, dtype=x.dtype)
    kernel[(triton.cdiv(x.shape[0], 64),)](x, out, total, x.shape[0], BLOCK=64)
    return out
