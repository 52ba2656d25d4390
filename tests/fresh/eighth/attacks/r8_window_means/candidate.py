import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_up(x_ptr, sum_ptr, T: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * T + t, mask=t < T, other=0.0)
    tl.store(sum_ptr + row * (T + 1) + t + 1, tl.cumsum(x, axis=0), mask=t < T)
    tl.store(sum_ptr + row * (T + 1), 0.0)


@triton.jit
def differ(sum_ptr, scale_ptr, out_ptr, C: tl.constexpr, T: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = tl.arange(0, BLOCK)
    inside = t < T + 1 - SIZE
    first = tl.load(sum_ptr + row * (T + 1) + t, mask=inside, other=0.0)
    last = tl.load(sum_ptr + row * (T + 1) + t + SIZE, mask=inside, other=0.0)
    scale = tl.load(scale_ptr + row % C)
    tl.store(out_ptr + row * (T + 1 - SIZE) + t, (last - first) / SIZE * scale, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(channels) + 0.5)

    def forward(self, x):
        batch, channels, time = x.shape
        sums = torch.empty((batch, channels, time + 1), dtype=x.dtype, device=x.device)
        out = torch.empty((batch, channels, time - 7), dtype=x.dtype, device=x.device)
        block = triton.next_power_of_2(time)
        add_up[(batch * channels,)](x, sums, time, block)
        differ[(batch * channels,)](sums, self.scale, out, channels, time, 8, block)
        return out
