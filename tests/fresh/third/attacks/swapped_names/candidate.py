import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, b_ptr, out_ptr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + place, tl.load(a_ptr + place) - 2 * tl.load(b_ptr + place))


class ModelNew(nn.Module):
    def forward(self, y, x):
        out = torch.empty_like(y)
        kernel[(8,)](y, x, out, 64)
        return out
