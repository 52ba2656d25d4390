import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


@triton.jit
def relu(x):
    return tl.maximum(x, 0.0)


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def tanh(x):
    return libdevice.tanh(x)


@triton.jit
def pointwise(x_ptr, y_ptr, n, FN: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, FN(x), mask=i < n)


def apply(fn, x):
    y = torch.empty_like(x)
    n = x.numel()
    pointwise[(triton.cdiv(n, 64),)](x, y, n, FN=fn, BLOCK=64)
    return y


class ModelNew(nn.Module):
    def forward(self, x):
        return apply(relu, x), apply(silu, x), apply(tanh, x)
