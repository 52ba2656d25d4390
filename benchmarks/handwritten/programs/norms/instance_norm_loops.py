# reference: instance_norm
# way: extra-pass
# faster: three loops read the same plane
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def instance_norm_fwd(in_ptr, out_ptr, HW, eps, BLOCK_HW: tl.constexpr):
    plane = tl.program_id(0)
    in_ptr = in_ptr + plane * HW
    out_ptr = out_ptr + plane * HW
    s = tl.zeros([BLOCK_HW], dtype=tl.float32)
    for p in range(0, tl.cdiv(HW, BLOCK_HW)):
        offs = p * BLOCK_HW + tl.arange(0, BLOCK_HW)
        s += tl.load(in_ptr + offs, mask=offs < HW, other=0.0)
    mean = tl.sum(s, axis=0) / HW
    s2 = tl.zeros([BLOCK_HW], dtype=tl.float32)
    for p in range(0, tl.cdiv(HW, BLOCK_HW)):
        offs = p * BLOCK_HW + tl.arange(0, BLOCK_HW)
        x = tl.load(in_ptr + offs, mask=offs < HW, other=0.0)
        diff = tl.where(offs < HW, x - mean, 0.0)
        s2 += diff * diff
    rstd = tl.rsqrt(tl.sum(s2, axis=0) / HW + eps)
    for p in range(0, tl.cdiv(HW, BLOCK_HW)):
        offs = p * BLOCK_HW + tl.arange(0, BLOCK_HW)
        x = tl.load(in_ptr + offs, mask=offs < HW, other=0.0)
        tl.store(out_ptr + offs, (x - mean) * rstd, mask=offs < HW)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.eps = 1e-5

    def forward(self, x):
        N, C, H, W = x.shape
        out = torch.empty_like(x)
        instance_norm_fwd[(N * C,)](x, out, H * W, self.eps, BLOCK_HW=64)
        return out
