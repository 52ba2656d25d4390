# reference: suffix_sum
# way: chain
# faster: two kernels only reverse rows around the sum
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def reverse_rows(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, cols, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x_ptr + row * cols + (cols - 1 - c), mask=c < cols, other=0.0)
        tl.store(y_ptr + row * cols + c, v, mask=c < cols)


@triton.jit
def running_sum(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0)
    tl.store(y_ptr + row * cols + c, tl.cumsum(v, axis=0), mask=c < cols)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        turned = torch.empty_like(x)
        reverse_rows[(rows,)](x, turned, cols, BLOCK=64)
        summed = torch.empty_like(x)
        running_sum[(rows,)](turned, summed, cols, BLOCK=triton.next_power_of_2(cols))
        out = torch.empty_like(x)
        reverse_rows[(rows,)](summed, out, cols, BLOCK=64)
        return out
