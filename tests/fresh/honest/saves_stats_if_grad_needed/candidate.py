import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms(x_ptr, y_ptr, r_ptr, D, eps, SAVE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * D + c, mask=c < D, other=0.0)
    r = tl.rsqrt(tl.sum(x * x, 0) / D + eps)
    tl.store(y_ptr + row * D + c, x * r, mask=c < D)
    if SAVE:
        tl.store(r_ptr + row, r)


class RMS(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.contiguous()
        rows, D = x.numel() // x.shape[-1], x.shape[-1]
        y = torch.empty_like(x)
        save = x.requires_grad
        r = torch.empty(rows if save else 1, device=x.device, dtype=torch.float32)
        rms[(rows,)](x, y, r, D, 1e-6, SAVE=save, BLOCK=triton.next_power_of_2(D))
        ctx.save_for_backward(x, r)
        return y


class ModelNew(nn.Module):
    def forward(self, x):
        return RMS.apply(x)
