import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def forward_kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    v = tl.where(v < 0, 0.0, v)
    tl.store(y + i, v * v * 0.5, mask=i < n)


@triton.jit
def backward_kernel(g, x, dx, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(dx + i, tl.load(g + i, mask=i < n) * tl.where(v < 0, 0.0, v), mask=i < n)


class HalfSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = torch.empty_like(x)
        forward_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), B=128)
        return y

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        grad = grad.contiguous()
        dx = torch.empty_like(x)
        backward_kernel[(triton.cdiv(x.numel(), 128),)](grad, x, dx, x.numel(), B=128)
        return dx


class ModelNew(nn.Module):
    def forward(self, x):
        return HalfSquare.apply(x)
