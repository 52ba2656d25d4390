# reference: double
# class: mutating inputs
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def double_in_place(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2.0, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        double_in_place[(triton.cdiv(x.numel(), 256),)](x, x.numel(), BLOCK=256)
        return x
