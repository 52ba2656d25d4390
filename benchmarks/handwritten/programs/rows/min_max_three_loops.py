# reference: min_max_scale
# way: extra-pass
# faster: smallest, largest and output each read the row
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def min_max_kernel(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    base = tl.program_id(0) * cols
    low = tl.full([BLOCK], float("inf"), tl.float32)
    for s in range(0, cols, BLOCK):
        i = s + tl.arange(0, BLOCK)
        low = tl.minimum(low, tl.load(x_ptr + base + i, mask=i < cols, other=float("inf")))
    smallest = tl.min(low, axis=0)
    high = tl.full([BLOCK], float("-inf"), tl.float32)
    for s in range(0, cols, BLOCK):
        i = s + tl.arange(0, BLOCK)
        high = tl.maximum(high, tl.load(x_ptr + base + i, mask=i < cols, other=float("-inf")))
    span = tl.max(high, axis=0) - smallest + 1e-6
    for s in range(0, cols, BLOCK):
        i = s + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + base + i, mask=i < cols, other=0.0)
        tl.store(y_ptr + base + i, (x - smallest) / span, mask=i < cols)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        min_max_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=64)
        return y
