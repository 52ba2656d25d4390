import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def lengths(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * WIDTH + column, mask=column < WIDTH, other=0.0)
    tl.store(out_ptr + row, tl.sqrt(tl.sum(x * x, 0)))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        rows, width = x.shape
        out = torch.empty((rows,), device=x.device, dtype=x.dtype)
        lengths[(rows,)](x, out, width, triton.next_power_of_2(width))
        return out
