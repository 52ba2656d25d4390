import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def marked_mean(x_ptr, marks_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    real = column < WIDTH
    x = tl.load(x_ptr + row * WIDTH + column, mask=real, other=0.0).to(tl.float32)
    mark = tl.load(marks_ptr + row * WIDTH + column, mask=real, other=0.0)
    count = tl.maximum(tl.sum(mark, 0), 1.0)
    tl.store(out_ptr + row, (tl.sum(x * mark, 0) / count).to(tl.bfloat16))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, marks):
        rows, width = x.shape
        out = torch.empty((rows,), device=x.device, dtype=x.dtype)
        marked_mean[(rows,)](x, marks, out, width, triton.next_power_of_2(width))
        return out
