import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def nan_mean(x_ptr, mean_ptr, count_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + col, mask=col < width, other=0.0)
    there = (x == x) & (col < width)
    count = tl.sum(there.to(tl.int32), axis=0)
    total = tl.sum(tl.where(there, x, 0.0), axis=0)
    tl.store(mean_ptr + row, total / count.to(tl.float32))
    tl.store(count_ptr + row, count.to(tl.int64))


class ModelNew(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        mean = torch.empty(rows, device=x.device, dtype=x.dtype)
        count = torch.empty(rows, device=x.device, dtype=torch.int64)
        nan_mean[(rows,)](x, mean, count, width, BLOCK=triton.next_power_of_2(width))
        return mean, count
