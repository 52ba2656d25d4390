import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def causal_conv(x_ptr, w_ptr, b_ptr, y_ptr, C, T, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    channel = row % C
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32) + tl.load(b_ptr + channel)
    for k in tl.static_range(TAPS):
        at = t - (TAPS - 1) + k
        x = tl.load(x_ptr + row * T + at, mask=(at >= 0) & (at < T), other=0.0)
        acc += x * tl.load(w_ptr + channel * TAPS + k)
    tl.store(y_ptr + row * T + t, acc * tl.sigmoid(acc), mask=t < T)


class ModelNew(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, taps, groups=channels, padding=taps - 1)

    def forward(self, x):
        x = x.contiguous()
        n, c, t = x.shape
        y = torch.empty_like(x)
        w = self.conv.weight
        causal_conv[(n * c, triton.cdiv(t, 16))](x, w, self.conv.bias, y, c, t, TAPS=w.shape[2], BLOCK=16)
        return y
