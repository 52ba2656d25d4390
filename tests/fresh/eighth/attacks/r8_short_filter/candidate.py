import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def taps(x_ptr, weight_ptr, out_ptr, C: tl.constexpr, T: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.bfloat16)
    for tap in tl.static_range(4):
        at = t + tap - 3
        x = tl.load(x_ptr + row * T + at, mask=(at >= 0) & (t < T), other=0.0)
        weight = tl.load(weight_ptr + (row % C) * 4 + tap)
        acc = (acc.to(tl.float32) + x.to(tl.float32) * weight.to(tl.float32)).to(tl.bfloat16)
    tl.store(out_ptr + row * T + t, acc, mask=t < T)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, 1, 4).to(torch.bfloat16))

    def forward(self, x):
        batch, channels, time = x.shape
        out = torch.empty_like(x)
        taps[(batch * channels,)](x, self.weight, out, channels, time, triton.next_power_of_2(time))
        return out
