import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def unit(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.arange(0, BLOCK)
    inside = place < WIDTH
    x = tl.load(x_ptr + tl.program_id(0) * WIDTH + place, mask=inside, other=0.0)
    square = tl.sum(x * x, axis=0)
    by = 1.0 / tl.sqrt(tl.where(square > 0, square, 1.0))
    tl.store(out_ptr + tl.program_id(0) * WIDTH + place, x * by, mask=inside)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        rows, width = x.shape
        out = torch.empty_like(x)
        unit[(rows,)](x, out, width, triton.next_power_of_2(width))
        return out
