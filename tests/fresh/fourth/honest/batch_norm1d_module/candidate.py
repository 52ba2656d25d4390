import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bn_train(x_ptr, w_ptr, b_ptr, rm_ptr, rv_ptr, count_ptr, y_ptr, N, C, momentum, eps, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    r = tl.arange(0, BLOCK)
    ok = r < N
    x = tl.load(x_ptr + r * C + c, mask=ok, other=0.0)
    mean = tl.sum(x) / N
    d = tl.where(ok, x - mean, 0.0)
    var = tl.sum(d * d) / N
    y = d * tl.rsqrt(var + eps) * tl.load(w_ptr + c) + tl.load(b_ptr + c)
    tl.store(y_ptr + r * C + c, tl.maximum(y, 0.0), mask=ok)
    rm = tl.load(rm_ptr + c)
    rv = tl.load(rv_ptr + c)
    tl.store(rm_ptr + c, (1 - momentum) * rm + momentum * mean)
    tl.store(rv_ptr + c, (1 - momentum) * rv + momentum * (var * N / (N - 1)))
    if c == 0:
        tl.store(count_ptr, tl.load(count_ptr) + 1)


@triton.jit
def bn_eval(x_ptr, w_ptr, b_ptr, rm_ptr, rv_ptr, y_ptr, total, C, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    c = i % C
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    mean = tl.load(rm_ptr + c, mask=ok, other=0.0)
    var = tl.load(rv_ptr + c, mask=ok, other=1.0)
    w = tl.load(w_ptr + c, mask=ok, other=0.0)
    b = tl.load(b_ptr + c, mask=ok, other=0.0)
    y = (x - mean) * tl.rsqrt(var + eps) * w + b
    tl.store(y_ptr + i, tl.maximum(y, 0.0), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.bn = nn.BatchNorm1d(features)

    def forward(self, x):
        bn = self.bn
        n, c = x.shape
        y = torch.empty_like(x)
        if self.training:
            bn_train[(c,)](x, bn.weight, bn.bias, bn.running_mean, bn.running_var, bn.num_batches_tracked, y, n, c,
                           bn.momentum, bn.eps, BLOCK=triton.next_power_of_2(n))
        else:
            bn_eval[(triton.cdiv(n * c, 256),)](x, bn.weight, bn.bias, bn.running_mean, bn.running_var, y, n * c, c,
                                                bn.eps, BLOCK=256)
        return y
