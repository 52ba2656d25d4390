# reference: gelu
# class: approximation
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def erf(x):
    """Abramowitz and Stegun 7.1.25, good to 2.5e-5."""
    a = tl.abs(x)
    t = 1.0 / (1.0 + 0.47047 * a)
    y = 1.0 - ((0.7478556 * t - 0.0958798) * t + 0.3480242) * t * tl.exp(-a * a)
    return tl.where(x < 0, -y, y)


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, 0.5 * x * (1.0 + erf(x * 0.7071067811865476)), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        y = torch.empty_like(x)
        gelu_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
        return y
