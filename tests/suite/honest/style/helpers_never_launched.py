# reference: gelu
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def tanh(x):
    # kept for a later version; not used below
    return 2.0 * tl.sigmoid(2.0 * x) - 1.0


@triton.jit
def gelu_kernel_vec4(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """An experimental variant, never launched."""
    i = tl.program_id(0) * BLOCK * 4 + tl.arange(0, BLOCK * 4)
    tl.store(y_ptr + i, tanh(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x * 0.5 * (1.0 + tl.erf(x * 0.70710678)), mask=i < n)


def blocks_for(n, block):
    return triton.cdiv(n, block)


def unused_helper(shape):
    total = 1
    for size in shape:
        total *= size
    return total


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = torch.empty_like(x)
        gelu_kernel[(blocks_for(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
        return y
