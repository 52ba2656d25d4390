import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def train_norm(x, g, b, rm, rv, count, y, C, P, n, B: tl.constexpr):
    c = tl.program_id(0)
    i = tl.arange(0, B)
    at = (i // P * C + c) * P + i % P
    v = tl.load(x + at, mask=i < n, other=0.0)
    mean = tl.sum(v, 0) / n
    d = tl.where(i < n, v - mean, 0.0)
    ss = tl.sum(d * d, 0)
    tl.store(y + at, d * tl.rsqrt(ss / n + 1e-5) * tl.load(g + c) + tl.load(b + c), mask=i < n)
    tl.store(rm + c, tl.load(rm + c) * 0.9 + mean * 0.1)
    tl.store(rv + c, tl.load(rv + c) * 0.9 + ss / (n - 1) * 0.1)
    if c == 0:
        tl.store(count, tl.load(count) + 1)


@triton.jit
def eval_norm(x, g, b, rm, rv, y, C, P, total, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    c = i // P % C
    m = i < total
    v = tl.load(x + i, mask=m, other=0.0) - tl.load(rm + c, mask=m, other=0.0)
    v = v / tl.sqrt(tl.load(rv + c, mask=m, other=1.0) + 1e-5)
    tl.store(y + i, v * tl.load(g + c, mask=m, other=0.0) + tl.load(b + c, mask=m, other=0.0), mask=m)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.bn = nn.BatchNorm2d(c)

    def forward(self, x):
        N, C, H, W = x.shape
        y = torch.empty_like(x)
        bn = self.bn
        if self.training:
            n = N * H * W
            train_norm[(C,)](x, bn.weight, bn.bias, bn.running_mean, bn.running_var, bn.num_batches_tracked, y, C,
                             H * W, n, B=triton.next_power_of_2(n))
        else:
            eval_norm[(triton.cdiv(x.numel(), 256),)](x, bn.weight, bn.bias, bn.running_mean, bn.running_var, y, C,
                                                      H * W, x.numel(), B=256)
        return y
