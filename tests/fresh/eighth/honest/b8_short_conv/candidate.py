import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def short_conv(x, w, b, y, time, channels, WIDTH: tl.constexpr, T: tl.constexpr, C: tl.constexpr):
    t = tl.program_id(0) * T + tl.arange(0, T)
    c = tl.program_id(1) * C + tl.arange(0, C)
    batch = tl.program_id(2)
    inside = c < channels
    acc = tl.zeros((T, C), tl.float32) + tl.load(b + c, mask=inside, other=0.0)[None, :]
    for k in tl.static_range(WIDTH):
        past = t + k - (WIDTH - 1)
        ok = (past >= 0) & (past < time)
        v = tl.load(x + (batch * time + past[:, None]) * channels + c[None, :], mask=ok[:, None] & inside[None, :], other=0.0)
        acc += v * tl.load(w + c * WIDTH + k, mask=inside, other=0.0)[None, :]
    acc = acc * tl.sigmoid(acc)
    tl.store(y + (batch * time + t[:, None]) * channels + c[None, :], acc, mask=(t < time)[:, None] & inside[None, :])


class ModelNew(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.width = width
        self.conv = nn.Conv1d(channels, channels, width, groups=channels)

    def forward(self, x):
        batch, time, channels = x.shape
        y = torch.empty_like(x)
        grid = (triton.cdiv(time, 16), triton.cdiv(channels, 8), batch)
        short_conv[grid](x, self.conv.weight, self.conv.bias, y, time, channels, WIDTH=self.width, T=16, C=8)
        return y
