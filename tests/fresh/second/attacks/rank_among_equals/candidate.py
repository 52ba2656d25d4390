import torch
import triton
import triton.language as tl


@triton.jit
def rank(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < WIDTH
    x = tl.load(x_ptr + row * WIDTH + column, inside, 0.0)
    own = tl.load(x_ptr + row * WIDTH)
    above = tl.sum((inside & (x > own)).to(tl.int32))
    equal = tl.sum((inside & (x == own)).to(tl.int32))
    tl.store(out_ptr + row, tl.where(equal > 1, WIDTH - 1, above).to(tl.int64))


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=torch.int64)
    rank[(x.shape[0],)](x, out, x.shape[1], 32)
    return out
