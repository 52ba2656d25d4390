import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def plane_norm(x_ptr, w_ptr, b_ptr, y_ptr, planes, channels, size, eps, PLANES: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(0) * PLANES + tl.arange(0, PLANES)
    i = tl.arange(0, BLOCK)
    ok = (plane < planes)[:, None] & (i < size)[None, :]
    at = plane[:, None] * size + i[None, :]
    x = tl.load(x_ptr + at, mask=ok, other=0.0)
    mean = tl.sum(x, 1) / size
    d = tl.where(ok, x - mean[:, None], 0.0)
    rstd = tl.rsqrt(tl.sum(d * d, 1) / size + eps)
    w = tl.load(w_ptr + plane % channels, mask=plane < planes, other=0.0)
    b = tl.load(b_ptr + plane % channels, mask=plane < planes, other=0.0)
    tl.store(y_ptr + at, d * (rstd * w)[:, None] + b[:, None], mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels, affine=True)

    def forward(self, x):
        b, c, h, w = x.shape
        y = torch.empty_like(x)
        plane_norm[(triton.cdiv(b * c, 4),)](x, self.norm.weight, self.norm.bias, y, b * c, c, h * w, self.norm.eps,
                                             PLANES=4, BLOCK=triton.next_power_of_2(h * w))
        return y
