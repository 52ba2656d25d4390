import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def magnitude(real_ptr, imaginary_ptr, out_ptr, LINES: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    line = tl.arange(0, BLOCK)
    a = tl.load(real_ptr + row * LINES + line, mask=line < LINES, other=0.0)
    b = tl.load(imaginary_ptr + row * LINES + line, mask=line < LINES, other=0.0)
    tl.store(out_ptr + row, tl.sum(tl.sqrt(a * a + b * b), 0) / LINES)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, real, imaginary):
        rows, lines = real.shape
        out = torch.empty((rows,), device=real.device, dtype=real.dtype)
        magnitude[(rows,)](real, imaginary, out, lines, triton.next_power_of_2(lines))
        return out
