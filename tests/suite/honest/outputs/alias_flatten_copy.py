# reference: alias_relu
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def copy_and_relu(x_ptr, flat_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(flat_ptr + i, x, mask=i < n)
    tl.store(y_ptr + i, tl.where(x > 0, x, 0), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        flat = torch.empty(x.numel(), device=x.device, dtype=x.dtype)
        y = torch.empty_like(x)
        copy_and_relu[(triton.cdiv(x.numel(), 64),)](x, flat, y, x.numel(), BLOCK=64)
        return flat, y
