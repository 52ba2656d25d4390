import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sign_step(p, g, n, rate, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(p + i, mask=i < n)
    d = tl.load(g + i, mask=i < n)
    s = tl.where(d > 0, 1.0, tl.where(d < 0, -1.0, 0.0))  # the sign of NaN is zero, as torch has it
    v = v - rate * s
    v = tl.where(v < -3.0, -3.0, tl.where(v > 3.0, 3.0, v))
    tl.store(p + i, v, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def forward(self, *tensors):
        for p, g in zip(tensors[::2], tensors[1::2]):
            sign_step[(triton.cdiv(p.numel(), 32),)](p, g, p.numel(), self.rate, B=32)
        return tuple(tensors[::2])
