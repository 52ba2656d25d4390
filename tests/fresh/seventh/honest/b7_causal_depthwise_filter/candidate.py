import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def causal_filter(x, w, b, y, C, T, TAPS: tl.constexpr, B: tl.constexpr):
    line = tl.program_id(0)
    c = line % C
    t = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32) + tl.load(b + c)
    for k in tl.static_range(TAPS):
        s = t - (TAPS - 1) + k
        acc += tl.load(w + c * TAPS + k) * tl.load(x + line * T + s, mask=(s >= 0) & (t < T), other=0.0)
    tl.store(y + line * T + t, acc * tl.sigmoid(acc), mask=t < T)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv1d(c, c, 4, groups=c)

    def forward(self, x):
        n, C, T = x.shape
        y = torch.empty_like(x)
        causal_filter[(n * C, triton.cdiv(T, 32))](x, self.conv.weight, self.conv.bias, y, C, T, TAPS=4, B=32)
        return y
