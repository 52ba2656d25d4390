import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def filter_kernel(x_ptr, taps_ptr, out_ptr, CHANNELS: tl.constexpr, TAPS: tl.constexpr, LENGTH: tl.constexpr):
    line = tl.program_id(0)
    channel = line % CHANNELS
    t = tl.arange(0, LENGTH)
    total = tl.zeros((LENGTH,), tl.float32)
    for k in tl.static_range(TAPS):
        place = t + k - TAPS // 2
        inside = (place >= 0) & (place < LENGTH)
        value = tl.load(x_ptr + line * LENGTH + place, mask=inside, other=0.0)
        sign = tl.where((place & 1) == 0, 1.0, -1.0)
        total += tl.load(taps_ptr + channel * TAPS + k) * (value * sign)
    tl.store(out_ptr + line * LENGTH + t, total)


class ModelNew(nn.Module):
    def __init__(self, channels, taps, length):
        super().__init__()
        self.taps = nn.Parameter(torch.randn(channels, taps) * 0.3)
        self.register_buffer("carrier", 1.0 - 2.0 * (torch.arange(length) % 2))

    def forward(self, x):
        batch, channels, length = x.shape
        out = torch.empty_like(x)
        filter_kernel[(batch * channels,)](x, self.taps, out, channels, self.taps.shape[1], length)
        return out
