import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def instance_norm(x_ptr, w_ptr, b_ptr, y_ptr, C, T, eps, slope, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = tl.arange(0, BLOCK)
    mask = t < T
    x = tl.load(x_ptr + row * T + t, mask=mask, other=0.0)
    mean = tl.sum(x, 0) / T
    d = tl.where(mask, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(d * d, 0) / T + eps)
    y = d * rstd * tl.load(w_ptr + row % C) + tl.load(b_ptr + row % C)
    tl.store(y_ptr + row * T + t, tl.where(y >= 0, y, y * slope), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.InstanceNorm1d(channels, affine=True)

    def forward(self, x):
        x = x.contiguous()
        n, c, t = x.shape
        y = torch.empty_like(x)
        instance_norm[(n * c,)](
            x, self.norm.weight, self.norm.bias, y, c, t, self.norm.eps, 0.2, BLOCK=triton.next_power_of_2(t)
        )
        return y
