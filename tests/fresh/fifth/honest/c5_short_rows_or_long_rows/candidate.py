import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def whole_rows(x_ptr, scale_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    x = tl.load(x_ptr + row * width + col, mask=inside, other=0.0)
    size = tl.sqrt(tl.sum(x * x, axis=0))
    size = tl.where(size < 1e-6, 1e-6, size)
    tl.store(out_ptr + row * width + col, x / size * tl.load(scale_ptr + col, mask=inside, other=0.0), mask=inside)


@triton.jit
def rows_by_blocks(x_ptr, scale_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, width, BLOCK):
        col = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * width + col, mask=col < width, other=0.0)
        squares += x * x
    size = tl.sqrt(tl.sum(squares, axis=0))
    size = tl.where(size < 1e-6, 1e-6, size)
    for start in range(0, width, BLOCK):
        col = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * width + col, mask=col < width, other=0.0)
        scale = tl.load(scale_ptr + col, mask=col < width, other=0.0)
        tl.store(out_ptr + row * width + col, x / size * scale, mask=col < width)


class ModelNew(nn.Module):
    SHORT = 128

    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        x = x.contiguous()
        rows, width = x.shape
        out = torch.empty_like(x)
        if width <= self.SHORT:
            whole_rows[(rows,)](x, self.scale, out, width, BLOCK=triton.next_power_of_2(width))
        else:
            rows_by_blocks[(rows,)](x, self.scale, out, width, BLOCK=self.SHORT)
        return out
