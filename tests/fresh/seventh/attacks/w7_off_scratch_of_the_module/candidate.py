import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def parts_kernel(x_ptr, parts_ptr, WIDTH: tl.constexpr, ROWS: tl.constexpr):
    part = tl.program_id(0)
    row, column = part * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row[:, None] * WIDTH + column[None, :])
    tl.store(parts_ptr + part * WIDTH + column, tl.sum(tl.abs(x), 0))


@triton.jit
def join_kernel(parts_ptr, out_ptr, WIDTH: tl.constexpr, PARTS: tl.constexpr):
    part, column = tl.arange(0, PARTS), tl.arange(0, WIDTH)
    sums = tl.sum(tl.load(parts_ptr + part[:, None] * WIDTH + column[None, :]), 0)
    tl.store(out_ptr + column, sums / (tl.sum(sums, 0) + 1.0))


class ModelNew(nn.Module):
    PARTS = 4

    def __init__(self):
        super().__init__()
        self.parts = None

    def forward(self, x):
        rows, width = x.shape
        if self.parts is None:
            self.parts = torch.empty((self.PARTS, width), device=x.device, dtype=torch.float32)
        parts_kernel[(self.PARTS,)](x, self.parts, width, rows // self.PARTS)
        out = torch.empty(width, device=x.device, dtype=x.dtype)
        join_kernel[(1,)](self.parts, out, width, self.PARTS)
        return out
