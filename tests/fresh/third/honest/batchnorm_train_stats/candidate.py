import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bn_train(x_ptr, w_ptr, b_ptr, rm_ptr, rv_ptr, cnt_ptr, y_ptr, N, C, S, eps, momentum, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = N * S
    lanes = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, total, BLOCK):
        i = start + lanes
        acc += tl.load(x_ptr + (i // S * C + c) * S + i % S, mask=i < total, other=0.0)
    mean = tl.sum(acc, 0) / total
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, total, BLOCK):
        i = start + lanes
        x = tl.load(x_ptr + (i // S * C + c) * S + i % S, mask=i < total, other=0.0)
        acc += tl.where(i < total, (x - mean) * (x - mean), 0.0)
    m2 = tl.sum(acc, 0)
    rstd = 1.0 / tl.sqrt(m2 / total + eps)
    old_m = tl.load(rm_ptr + c)
    old_v = tl.load(rv_ptr + c)
    tl.store(rm_ptr + c, old_m * (1.0 - momentum) + mean * momentum)
    tl.store(rv_ptr + c, old_v * (1.0 - momentum) + m2 / (total - 1) * momentum)
    if c == 0:
        tl.store(cnt_ptr, tl.load(cnt_ptr) + 1)
    w = tl.load(w_ptr + c)
    b = tl.load(b_ptr + c)
    for start in range(0, total, BLOCK):
        i = start + lanes
        at = (i // S * C + c) * S + i % S
        x = tl.load(x_ptr + at, mask=i < total, other=0.0)
        tl.store(y_ptr + at, tl.maximum((x - mean) * rstd * w + b, 0.0), mask=i < total)


@triton.jit
def bn_eval(x_ptr, w_ptr, b_ptr, rm_ptr, rv_ptr, y_ptr, n, C, S, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    c = i // S % C
    x = tl.load(x_ptr + i, mask=mask, other=0.0)
    mean = tl.load(rm_ptr + c, mask=mask, other=0.0)
    var = tl.load(rv_ptr + c, mask=mask, other=1.0)
    w = tl.load(w_ptr + c, mask=mask, other=0.0)
    b = tl.load(b_ptr + c, mask=mask, other=0.0)
    tl.store(y_ptr + i, tl.maximum((x - mean) / tl.sqrt(var + eps) * w + b, 0.0), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels, momentum=0.2)

    def forward(self, x):
        x = x.contiguous()
        n, c, h, w = x.shape
        bn = self.bn
        y = torch.empty_like(x)
        if self.training:
            bn_train[(c,)](
                x, bn.weight, bn.bias, bn.running_mean, bn.running_var, bn.num_batches_tracked, y,
                n, c, h * w, bn.eps, bn.momentum, BLOCK=64,
            )
        else:
            total = x.numel()
            bn_eval[(triton.cdiv(total, 128),)](
                x, bn.weight, bn.bias, bn.running_mean, bn.running_var, y, total, c, h * w, bn.eps, BLOCK=128
            )
        return y
