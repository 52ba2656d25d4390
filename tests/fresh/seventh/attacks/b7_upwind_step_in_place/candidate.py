import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def advect(field, speed, rows, W: tl.constexpr, R: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, W)
    m = (r[:, None] < rows - 1) & (c[None, :] < W)
    here = field + r[:, None] * W + c[None, :]
    old = tl.load(here, mask=m, other=0.0)
    ahead = tl.load(here + W, mask=m, other=0.0)
    tl.debug_barrier()
    tl.store(here, old + tl.load(speed + c)[None, :] * (ahead - old), mask=m)


class ModelNew(nn.Module):
    def forward(self, field, speed):
        rows, width = field.shape
        advect[(triton.cdiv(rows - 1, 16),)](field, speed, rows, W=width, R=16)
        return field
