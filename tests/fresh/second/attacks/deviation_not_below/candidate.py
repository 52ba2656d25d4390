import torch
import triton
import triton.language as tl


@triton.jit
def standardized(x_ptr, out_ptr, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    x = tl.load(x_ptr + at)
    x -= tl.sum(x) / WIDTH
    deviation = tl.sqrt(tl.sum(x * x) / (WIDTH - 1))
    tl.store(out_ptr + at, x / tl.maximum(deviation, 1e-7))


def forward(x):
    out = torch.empty_like(x)
    standardized[(x.shape[0],)](x, out, 32)
    return out
