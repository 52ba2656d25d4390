import torch
import triton
import triton.language as tl


@triton.jit
def variance(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * WIDTH + column, column < WIDTH, 0.0).to(tl.float32)
    mean = tl.sum(x) / WIDTH
    rest = tl.where(column < WIDTH, x - mean, 0.0)
    tl.store(out_ptr + row, (tl.sum(rest * rest) / WIDTH).to(tl.bfloat16))


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=torch.bfloat16)
    variance[(x.shape[0],)](x, out, x.shape[1], 128)
    return out
