import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_prelu_mean(x, skip, slope, y, mean, PLANE: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    m = o < PLANE
    v = tl.load(x + pid * PLANE + o, mask=m, other=0.0) + tl.load(skip + pid * PLANE + o, mask=m, other=0.0)
    a = tl.load(slope)
    v = tl.where(v >= 0, v, a * v)
    tl.store(y + pid * PLANE + o, v, mask=m)
    tl.store(mean + pid, tl.sum(v, axis=0) / PLANE)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.act = nn.PReLU(channels)

    def forward(self, x, skip):
        b, c, h, w = x.shape
        y = torch.empty_like(x)
        mean = torch.empty((b, c), device=x.device, dtype=x.dtype)
        add_prelu_mean[(b * c,)](x, skip, self.act.weight, y, mean, PLANE=h * w, BLOCK=triton.next_power_of_2(h * w))
        return y, mean
