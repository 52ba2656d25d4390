import torch
import triton
import triton.language as tl


@triton.jit
def place(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * WIDTH + column, column < WIDTH, 9999.0)
    tl.store(out_ptr + row, tl.min(tl.where(x == tl.min(x), column, BLOCK)).to(tl.int64))


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=torch.int64)
    place[(x.shape[0],)](x, out, x.shape[1], 64)
    return out
