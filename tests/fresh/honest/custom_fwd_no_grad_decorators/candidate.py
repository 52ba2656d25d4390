import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mish_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    e = tl.exp(-tl.abs(x))
    top = tl.where(x > 0, 1 + 2 * e, e * e + 2 * e)
    bottom = tl.where(x > 0, 1 + 2 * e + 2 * e * e, e * e + 2 * e + 2)
    tl.store(y_ptr + i, x * (top / bottom), mask=i < n)


class Mish(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = torch.empty_like(x)
        mish_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
        return y


class ModelNew(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        return Mish.apply(x.contiguous())
