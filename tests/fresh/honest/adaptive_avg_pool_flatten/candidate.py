import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pool_linear(x_ptr, w_ptr, b_ptr, y_ptr, C, S, O, BC: tl.constexpr, BS: tl.constexpr, BO: tl.constexpr):
    n = tl.program_id(0)
    o = tl.arange(0, BO)
    acc = tl.load(b_ptr + o, mask=o < O, other=0.0)
    for c0 in range(0, C, BC):
        c = c0 + tl.arange(0, BC)
        total = tl.zeros([BC], tl.float32)
        for s0 in range(0, S, BS):
            s = s0 + tl.arange(0, BS)
            x = tl.load(x_ptr + n * C * S + c[:, None] * S + s[None, :], mask=(c[:, None] < C) & (s[None, :] < S), other=0.0)
            total += tl.sum(x, 1)
        mean = total / S
        w = tl.load(w_ptr + o[:, None] * C + c[None, :], mask=(o[:, None] < O) & (c[None, :] < C), other=0.0)
        acc += tl.sum(w * mean[None, :], 1)
    tl.store(y_ptr + n * O + o, acc, mask=o < O)


class ModelNew(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(channels, classes)

    def forward(self, x):
        x = x.contiguous()
        N, C, H, W = x.shape
        O = self.fc.weight.shape[0]
        y = torch.empty(N, O, device=x.device, dtype=x.dtype)
        pool_linear[(N,)](x, self.fc.weight, self.fc.bias, y, C, H * W, O, BC=16, BS=32, BO=triton.next_power_of_2(O))
        return y
