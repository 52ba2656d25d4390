# reference: add_relu
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_relu_fwd(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n)
    tl.store(out_ptr + i, tl.maximum(s, 0.0), mask=i < n)


@triton.jit
def add_relu_bwd(grad_ptr, out_ptr, gx_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(grad_ptr + i, mask=i < n)
    o = tl.load(out_ptr + i, mask=i < n)
    tl.store(gx_ptr + i, tl.where(o > 0, g, 0.0), mask=i < n)


class AddReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        x, y = x.contiguous(), y.contiguous()
        out = torch.empty_like(x)
        n = x.numel()
        add_relu_fwd[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        gx = torch.empty_like(out)
        n = out.numel()
        add_relu_bwd[(triton.cdiv(n, 256),)](grad.contiguous(), out, gx, n, BLOCK=256)
        return gx, gx


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y):
        return AddReLU.apply(x, y)
