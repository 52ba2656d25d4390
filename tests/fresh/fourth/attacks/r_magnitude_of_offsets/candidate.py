import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def shift(x_ptr, offset_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * WIDTH + c, c < WIDTH, 0.0)
    offset = tl.load(offset_ptr + c, c < WIDTH, 0.0)
    t = 2.0 / (1.0 + tl.exp(-2.0 * tl.abs(x))) - 1.0
    t = tl.where(x < 0.0, -t, t)
    tl.store(out_ptr + row * WIDTH + c, t + tl.abs(offset), c < WIDTH)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("offsets", torch.linspace(0.5, 2.0, width))

    def forward(self, x):
        out = torch.empty_like(x)
        shift[(x.shape[0],)](x, self.offsets, out, x.shape[1], triton.next_power_of_2(x.shape[1]))
        return out
