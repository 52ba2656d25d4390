import torch
import torch.nn as nn
import triton
import triton.language as tl


def build():
    @triton.jit
    def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)
        tl.store(y_ptr + i, tl.rsqrt(x * x + 1.0), mask=i < n)

    return kernel


KERNEL = build()


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        KERNEL[(triton.cdiv(x.numel(), 32),)](x, y, x.numel(), BLOCK=32)
        return y
