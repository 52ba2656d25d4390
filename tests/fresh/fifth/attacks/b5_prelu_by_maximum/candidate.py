import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def affine_prelu(x_ptr, gain_ptr, shift_ptr, slope_ptr, out_ptr, channels, AREA: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < AREA
    gain = tl.load(gain_ptr + plane % channels)
    shift = tl.load(shift_ptr + plane % channels)
    slope = tl.load(slope_ptr)
    x = tl.load(x_ptr + plane * AREA + at, mask=inside, other=0.0)
    y = x * gain + shift
    tl.store(out_ptr + plane * AREA + at, tl.maximum(y, slope * y), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels))
        self.shift = nn.Parameter(torch.zeros(channels))
        self.slope = nn.Parameter(torch.full((1,), 0.25))

    def forward(self, x):
        out = torch.empty_like(x)
        area = x.shape[2] * x.shape[3]
        affine_prelu[(x.shape[0] * x.shape[1],)](
            x, self.gain, self.shift, self.slope, out, x.shape[1], area, triton.next_power_of_2(area)
        )
        return out
