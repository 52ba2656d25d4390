# reference: share_of_sum
# way: extra-pass
# faster: the row is read, and its exponentials are taken, twice
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def share_kernel(x_ptr, y_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    inside = r < rows
    total = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, cols, COLS):
        c = start + tl.arange(0, COLS)[None, :]
        x = tl.load(x_ptr + r * cols + c, mask=inside & (c < cols), other=-float("inf"))
        total += tl.exp(x)
    bottom = 1.0 + tl.sum(total, axis=1)[:, None]
    for start in range(0, cols, COLS):
        c = start + tl.arange(0, COLS)[None, :]
        x = tl.load(x_ptr + r * cols + c, mask=inside & (c < cols), other=0.0)
        tl.store(y_ptr + r * cols + c, tl.exp(x) / bottom, mask=inside & (c < cols))


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        y = torch.empty_like(x)
        share_kernel[(triton.cdiv(rows, 4),)](x, y, rows, cols, ROWS=4, COLS=64)
        return y
