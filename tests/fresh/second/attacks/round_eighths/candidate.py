import torch
import triton
import triton.language as tl


@triton.jit
def eighths(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    tl.store(out_ptr + at, tl.floor(x * 8 + 0.5) / 8, at < n)


def forward(x):
    out = torch.empty_like(x)
    eighths[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK=256)
    return out
