import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def step(x_ptr, s_ptr, w_ptr, b_ptr, y_ptr, total, C, K: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    c = i % C
    acc = tl.load(b_ptr + c, mask=ok, other=0.0)
    for k in tl.static_range(K - 1):
        v = tl.load(s_ptr + i * K + k + 1, mask=ok, other=0.0)
        tl.store(s_ptr + i * K + k, v, mask=ok)
        acc += v * tl.load(w_ptr + c * K + k, mask=ok, other=0.0)
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    tl.store(s_ptr + i * K + K - 1, x, mask=ok)
    acc += x * tl.load(w_ptr + c * K + K - 1, mask=ok, other=0.0)
    tl.store(y_ptr + i, acc * tl.sigmoid(acc), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, taps))
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x, state):
        y = torch.empty_like(x)
        step[(triton.cdiv(x.numel(), 32),)](x, state, self.weight, self.bias, y, x.numel(), x.shape[1],
                                            K=state.shape[2], BLOCK=32)
        return y
