import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def forward_kernel(x_ptr, y_ptr, SIZE, H: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = (i // H) * 2 * H + i % H
    gate = tl.load(x_ptr + at, mask=i < SIZE, other=0.0)
    value = tl.load(x_ptr + at + H, mask=i < SIZE, other=0.0)
    tl.store(y_ptr + i, gate * tl.sigmoid(gate) * value, mask=i < SIZE)


@triton.jit
def backward_kernel(x_ptr, dy_ptr, dx_ptr, SIZE, H: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = (i // H) * 2 * H + i % H
    gate = tl.load(x_ptr + at, mask=i < SIZE, other=0.0)
    value = tl.load(x_ptr + at + H, mask=i < SIZE, other=0.0)
    dy = tl.load(dy_ptr + i, mask=i < SIZE, other=0.0)
    s = tl.sigmoid(gate)
    tl.store(dx_ptr + at, dy * value * s * (1.0 + gate * (1.0 - s)), mask=i < SIZE)
    tl.store(dx_ptr + at + H, dy * gate * s, mask=i < SIZE)


class GatedUnit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        half = x.shape[-1] // 2
        y = torch.empty((*x.shape[:-1], half), dtype=x.dtype, device=x.device)
        forward_kernel[(triton.cdiv(y.numel(), 256),)](x, y, y.numel(), half, 256)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        dx = torch.empty_like(x)
        dy = dy.contiguous()
        backward_kernel[(triton.cdiv(dy.numel(), 256),)](x, dy, dx, dy.numel(), x.shape[-1] // 2, 256)
        return dx


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return GatedUnit.apply(x)
