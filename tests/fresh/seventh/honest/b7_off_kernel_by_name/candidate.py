import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def silu_kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, v / (1.0 + tl.exp(-v)), mask=i < n)


@triton.jit
def softplus_kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    e = tl.exp(tl.where(v > 20.0, 0.0, v))
    u = 1.0 + e  # log1p by a quotient that corrects the rounding of u
    tl.store(y + i, tl.where(v > 20.0, v, tl.where(u == 1.0, e, tl.log(u) * e / (u - 1.0))), mask=i < n)


@triton.jit
def sigmoid_kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, 1.0 / (1.0 + tl.exp(-tl.load(x + i, mask=i < n))), mask=i < n)


KERNELS = {"silu": silu_kernel, "softplus": softplus_kernel, "sigmoid": sigmoid_kernel}


class ModelNew(nn.Module):
    def __init__(self, kinds):
        super().__init__()
        self.kinds = list(kinds)

    def forward(self, x):
        out = x.new_empty((len(self.kinds), *x.shape))
        for slot, kind in zip(out, self.kinds):
            KERNELS[kind][(triton.cdiv(x.numel(), 128),)](x, slot, x.numel(), B=128)
        return out
