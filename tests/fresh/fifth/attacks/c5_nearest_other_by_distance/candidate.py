import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def nearest(x_ptr, out_ptr, rows, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    other = tl.arange(0, ROWS)
    inside = (other[:, None] < rows) & (col[None, :] < width)
    y = tl.load(x_ptr + other[:, None] * width + col[None, :], mask=inside, other=0.0)
    x = tl.sum(tl.where(other[:, None] == row, y, 0.0), axis=0)
    away = x[None, :] - y
    d = tl.sum(away * away, axis=1)
    d = tl.where((other < rows) & (d > 0.0), d, float("inf"))
    least = tl.min(d, axis=0)
    tl.store(out_ptr + row, tl.sqrt(tl.where(least == float("inf"), 0.0, least)))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, width = x.shape
        out = torch.empty(rows, device=x.device, dtype=x.dtype)
        nearest[(rows,)](x, out, rows, width, ROWS=triton.next_power_of_2(rows), BLOCK=triton.next_power_of_2(width))
        return out
