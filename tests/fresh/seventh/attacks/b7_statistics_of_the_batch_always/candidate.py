import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def centered(x, center, y, rows, width, TRAIN: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    c = tl.program_id(0) * B + tl.arange(0, B)
    r = tl.arange(0, R)
    m = (r[:, None] < rows) & (c[None, :] < width)
    v = tl.load(x + r[:, None] * width + c[None, :], mask=m, other=0.0)
    mean = tl.sum(v, 0) / rows
    if TRAIN:
        old = tl.load(center + c, mask=c < width, other=0.0)
        tl.store(center + c, old + 0.1 * (mean - old), mask=c < width)
    tl.store(y + r[:, None] * width + c[None, :], v - mean[None, :], mask=m)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("center", torch.zeros(width))

    def forward(self, x):
        rows, width = x.shape
        y = torch.empty_like(x)
        centered[(triton.cdiv(width, 16),)](x, self.center, y, rows, width, TRAIN=self.training,
                                           R=triton.next_power_of_2(rows), B=16)
        return y
