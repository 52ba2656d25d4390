import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms_forward(x, gain, y, scales, dim, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < dim
    v = tl.load(x + row * dim + c, mask=ok, other=0.0)
    scale = tl.rsqrt(tl.sum(v * v, axis=0) / dim + eps)
    tl.store(scales + row, scale)
    g = tl.load(gain + c, mask=ok, other=0.0)
    tl.store(y + row * dim + c, v * scale * (1.0 + g), mask=ok)


@triton.jit
def rms_backward(x, gain, scales, dy, dx, dgain, dim, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < dim
    v = tl.load(x + row * dim + c, mask=ok, other=0.0)
    up = tl.load(dy + row * dim + c, mask=ok, other=0.0)
    scale = tl.load(scales + row)
    n = v * scale
    tl.atomic_add(dgain + c, up * n, mask=ok)
    t = up * (1.0 + tl.load(gain + c, mask=ok, other=0.0))
    tl.store(dx + row * dim + c, scale * (t - n * (tl.sum(t * n, axis=0) / dim)), mask=ok)


class RMS(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gain, eps):
        dim = x.shape[-1]
        rows = x.numel() // dim
        y = torch.empty_like(x)
        scales = torch.empty(rows, device=x.device, dtype=torch.float32)
        rms_forward[(rows,)](x, gain, y, scales, dim, eps, BLOCK=triton.next_power_of_2(dim))
        ctx.save_for_backward(x, gain, scales)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, gain, scales = ctx.saved_tensors
        dim = x.shape[-1]
        dx = torch.empty_like(x)
        dgain = torch.zeros_like(gain)
        rms_backward[(scales.numel(),)](
            x, gain, scales, dy.contiguous(), dx, dgain, dim, BLOCK=triton.next_power_of_2(dim)
        )
        return dx, dgain, None


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gain = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return RMS.apply(x, self.gain, 1e-6)
