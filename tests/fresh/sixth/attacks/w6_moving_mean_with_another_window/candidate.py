import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def moving(x_ptr, out_ptr, width, WINDOW: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for back in range(WINDOW):
        at = i - back
        total += tl.load(x_ptr + row * width + at, mask=(at >= 0) & (i < width), other=0.0)
    tl.store(out_ptr + row * width + i, total / WINDOW, mask=i < width)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = 8

    def forward(self, x):
        out = torch.empty_like(x)
        moving[(x.shape[0],)](x, out, x.shape[1], 8, triton.next_power_of_2(x.shape[1]))
        return out
