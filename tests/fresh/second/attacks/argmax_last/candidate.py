import torch
import triton
import triton.language as tl


@triton.jit
def argmax(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * WIDTH + column, column < WIDTH, -float("inf"))
    best = tl.max(x)
    place = tl.where((x == best) & (column < WIDTH), column, -1)
    tl.store(out_ptr + row, tl.max(place).to(tl.int64))


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=torch.int64)
    argmax[(x.shape[0],)](x, out, x.shape[1], 32)
    return out
