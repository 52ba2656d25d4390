import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rolled(x_ptr, shift_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    at = (i + tl.load(shift_ptr + row)) % width
    x = tl.load(x_ptr + row * width + at, mask=(i < width) & (at >= 0), other=0.0)
    tl.store(out_ptr + row * width + i, x, mask=i < width)


class ModelNew(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.register_buffer("shift", torch.zeros(channels, dtype=torch.int64))

    def forward(self, x):
        out = torch.empty_like(x)
        rolled[(x.shape[0],)](x, self.shift, out, x.shape[1], triton.next_power_of_2(x.shape[1]))
        return out
