# reference: scale_shift
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def affine_kernel(x_ptr, scale_ptr, shift_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    scale = tl.load(scale_ptr + cols, mask=mask)
    shift = tl.load(shift_ptr + cols, mask=mask)
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask)
    tl.store(y_ptr + row * n_cols + cols, tl.fma(x, scale, shift), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(width))
        self.shift = nn.Parameter(torch.randn(width))

    def forward(self, x):
        x = x.contiguous()
        rows, cols = x.shape
        y = torch.empty_like(x)
        affine_kernel[(rows,)](x, self.scale, self.shift, y, cols, BLOCK=triton.next_power_of_2(cols))
        return y
