import torch
import triton
import triton.language as tl


@triton.jit
def direction(x_ptr, out_ptr, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    x = tl.load(x_ptr + at)
    size = tl.sqrt(tl.sum(x * x))
    tl.store(out_ptr + at, x / tl.where(size == 0, 1.0, size))


def forward(x):
    out = torch.empty_like(x)
    direction[(x.shape[0],)](x, out, 16)
    return out
