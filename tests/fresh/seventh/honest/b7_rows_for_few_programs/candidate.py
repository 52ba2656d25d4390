import torch
import torch.nn as nn
import triton
import triton.language as tl


PROGRAMS = 6


@triton.jit
def matvec(x, v, y, rows, width, B: tl.constexpr):
    c = tl.arange(0, B)
    vec = tl.load(v + c, mask=c < width, other=0.0)
    for r in range(tl.program_id(0), rows, tl.num_programs(0)):
        s = tl.sum(tl.load(x + r * width + c, mask=c < width, other=0.0) * vec, 0)
        tl.store(y + r, 2.0 * tl.sigmoid(2.0 * s) - 1.0)


class ModelNew(nn.Module):
    def forward(self, x, v):
        rows, width = x.shape
        y = torch.empty((rows,), device=x.device, dtype=x.dtype)
        matvec[(PROGRAMS,)](x, v, y, rows, width, B=triton.next_power_of_2(width))
        return y
