# reference: alias_relu
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu_rows(x_ptr, y_ptr, n_cols, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + c, mask=c < n_cols)
    tl.store(y_ptr + row * n_cols + c, tl.where(x > 0, x, 0), mask=c < n_cols)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        rows, cols = x.shape
        y = torch.empty((rows, cols), device=x.device, dtype=x.dtype)
        relu_rows[(rows,)](x, y, cols, x.stride(0), BLOCK=triton.next_power_of_2(cols))
        flat = x.reshape(rows * cols)
        return flat, y
