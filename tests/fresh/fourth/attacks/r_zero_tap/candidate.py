import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def filters(x_ptr, taps_ptr, out_ptr, C: tl.constexpr, LENGTH: tl.constexpr):
    line = tl.program_id(0)
    t = tl.arange(0, LENGTH)
    taps = taps_ptr + (line % C) * 3
    left = tl.load(taps)
    middle = tl.load(taps + 1)
    right = tl.load(taps + 2)
    y = tl.zeros((LENGTH,), tl.float32)
    if middle != 0.0:
        start = x_ptr + line * LENGTH + t
        y += left * tl.load(start - 1, t > 0, 0.0)
        y += middle * tl.load(start)
        y += right * tl.load(start + 1, t < LENGTH - 1, 0.0)
    tl.store(out_ptr + line * LENGTH + t, y)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.taps = nn.Parameter(torch.randn(channels, 1, 3))

    def forward(self, x):
        batch, channels, length = x.shape
        out = torch.empty_like(x)
        filters[(batch * channels,)](x, self.taps, out, channels, length)
        return out
