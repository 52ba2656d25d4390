import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def var_mean(x_ptr, var_ptr, mean_ptr, R, C, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    b = tl.program_id(0)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    r = tl.arange(0, BLOCK_R)
    ok = (r[:, None] < R) & (c[None, :] < C)
    x = tl.load(x_ptr + b * R * C + r[:, None] * C + c[None, :], mask=ok, other=0.0)
    mean = tl.sum(x, axis=0) / R
    d = tl.where(ok, x - mean[None, :], 0.0)
    var = tl.sum(d * d, axis=0) / (R - 1)
    tl.store(mean_ptr + b * C + c, mean, mask=c < C)
    tl.store(var_ptr + b * C + c, var, mask=c < C)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        B, R, C = x.shape
        var = torch.empty((B, 1, C), dtype=x.dtype, device=x.device)
        mean = torch.empty((B, 1, C), dtype=x.dtype, device=x.device)
        var_mean[(B, triton.cdiv(C, 16))](x, var, mean, R, C, BLOCK_R=triton.next_power_of_2(R), BLOCK_C=16)
        return var, mean
