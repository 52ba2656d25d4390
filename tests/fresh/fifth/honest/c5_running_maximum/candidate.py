import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.where((a > b) | (a != a), a, b)


@triton.jit
def running(x_ptr, out_ptr, broken_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + col, mask=col < width, other=-float("inf"))
    best = tl.associative_scan(x, 0, larger)
    tl.store(out_ptr + row * width + col, best, mask=col < width)
    broken = (best != best) & (col < width)
    tl.store(broken_ptr + row, tl.sum(broken.to(tl.int32), axis=0).to(tl.int64))


class ModelNew(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        out = torch.empty_like(x)
        broken = torch.empty(rows, device=x.device, dtype=torch.int64)
        running[(rows,)](x, out, broken, width, BLOCK=triton.next_power_of_2(width))
        return out, broken
