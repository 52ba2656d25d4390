import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def causal_conv(x_ptr, w_ptr, b_ptr, y_ptr, channels, T, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    ch = row % channels
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32) + tl.load(b_ptr + ch)
    for j in tl.static_range(K):
        src = t - (K - 1) + j
        acc += tl.load(w_ptr + ch * K + j) * tl.load(x_ptr + row * T + src, mask=(src >= 0) & (src < T), other=0.0)
    tl.store(y_ptr + row * T + t, acc * tl.sigmoid(acc), mask=t < T)


class ModelNew(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, taps, groups=channels, padding=taps - 1)

    def forward(self, x):
        B, C, T = x.shape
        y = torch.empty_like(x)
        causal_conv[(B * C, triton.cdiv(T, 16))](x, self.conv.weight, self.conv.bias, y, C, T,
                                                 K=self.conv.weight.shape[2], BLOCK=16)
        return y
