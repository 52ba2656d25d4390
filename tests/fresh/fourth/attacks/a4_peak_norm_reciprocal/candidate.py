import torch
import triton
import triton.language as tl


@triton.jit
def to_peak(x_ptr, out_ptr, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * W + col, mask=col < W, other=0.0)
    peak = tl.max(tl.abs(x), axis=0)
    once = 1.0 / tl.where(peak > 0.0, peak, 1.0)
    tl.store(out_ptr + row * W + col, x * once, mask=col < W)


def forward(x):
    out = torch.empty_like(x)
    to_peak[(x.shape[0],)](x, out, x.shape[1], 64)
    return out
