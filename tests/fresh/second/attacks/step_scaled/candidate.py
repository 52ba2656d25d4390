import torch
import triton
import triton.language as tl


@triton.jit
def step(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    tl.store(out_ptr + at, tl.where(x * 4 > 3, x + 1, x), at < n)


def forward(x):
    out = torch.empty_like(x)
    step[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out
