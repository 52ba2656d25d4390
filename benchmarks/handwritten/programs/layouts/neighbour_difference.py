# reference: next_difference
# way: index-math
# faster: row and column of each element come from a division
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def difference_kernel(x_ptr, y_ptr, total, width, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    r = i // width
    c = i - r * width
    source = x_ptr + r * (width + 1) + c
    tl.store(y_ptr + i, tl.load(source + 1, mask=mask) - tl.load(source, mask=mask), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        y = torch.empty((rows, cols - 1), device=x.device, dtype=x.dtype)
        difference_kernel[(triton.cdiv(y.numel(), 512),)](x, y, y.numel(), cols - 1, BLOCK=512)
        return y
