import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def nearest(x_ptr, levels_ptr, out_ptr, WIDTH: tl.constexpr, LEVELS: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, WIDTH)
    x = tl.minimum(tl.maximum(tl.load(x_ptr + row * WIDTH + i), -4.0), 4.0)
    index = tl.zeros([WIDTH], tl.int32)
    for k in range(LEVELS - 1):
        middle = 0.5 * (tl.load(levels_ptr + k) + tl.load(levels_ptr + k + 1))
        index += (x > middle).to(tl.int32)
    tl.store(out_ptr + row * WIDTH + i, tl.load(levels_ptr + index))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("levels", torch.linspace(-1.5, 1.6, 16) ** 3)

    def forward(self, x):
        out = torch.empty_like(x)
        nearest[(x.shape[0],)](x, self.levels, out, x.shape[1], 16)
        return out
