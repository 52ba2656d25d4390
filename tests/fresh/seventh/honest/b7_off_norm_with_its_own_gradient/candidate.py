import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def norm_forward(x, gain, y, inv_out, C, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * C + c, mask=c < C, other=0.0)
    inv = tl.rsqrt(tl.sum(v * v, 0) / C + 1e-5)
    tl.store(inv_out + r, inv)
    tl.store(y + r * C + c, v * inv * tl.load(gain + c, mask=c < C, other=0.0), mask=c < C)


@triton.jit
def norm_backward(g, x, gain, inv_in, dx, C, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    inv = tl.load(inv_in + r)
    h = tl.load(x + r * C + c, mask=c < C, other=0.0) * inv
    w = tl.load(g + r * C + c, mask=c < C, other=0.0) * tl.load(gain + c, mask=c < C, other=0.0)
    tl.store(dx + r * C + c, inv * (w - h * (tl.sum(w * h, 0) / C)), mask=c < C)


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gain):
        rows, C = x.shape
        y = torch.empty_like(x)
        inv = torch.empty(rows, device=x.device, dtype=x.dtype)
        norm_forward[(rows,)](x, gain, y, inv, C, B=triton.next_power_of_2(C))
        ctx.save_for_backward(x, gain, inv)
        return y

    @staticmethod
    def backward(ctx, grad):
        x, gain, inv = ctx.saved_tensors
        grad = grad.contiguous()
        dx = torch.empty_like(x)
        norm_backward[(x.shape[0],)](grad, x, gain, inv, dx, x.shape[1], B=triton.next_power_of_2(x.shape[1]))
        return dx, (grad * x * inv[:, None]).sum(0)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(c))

    def forward(self, x):
        return Norm.apply(x, self.gain)
