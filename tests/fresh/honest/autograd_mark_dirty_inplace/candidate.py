import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def leaky_inplace(x_ptr, n, slope, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(x_ptr + i, tl.where(x > 0, x, x * slope), mask=i < n)


class LeakyInplace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.mark_dirty(x)
        ctx.slope = slope
        leaky_inplace[(triton.cdiv(x.numel(), 64),)](x, x.numel(), slope, BLOCK=64)
        return x


class ModelNew(nn.Module):
    def forward(self, x):
        return LeakyInplace.apply(x, 0.3)
