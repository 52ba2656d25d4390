import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def affine(x_ptr, y_ptr, n, A: tl.constexpr, B: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0.0) * A + B, mask=i < n)


def launch(x, a, b):
    y = torch.empty_like(x)
    if y.numel() == 0:
        return y
    affine[(triton.cdiv(y.numel(), 32),)](x, y, y.numel(), A=a, B=b, BLOCK=32)
    return y


class ModelNew(nn.Module):
    def __init__(self, skip):
        super().__init__()
        self.skip = skip

    def forward(self, x):
        x = x.contiguous()
        return launch(x[self.skip :], 2.0, 0.0), launch(x[: self.skip], 1.0, 1.0)
