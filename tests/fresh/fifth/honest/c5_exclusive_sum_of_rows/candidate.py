import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def running(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for start in range(0, width, BLOCK):
        col = start + tl.arange(0, BLOCK)
        inside = col < width
        x = tl.load(x_ptr + row * width + col, mask=inside, other=0.0)
        total = tl.cumsum(x, axis=0) + carry
        tl.store(out_ptr + row * width + col, total - x, mask=inside)
        carry += tl.sum(x, axis=0)


class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        running[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
        return out
