import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bn_stats(x_ptr, mean_ptr, var_ptr, running_mean_ptr, running_var_ptr, tracked_ptr, N, C, S, momentum, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = N * S
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, total, BLOCK):
        i = start + tl.arange(0, BLOCK)
        ok = i < total
        acc += tl.load(x_ptr + (i // S) * C * S + c * S + i % S, mask=ok, other=0.0)
    mean = tl.sum(acc, 0) / total
    acc2 = tl.zeros([BLOCK], tl.float32)
    for start in range(0, total, BLOCK):
        i = start + tl.arange(0, BLOCK)
        ok = i < total
        x = tl.load(x_ptr + (i // S) * C * S + c * S + i % S, mask=ok, other=0.0)
        d = tl.where(ok, x - mean, 0.0)
        acc2 += d * d
    m2 = tl.sum(acc2, 0)
    tl.store(mean_ptr + c, mean)
    tl.store(var_ptr + c, m2 / total)
    rm = tl.load(running_mean_ptr + c)
    rv = tl.load(running_var_ptr + c)
    tl.store(running_mean_ptr + c, (1.0 - momentum) * rm + momentum * mean)
    tl.store(running_var_ptr + c, (1.0 - momentum) * rv + momentum * (m2 / (total - 1)))
    if c == 0:
        tl.store(tracked_ptr, tl.load(tracked_ptr) + 1)


@triton.jit
def bn_apply(x_ptr, mean_ptr, var_ptr, w_ptr, b_ptr, y_ptr, C, S, total, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    c = (i // S) % C
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    mean = tl.load(mean_ptr + c, mask=ok, other=0.0)
    var = tl.load(var_ptr + c, mask=ok, other=1.0)
    w = tl.load(w_ptr + c, mask=ok, other=0.0)
    b = tl.load(b_ptr + c, mask=ok, other=0.0)
    tl.store(y_ptr + i, (x - mean) / tl.sqrt(var + eps) * w + b, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x):
        x = x.contiguous()
        N, C, H, W = x.shape
        y = torch.empty_like(x)
        bn = self.bn
        if self.training:
            mean = torch.empty(C, device=x.device, dtype=torch.float32)
            var = torch.empty(C, device=x.device, dtype=torch.float32)
            bn_stats[(C,)](x, mean, var, bn.running_mean, bn.running_var, bn.num_batches_tracked, N, C, H * W, bn.momentum, BLOCK=128)
        else:
            mean = bn.running_mean
            var = bn.running_var
        total = x.numel()
        bn_apply[(triton.cdiv(total, 256),)](x, mean, var, bn.weight, bn.bias, y, C, H * W, total, bn.eps, BLOCK=256)
        return y
