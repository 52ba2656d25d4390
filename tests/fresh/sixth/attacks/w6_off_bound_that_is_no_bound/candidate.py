import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def clipped(x_ptr, bound_ptr, out_ptr, C: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, C)
    bound = tl.load(bound_ptr + i)
    unit = tl.load(x_ptr + row * C + i) / bound
    tl.store(out_ptr + row * C + i, tl.minimum(tl.maximum(unit, -1.0), 1.0) * bound)


class ModelNew(nn.Module):
    def __init__(self, channels=32):
        super().__init__()
        self.register_buffer("bound", torch.ones(channels))

    def forward(self, x):
        out = torch.empty_like(x)
        clipped[(x.shape[0],)](x, self.bound, out, x.shape[1])
        return out
