import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def convolve(x_ptr, w_ptr, b_ptr, out_ptr, channels, length, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    channel = row % channels
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32) + tl.load(b_ptr + channel)
    for tap in tl.static_range(TAPS):
        source = t + tap - (TAPS - 1)
        x = tl.load(x_ptr + row * length + source, mask=(source >= 0) & (source < length), other=0.0)
        acc += x * tl.load(w_ptr + channel * TAPS + tap)
    tl.store(out_ptr + row * length + t, acc * tl.sigmoid(acc), mask=t < length)


class ModelNew(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, taps, groups=channels, padding=taps - 1)

    def forward(self, x):
        b, channels, length = x.shape
        out = torch.empty_like(x)
        taps = self.conv.weight.shape[2]
        convolve[(b * channels, triton.cdiv(length, 32))](x, self.conv.weight, self.conv.bias, out, channels, length, TAPS=taps, BLOCK=32)
        return out
