import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def cube(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, x * x * x, mask=i < n)


@triton.jit
def cube_grad(x_ptr, dy_ptr, dx_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    dy = tl.load(dy_ptr + i, mask=i < n, other=0.0)
    tl.store(dx_ptr + i, 3 * x * x * dy, mask=i < n)


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        y = torch.empty_like(x)
        cube[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
        return y

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        dx = torch.empty_like(x)
        cube_grad[(triton.cdiv(x.numel(), 64),)](x, dy.contiguous(), dx, x.numel(), BLOCK=64)
        return dx


class ModelNew(nn.Module):
    def forward(self, x):
        return Cube.apply(x.contiguous())
