import torch
import triton
import triton.language as tl


@triton.jit
def pairs(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x_ptr + 2 * at, at < n, 0.0)
    b = tl.load(x_ptr + 2 * at + 1, at < n, 0.0)
    total = a + b
    tl.store(out_ptr + at, tl.where(tl.abs(total) < 0.75, 0.0, total * 0.5), at < n)


def forward(x):
    out = torch.empty((x.shape[0], x.shape[1] // 2), device=x.device, dtype=x.dtype)
    pairs[(triton.cdiv(out.numel(), 128),)](x, out, out.numel(), BLOCK=128)
    return out
