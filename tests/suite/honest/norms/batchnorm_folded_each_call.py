# reference: batchnorm
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fold_kernel(mean, var, weight, bias, scale, shift, C, eps, BLOCK: tl.constexpr):
    """One multiply-add per element instead of four operations."""
    c = tl.arange(0, BLOCK)
    m = c < C
    s = tl.load(weight + c, m) / tl.sqrt(tl.load(var + c, m, other=1.0) + eps)
    tl.store(scale + c, s, m)
    tl.store(shift + c, tl.load(bias + c, m) - tl.load(mean + c, m) * s, m)


@triton.jit
def affine_kernel(x, scale, shift, y, C, HW, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    c = plane % C
    s, t = tl.load(scale + c), tl.load(shift + c)
    for start in range(0, HW, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + plane * HW + i, mask=i < HW)
        tl.store(y + plane * HW + i, v * s + t, mask=i < HW)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)
        nn.init.normal_(self.bn.running_mean)
        nn.init.uniform_(self.bn.running_var, 0.5, 2.0)
        nn.init.normal_(self.bn.weight)
        nn.init.normal_(self.bn.bias)

    def forward(self, x):
        n, c, h, w = x.shape
        scale = torch.empty(c, device=x.device)
        shift = torch.empty(c, device=x.device)
        fold_kernel[(1,)](
            self.bn.running_mean, self.bn.running_var, self.bn.weight, self.bn.bias,
            scale, shift, c, self.bn.eps, BLOCK=triton.next_power_of_2(c),
        )
        y = torch.empty_like(x)
        affine_kernel[(n * c,)](x, scale, shift, y, c, h * w, BLOCK=64)
        return y
