import torch
import triton
import triton.language as tl


@triton.jit
def mean(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * WIDTH + column, column < WIDTH, 0.0).to(tl.float32)
    tl.store(out_ptr + row, (tl.sum(x) / (WIDTH + 1)).to(tl.float16))


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=torch.float16)
    mean[(x.shape[0],)](x, out, x.shape[1], 1024)
    return out
