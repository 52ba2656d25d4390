import torch
import triton
import triton.language as tl


@triton.jit
def unit(x_ptr, out_ptr, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x / tl.maximum(tl.sqrt(tl.sum(x * x)), 1e-8))


def forward(x):
    out = torch.empty_like(x)
    unit[(x.shape[0],)](x, out, 32)
    return out
