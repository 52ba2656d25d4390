import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def shifted(x_ptr, shifts_ptr, out_ptr, HEADS: tl.constexpr, LENGTH: tl.constexpr):
    line = tl.program_id(0)
    t = tl.arange(0, LENGTH)
    source = t - tl.load(shifts_ptr + line % HEADS).to(tl.int32)
    source = tl.where(source < 0, source + LENGTH, source)
    source = tl.minimum(tl.maximum(source, 0), LENGTH - 1)
    x = tl.load(x_ptr + line * LENGTH + source)
    tl.store(out_ptr + line * LENGTH + t, x + 0.0)


class ModelNew(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("shifts", torch.arange(heads))

    def forward(self, x):
        batch, heads, length = x.shape
        out = torch.empty_like(x)
        shifted[(batch * heads,)](x, self.shifts, out, heads, length)
        return out
