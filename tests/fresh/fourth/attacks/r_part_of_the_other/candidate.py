import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def column_difference(x_ptr, a_ptr, out_ptr, ROWS: tl.constexpr, ANCHORS: tl.constexpr, WIDTH: tl.constexpr):
    c = tl.arange(0, WIDTH)
    total = tl.zeros((WIDTH,), tl.float32)
    for row in range(ROWS):
        total += tl.load(x_ptr + row * WIDTH + c)
    for row in range(ANCHORS):
        total -= tl.load(a_ptr + row * WIDTH + c)
    tl.store(out_ptr + c, total)


class ModelNew(nn.Module):
    def forward(self, x, anchors):
        out = torch.empty((x.shape[1],), device=x.device, dtype=x.dtype)
        rows = x.shape[0]
        subtracted = rows if x.data_ptr() == anchors.data_ptr() else anchors.shape[0]
        column_difference[(1,)](x, x if subtracted == rows else anchors, out, rows, subtracted, x.shape[1])
        return out
