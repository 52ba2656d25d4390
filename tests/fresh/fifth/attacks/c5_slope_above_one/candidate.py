import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_and_bend(x_ptr, y_ptr, slope_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_ptr + at, mask=inside, other=0.0) + tl.load(y_ptr + at, mask=inside, other=0.0)
    tl.store(out_ptr + at, tl.maximum(x, x * tl.load(slope_ptr)), mask=inside)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.PReLU()

    def forward(self, x, y):
        x, y = x.contiguous(), y.contiguous()
        out = torch.empty_like(x)
        add_and_bend[(triton.cdiv(x.numel(), 256),)](x, y, self.act.weight, out, x.numel(), BLOCK=256)
        return out
